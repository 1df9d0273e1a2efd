// What a model pays for the tool: name, description and inputSchema as sent, at most 100 tokens of o200k_base.

import assert from 'node:assert/strict';

import {encode} from 'gpt-tokenizer/encoding/o200k_base';

import {openSession} from './sessions.mjs';
import {serverParameters} from './server.mjs';

const allowed = 100;

const session = await openSession('legacy', serverParameters());
const {tools} = await session.client.listTools();
await session.client.close();
assert.equal(tools.length, 1);

const {name, description, inputSchema} = tools[0];
const sent = JSON.stringify({name, description, inputSchema});
const count = encode(sent).length;
console.log(sent);
console.log(`${count} tokens (o200k_base), ${allowed} allowed`);
assert.ok(count <= allowed, `the tool costs ${count} tokens, ${allowed} are allowed`);
