// node transcripts_test.mjs RUN_TRANSCRIPT SERVER FILE...: plays transcripts, and holds every line that the server really wrote against
// the official schema of the version that was spoken.

import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import {judge, modernVersion, versions} from './schemas.mjs';

const claim = 'io.modelcontextprotocol/protocolVersion';
const [player, server, ...files] = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transcripts-'));
process.on('exit', () => fs.rmSync(folder, {recursive: true, force: true}));

// Stands before the server, keeps its pid, and copies both directions.
const recorder = path.join(folder, 'recorder');
fs.writeFileSync(recorder, `#!/bin/bash
exec "$SERVER" "$@" < <(exec tee "$RECORD.in") > >(exec tee "$RECORD.out")
`, {mode: 0o755});

function play(file, record) {
  return new Promise((resolve) => {
    const child = spawn(player, ['--server', recorder, file],
      {env: {...process.env, SERVER: server, RECORD: record}, stdio: ['ignore', 'pipe', 'inherit']});
    let output = '';
    child.stdout.on('data', (piece) => { output += piece; });
    child.on('close', (code) => resolve({code, output}));
  });
}

// What lines hold, of those that hold anything: transcripts send much that is no message.
function messagesIn(file) {
  return fs.readFileSync(file).toString('latin1').split('\n').flatMap((line) => {
    try {
      return JSON.parse(Buffer.from(line, 'latin1').toString('utf8').replace(/^\uFEFF/, ''));
    } catch {
      return [];
    }
  }).filter((message) => message !== null && typeof message === 'object');
}

// The requests by id, each with the version that is spoken with it, in the order in which they were sent.
function requestsIn(sent, answers) {
  const requests = new Map();
  let legacy = '2025-11-25';
  for (const message of sent) {
    if (message.method === 'initialize') {
      const answer = answers.find((one) => one.id === message.id && one.result?.protocolVersion);
      legacy = answer?.result.protocolVersion ?? legacy;
    }
    const version = message.params?._meta?.[claim] === undefined ? legacy : modernVersion;
    const key = JSON.stringify(message.id);
    requests.set(key, [...requests.get(key) ?? [], {method: message.method, version}]);
    const token = message.params?._meta?.progressToken;
    if (token !== undefined) requests.set(`progress ${JSON.stringify(token)}`, [{version}]);
  }
  return {requests, legacy};
}

const counts = Object.fromEntries(versions.map((version) => [version, {}]));
let lines = 0;
for (const file of files) {
  const record = path.join(folder, 'record');
  const {code, output} = await play(file, record);
  assert.equal(code, 0, `${file}: ${output}`);
  const text = fs.readFileSync(`${record}.out`, 'utf8');
  const answers = text.split('\n').slice(0, -1).flatMap((line) => JSON.parse(line));
  const {requests, legacy} = requestsIn(messagesIn(`${record}.in`), answers);
  for (const answer of answers) {
    const asked = answer.method === undefined ? requests.get(JSON.stringify(answer.id))?.shift()
      : requests.get(`progress ${JSON.stringify(answer.params?.progressToken)}`)?.[0];
    const version = asked?.version ?? legacy;
    try {
      const kind = judge(version, answer, asked?.method);
      counts[version][kind] = (counts[version][kind] ?? 0) + 1;
    } catch (error) {
      throw new Error(`${file}: ${error.message}`);
    }
    lines += 1;
  }
}
for (const version of versions) {
  const all = Object.values(counts[version]).reduce((sum, count) => sum + count, 0);
  console.log(`${version}: ${all} valid: ${JSON.stringify(counts[version])}`);
  assert.ok(Object.keys(counts[version]).length > 0, `no transcript speaks ${version}`);
}
console.log(`${files.length} transcripts, ${lines} messages of the server, all valid`);
