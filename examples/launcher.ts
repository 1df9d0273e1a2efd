// How a framework runs bashcell with the official client: launcher.ts [BASHCELL [OPTION...]]

import {Client} from '@modelcontextprotocol/client';
import {StdioClientTransport} from '@modelcontextprotocol/client/stdio';

const [command = 'bashcell', ...args] = process.argv.slice(2);

// The client starts servers with a handful of variables: those that lead to an engine must be handed on.
const env: Record<string, string> = {};
for (const name of ['PATH', 'HOME', 'DOCKER_HOST', 'DOCKER_CONTEXT', 'XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS']) {
  const value = process.env[name];
  if (value !== undefined) env[name] = value;
}

const client = new Client({name: 'launcher', version: '1.0.0'});
await client.connect(new StdioClientTransport({command, args, env}));

// Longer than any answer takes: --max-timeout, and what an install may need.
const longest = {timeout: 390_000, resetTimeoutOnProgress: true};

async function bash(script: string, signal?: AbortSignal): Promise<string> {
  const result = await client.callTool({name: 'bash', arguments: {command: script}}, {...longest, signal});
  const [block] = result.content;
  if (block?.type !== 'text') throw new Error('a reply of bashcell is one text');
  if (result.isError) throw new Error(block.text);  // refused, timed out, or no cell: never an exit code
  return block.text;
}

console.log(await bash('echo hello from a cell; cd /tmp; exit 3'));

// Ends the call and its processes; the cell, its variables and its other calls go on.
const cancel = new AbortController();
const sleep = bash('sleep 60', cancel.signal).then(() => 'done', () => 'cancelled');
cancel.abort();
console.log(await sleep, 'in', await bash('pwd'));

await client.close();  // closes stdin: the server ends, and its cell with it
console.log('ended');
