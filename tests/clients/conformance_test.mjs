// The official conformance suite against the server behind bridge.mjs: the scenarios that apply to a server with one tool.
// Scenarios that need tools, prompts and resources of the suite's own cannot.

import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

import {startBridge} from './bridge.mjs';
import {serverParameters} from './server.mjs';

const scenarios = [  // [name, version of the specification]
  ['server-initialize', '2025-06-18'],
  ['server-initialize', '2025-11-25'],
  ['ping', '2025-11-25'],
  ['tools-list', '2025-06-18'],
  ['tools-list', '2025-11-25'],
  ['tools-list', '2026-07-28'],
  ['prompts-list', '2026-07-28'],
  ['caching', '2026-07-28'],
  ['server-stateless', '2026-07-28'],
];

// Checks that need what the server does not have: the suite fails them, and each must fail for that very reason.
const notApplicable = {
  'sep-2549-resources-list-caching-hints': /-32601: Method not found/,
  'sep-2549-resources-templates-list-caching-hints': /-32601: Method not found/,
  'sep-2575-server-rejects-undeclared-capability': /^Not testable: server does not list the diagnostic tool/,
  'sep-2575-missing-capability-http-400': /^Not testable: server does not list the diagnostic tool/,
  'sep-2575-http-server-no-independent-requests-on-stream': /^Not testable: server does not list the diagnostic tool/,
  'sep-2575-server-no-log-without-loglevel': /^Not testable: server does not list the diagnostic tool/,
};

const suite = fileURLToPath(new URL('node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url));
const hooks = fileURLToPath(new URL('conformance_node.mjs', import.meta.url));

function run(argv) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, argv, {stdio: ['ignore', 'pipe', 'pipe']});
    let output = '';
    child.stdout.on('data', (piece) => { output += piece; });
    child.stderr.on('data', (piece) => { output += piece; });
    child.on('close', (code) => resolve({code, output}));
  });
}

function checksIn(folder) {
  return fs.readdirSync(folder, {recursive: true}).filter((file) => file.endsWith('checks.json'))
    .flatMap((file) => JSON.parse(fs.readFileSync(path.join(folder, file), 'utf8')));
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'conformance-'));
process.on('exit', () => fs.rmSync(folder, {recursive: true, force: true}));
const bridge = await startBridge(serverParameters());
const failures = [];
const missing = new Set(Object.keys(notApplicable));
const total = {};
for (const [scenario, version] of scenarios) {
  const results = path.join(folder, `${scenario}-${version}`);
  const {output} = await run(['--import', hooks, suite, 'server', '--url', bridge.url, '--scenario', scenario,
    '--spec-version', version, '-o', results]);
  const counts = {};
  for (const {id, status, errorMessage} of fs.existsSync(results) ? checksIn(results) : []) {
    const applies = status !== 'FAILURE' || !notApplicable[id]?.test(errorMessage);
    if (!applies) missing.delete(id);
    const kind = applies ? status : 'NOT APPLICABLE';
    counts[kind] = (counts[kind] ?? 0) + 1;
    total[kind] = (total[kind] ?? 0) + 1;
    if (kind === 'FAILURE' || kind === 'WARNING') failures.push(`${version} ${scenario}: ${kind} ${id}: ${errorMessage}`);
  }
  console.log(`${version} ${scenario}: ${JSON.stringify(counts)}`);
  if (!counts.SUCCESS) failures.push(`${version} ${scenario}: nothing was checked\n${output}`);
}
console.log(`${scenarios.length} scenarios: ${JSON.stringify(total)}`);
const strays = bridge.strays.map((line) => JSON.parse(line).method ?? line);
assert.equal(await bridge.close(), 0, 'exit code of the server at the end of input');
assert.deepEqual(failures, []);
assert.deepEqual([...missing], [], 'these apply by now: hold the server against them');
assert.deepEqual(strays, [], 'nothing came that was not asked for');
