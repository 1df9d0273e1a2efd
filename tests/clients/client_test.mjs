// node client_test.mjs KIND: an official client of that kind (sessions.mjs) uses the server as an application would.
// Every step asserts; the first failure ends the program with exit code 1.

import assert from 'node:assert/strict';
import {randomInt} from 'node:crypto';

import {eventually, isAlive, processesWith, remainsOfCells} from './host.mjs';
import {openSession} from './sessions.mjs';
import {serverParameters} from './server.mjs';

async function bash(session, command, options = {}, more = {}) {
  return session.callTool({name: 'bash', arguments: {command, ...more}}, {timeout: 60_000, ...options});
}

// The text of a result, which is one block and nothing else (two forms of one output cost a model twice).
function textOf(result) {
  assert.equal(result.structuredContent, undefined);
  assert.deepEqual(result.content.map((block) => block.type), ['text']);
  assert.notEqual(result.content[0].text, '');
  return result.content[0].text.trimEnd();
}

const steps = {
  async 'negotiates the version of its kind'(session) {
    assert.equal(session.version(), session.wantedVersion);
    assert.equal(session.client.getServerVersion().name, 'bashcell');
    const capabilities = session.client.getServerCapabilities();
    assert.ok(capabilities.tools, 'tools are advertised');
    assert.ok(capabilities.prompts, 'prompts are advertised');
  },

  async 'lists one tool, bash, without starting a cell'(session) {
    const {tools} = await session.client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name), ['bash']);
    const [tool] = tools;
    assert.equal(tool.inputSchema.type, 'object');
    assert.deepEqual(Object.keys(tool.inputSchema.properties).sort(), ['command', 'timeout']);
    assert.deepEqual(tool.inputSchema.required, ['command']);
    assert.equal(tool.outputSchema, undefined);
    assert.equal(tool.annotations?.openWorldHint, false);
    assert.equal(tool._meta?.['anthropic/alwaysLoad'], true);
    assert.deepEqual(remainsOfCells(session.pid), []);
  },

  async 'calls it, and the shell state carries over'(session) {
    const first = await bash(session, 'echo hi; cd /tmp; answer=42');
    assert.ok(!first.isError);
    assert.match(textOf(first), /^hi($|\n\[cell: )/);
    assert.equal(textOf(await bash(session, 'pwd; echo "$answer"')), '/tmp\n42');
    assert.notDeepEqual(remainsOfCells(session.pid), [], 'the cell that runs now is seen by the check used below');
  },

  async 'an exit code is no error of the tool'(session) {
    const result = await bash(session, 'echo out; echo err >&2; exit 3');
    assert.ok(!result.isError);
    assert.equal(textOf(result), 'out\nerr\n[cell: exit 3]');
  },

  async 'a missing argument is an error result that names it'(session) {
    const result = await session.callTool({name: 'bash', arguments: {}}, {});
    assert.equal(result.isError, true);
    assert.match(textOf(result), /command/);
  },

  async 'an unknown tool is a protocol error'(session) {
    await assert.rejects(session.callTool({name: 'no_such_tool', arguments: {}}, {}), {code: -32602});
  },

  async 'calls run side by side'(session) {
    let slowEnded = false;
    const slow = bash(session, 'until [ -e /workspace/go ]; do sleep 0.05; done; echo slow').finally(() => {
      slowEnded = true;
    });
    // The slow call ends only by what the second one does, and is answered after it.
    assert.equal(textOf(await bash(session, 'echo fast')), 'fast');
    assert.equal(slowEnded, false);
    await bash(session, 'touch /workspace/go');
    assert.equal(textOf(await slow), 'slow');
  },

  async 'a cancelled call leaves no process, and the next call works'(session) {
    const mark = `${randomInt(1e8, 1e9)}.25`;  // a sleep that nobody else starts
    const abort = new AbortController();
    const call = bash(session, `(trap '' TERM; setsid sleep ${mark} &); trap '' TERM; sleep ${mark}; sleep ${mark}`,
      {signal: abort.signal});
    const ended = assert.rejects(call);
    await eventually('both sleeps run', () => processesWith(`sleep\0${mark}`).length === 2);
    abort.abort(new Error('the user changed his mind'));
    await ended;
    await eventually('the whole tree is gone', () => processesWith(`sleep\0${mark}`).length === 0);
    assert.equal(textOf(await bash(session, 'echo next; pwd')), 'next\n/tmp');
    assert.equal(processesWith(`sleep\0${mark}`).length, 0);
  },

  async 'a timed-out call says so and keeps what was printed'(session) {
    const result = await bash(session, 'echo before; sleep 300', {}, {timeout: 1});
    assert.equal(result.isError, true);
    assert.match(textOf(result), /^before\n\[cell: timed out after 1 s/);
  },

  async 'progress is reported to who asked for it'(session) {
    const seen = [];
    const result = await bash(session, 'sleep 11; echo done', {onprogress: (progress) => seen.push(progress.progress)});
    assert.equal(textOf(result), 'done');
    assert.ok(seen.length >= 2, `${seen.length} progress notifications in 11 s, every 5 s one was promised`);
    assert.deepEqual(seen, [...new Set(seen)].sort((a, b) => a - b), 'progress only grows');
  },

  async 'prompts can be listed and read'(session) {
    const {prompts} = await session.client.listPrompts();
    assert.ok(prompts.length >= 1);
    for (const {name} of prompts) {
      const {messages} = await session.client.getPrompt({name});
      assert.ok(messages.length >= 1);
      for (const message of messages) {
        assert.equal(message.content.type, 'text');
        assert.notEqual(message.content.text.trim(), '');
      }
    }
    await assert.rejects(session.client.getPrompt({name: 'no-such-prompt'}), {code: -32602});
  },

  async 'nothing came that the client could not place'(session) {
    assert.deepEqual(session.strays, []);
  },

  async 'close ends the server by itself, and its cell with it'(session) {
    const started = Date.now();
    await session.client.close();
    // The libraries wait 2 s after the end of input before they send SIGTERM.
    assert.ok(Date.now() - started < 1900, `close took ${Date.now() - started} ms: the server had to be killed`);
    assert.equal(isAlive(session.pid), false);
    await eventually('no remains of the cell', () => remainsOfCells(session.pid).length === 0, 2000).catch((error) => {
      throw new Error(`${error.message}: ${remainsOfCells(session.pid).join(', ')}`);
    });
  },
};

const session = await openSession(process.argv[2], serverParameters());
for (const [name, step] of Object.entries(steps)) {
  try {
    await step(session);
  } catch (error) {
    console.error(`failed: ${name}\n${error.stack}`);
    await session.client.close().catch(() => {});
    process.exit(1);
  }
  console.log(`ok: ${name}`);
}
