// Every line the server writes to official clients is valid against the official schema of the version that they speak,
// and legacy clients get nothing of the modern version (some print every member to the model).

import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import {judge} from './schemas.mjs';
import {openSession} from './sessions.mjs';
import {recordedServerParameters} from './server.mjs';

async function use(session) {
  const options = {timeout: 60_000};
  const call = (name, args, more) => session.callTool({name, arguments: args}, {...options, ...more});
  await session.client.listTools();
  await call('bash', {command: 'printf "a\\0b\\033[31m\\377 text\\n"; exit 4'});
  await call('bash', {command: 'yes | head -c 100000'});
  await call('bash', {command: 'sleep 5.5'}, {onprogress() {}});
  await call('bash', {command: 'sleep 9', timeout: 1});
  await call('bash', {command: 7});
  await assert.rejects(call('no_such_tool', {}));
  for (const {name} of (await session.client.listPrompts()).prompts) await session.client.getPrompt({name});
  await assert.rejects(session.client.getPrompt({name: 'no-such-prompt'}));
  await assert.rejects(session.client.request({method: 'resources/list', params: {}},
    {parse: (value) => value, safeParse: (value) => ({success: true, data: value})}));
  const abort = new AbortController();
  const cancelled = assert.rejects(call('bash', {command: 'sleep 60'}, {signal: abort.signal}));
  abort.abort();
  await cancelled;
  await call('bash', {command: 'echo after the cancel'});
}

// The messages of one server process, judged. Returns the counts of each kind.
function judgeAll(text, version, sent) {
  const counts = {};
  assert.ok(text.endsWith('\n'), 'the last line is whole');
  for (const line of text.slice(0, -1).split('\n')) {
    const message = JSON.parse(line);
    const kind = judge(version, message, sent.get(message.id));
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

const modernOnly = /"(resultType|ttlMs|cacheScope)"|io\.modelcontextprotocol\//;

for (const kind of ['legacy', 'pinned']) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'client-record-'));
  process.on('exit', () => fs.rmSync(folder, {recursive: true, force: true}));
  const session = await openSession(kind, recordedServerParameters(folder));
  await use(session);
  await session.client.close();
  const records = fs.readdirSync(folder);
  assert.ok(records.includes(`${session.pid}.jsonl`));
  for (const record of records) {
    const main = record === `${session.pid}.jsonl`;
    const text = fs.readFileSync(path.join(folder, record), 'utf8');
    if (text === '' && !main) continue;  // a probe that was ended before it answered
    // The library's probe runs in a process of its own and asks one thing only.
    const sent = main ? session.sent : {get: () => 'server/discover'};
    const counts = judgeAll(text, session.wantedVersion, sent);
    console.log(`${kind}, ${main ? 'session' : 'probe'}: valid: ${JSON.stringify(counts)}`);
    if (main) assert.ok(counts.CallToolResult >= 6 && counts.ServerNotification >= 1);
    if (kind === 'legacy') assert.doesNotMatch(text, modernOnly);
  }
}
