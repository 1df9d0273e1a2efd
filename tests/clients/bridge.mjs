// MCP over HTTP in front of one bashcell, which speaks stdio only, for test tools that know nothing but a URL. Each POST is one
// message to the server, its answer the HTTP answer, with the status that the specification names for it. Nothing of a message is
// changed, so that what is judged is the server. Not a product: it listens on loopback, and has no sessions and no streams.

import http from 'node:http';
import {spawn} from 'node:child_process';
import {createInterface} from 'node:readline';

const modernVersion = 'io.modelcontextprotocol/protocolVersion';
const headerMismatch = -32020;
const statusOf = {'-32601': 404, '-32602': 400, '-32020': 400, '-32021': 400, '-32022': 400};

// What the transport itself has to refuse (2026-07-28, basic/transports/streamable-http): headers that do not say what the
// body says.
function mismatch(headers, message) {
  const version = message.params?._meta?.[modernVersion];
  if (version === undefined) return undefined;
  const wanted = {'mcp-protocol-version': version, 'mcp-method': message.method};
  if (message.method === 'tools/call' || message.method === 'prompts/get') wanted['mcp-name'] = message.params.name;
  const wrong = Object.keys(wanted).find((name) => headers[name] !== wanted[name]);
  return wrong && {jsonrpc: '2.0', id: message.id, error: {code: headerMismatch, message: `Header mismatch: ${wrong}`}};
}

function isLocal(host) {
  return /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host ?? '');
}

async function bodyOf(request) {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += piece;
  return text;
}

export async function startBridge({command, args, env, stderr}) {
  const server = spawn(command, args, {env: {...process.env, ...env}, stdio: ['pipe', 'pipe', stderr ?? 'inherit']});
  const waiting = new Map();  // JSON of an id -> what takes its answer
  const strays = [];
  const exited = new Promise((resolve) => server.once('exit', (code, signal) => resolve(code ?? signal)));
  createInterface({input: server.stdout}).on('line', (line) => {
    const key = JSON.stringify(JSON.parse(line).id ?? null);
    const take = waiting.get(key);
    waiting.delete(key);
    if (take) take(line);
    else strays.push(line);
  });

  function ask(message, text) {
    const key = JSON.stringify(message.id);
    if (waiting.has(key)) throw new Error(`id ${key} is in use`);
    return new Promise((resolve) => {
      waiting.set(key, resolve);
      server.stdin.write(`${text.replace(/[\r\n]/g, ' ')}\n`);
    });
  }

  async function answer(request) {
    const origin = request.headers.origin;
    if (!isLocal(request.headers.host) || (origin && !isLocal(origin.replace(/^https?:\/\//, '')))) return [403];
    if (request.method !== 'POST') return [405];
    const text = await bodyOf(request);
    const message = JSON.parse(text);
    if (message.method === undefined || message.id === undefined) {
      server.stdin.write(`${text.replace(/[\r\n]/g, ' ')}\n`);
      return [202];
    }
    const refused = mismatch(request.headers, message);
    if (refused) return [400, JSON.stringify(refused)];
    const line = await ask(message, text);
    const modern = message.params?._meta?.[modernVersion] !== undefined || request.headers['mcp-method'] !== undefined;
    return [modern ? statusOf[JSON.parse(line).error?.code] ?? 200 : 200, line];
  }

  const listener = http.createServer((request, response) => {
    answer(request).catch((error) => [400, JSON.stringify({jsonrpc: '2.0', error: {code: -32700, message: error.message}})])
      .then(([status, body]) => {
        response.writeHead(status, body ? {'content-type': 'application/json'} : {});
        response.end(body);
      });
  });
  await new Promise((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${listener.address().port}/mcp`,
    pid: server.pid,
    strays,
    // The exit code of the server, after the end of its input.
    async close() {
      listener.closeAllConnections();
      listener.close();
      server.stdin.end();
      return exited;
    },
  };
}
