// A bashcell server and one conversation with it over stdin and stdout, as a client has it.

import {spawn} from 'node:child_process';
import readline from 'node:readline';

export class Client {
  #waiting = new Map();
  #nextId = 1;

  // Answers when the server has said hello. End it with close().
  static async start(program, workspace, options = []) {
    const client = new Client();
    client.process = spawn(program, ['--workspace', workspace, '--warm', ...options], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    client.ended = new Promise((resolve) => client.process.on('exit', resolve));
    client.ended.then((code) => client.#fail(new Error(`the server ended with ${code}`)));
    client.process.on('error', (error) => client.#fail(error));
    readline.createInterface({input: client.process.stdout}).on('line', (line) => client.#take(JSON.parse(line)));
    const clientInfo = {name: 'bashcell-bench', version: '1'};
    await client.#ask('initialize', {protocolVersion: '2025-06-18', capabilities: {}, clientInfo});
    client.#send({method: 'notifications/initialized'});
    return client;
  }

  #send(message) {
    this.process.stdin.write(JSON.stringify({jsonrpc: '2.0', ...message}) + '\n');
  }

  #ask(method, params) {
    const id = this.#nextId++;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, {resolve, reject}));
    this.#send({id, method, params});
    return answer;
  }

  #take(message) {
    const call = this.#waiting.get(message.id);
    if (!call) return;
    this.#waiting.delete(message.id);
    if (message.error) call.reject(new Error(message.error.message));
    else call.resolve(message.result);
  }

  #fail(error) {
    for (const {reject} of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  async tools() {
    return (await this.#ask('tools/list', {})).tools;
  }

  // {reply, ms}: what a model reads, and how long it took.
  async bash(command, timeout = 60) {
    const begin = performance.now();
    const result = await this.#ask('tools/call', {name: 'bash', arguments: {command, timeout}});
    return {reply: result.content.map((block) => block.text).join('\n'), ms: performance.now() - begin};
  }

  async close() {
    this.process.stdin.end();
    await this.ended;
  }
}
