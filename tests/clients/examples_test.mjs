// The launchers of examples/ do what they say: both print the same, leave nothing behind, and the TypeScript one is sound
// for the compiler. EXAMPLES names the folder.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import {processesWith} from './host.mjs';
import {serverParameters} from './server.mjs';

const {command, args} = serverParameters();
const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const workspace = args[args.indexOf('--workspace') + 1];

function run(program, words) {
  const output = execFileSync(program, [...words, command, ...args], {encoding: 'utf8', timeout: 60_000});
  assert.deepEqual(processesWith(workspace), [], 'a launcher ends what it has started');
  return output;
}

// Beside node_modules, where the imports are found.
for (const file of ['launcher.ts', 'tsconfig.json']) fs.copyFileSync(path.join(process.env.EXAMPLES, file), path.join(here, file));
execFileSync(process.execPath, [path.join(here, 'node_modules/typescript/bin/tsc'), '-p', here], {stdio: 'inherit'});

const wanted = 'hello from a cell\n[cell: exit 3]\ncancelled in /tmp\nended';
assert.equal(run(process.execPath, [path.join(here, 'launcher.js')]), `${wanted}\n`);
const launcher = path.join(process.env.EXAMPLES, 'launcher.py');
assert.match(run('python3', ['-B', launcher]), new RegExp(`^${wanted.replace(/[[\]]/g, '\\$&')} with -?\\d+\\n$`));
assert.ok(fs.readFileSync(launcher, 'utf8').split('\n').length <= 61, 'it is short');
