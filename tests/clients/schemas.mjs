// The official schemas of all versions (schema/<version>.json), and what of them a line of the server has to be.

import assert from 'node:assert/strict';
import fs from 'node:fs';

import Ajv from 'ajv';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export const modernVersion = '2026-07-28';
export const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', modernVersion];

const resultOf = {
  'initialize': 'InitializeResult',
  'server/discover': 'DiscoverResult',
  'tools/list': 'ListToolsResult',
  'tools/call': 'CallToolResult',
  'prompts/list': 'ListPromptsResult',
  'prompts/get': 'GetPromptResult',
  'ping': 'EmptyResult',
};

// The versions up to 2025-06-18 are in JSON Schema draft 7, and have other names for two things.
function load(version) {
  const schema = JSON.parse(fs.readFileSync(new URL(`schema/${version}.json`, import.meta.url), 'utf8'));
  const old = schema.definitions !== undefined;
  const ajv = new (old ? Ajv : Ajv2020)({strict: false, allErrors: true});
  addFormats(ajv);
  ajv.addSchema({...schema, $id: 'mcp'});
  const names = old ? {JSONRPCResultResponse: 'JSONRPCResponse', JSONRPCErrorResponse: 'JSONRPCError'} : {};
  return (definition, value, line) => {
    const name = names[definition] ?? definition;
    const validate = ajv.getSchema(`mcp#/${old ? 'definitions' : '$defs'}/${name}`);
    assert.ok(validate, `the schema of ${version} defines ${name}`);
    assert.ok(validate(value), `no valid ${name} of ${version}: ${line}\n${ajv.errorsText(validate.errors)}`);
  };
}

const loaded = new Map();

// Throws unless `message` is what the schema of that version says; `method` is that of the request which it answers.
// Returns what it is.
export function judge(version, message, method) {
  if (!loaded.has(version)) loaded.set(version, load(version));
  const check = loaded.get(version);
  const line = JSON.stringify(message);
  if (message.method !== undefined && message.id !== undefined) {
    check('JSONRPCRequest', message, line);
    check('ServerRequest', message, line);
    return 'ServerRequest';
  }
  if (message.method !== undefined) {
    check('JSONRPCNotification', message, line);
    check('ServerNotification', message, line);
    return 'ServerNotification';
  }
  if (message.error !== undefined && message.id === null) {
    // JSON-RPC's own answer to what cannot be read. No version has a form for it where the id is required: all but that is judged.
    check('JSONRPCErrorResponse', {...message, id: 0}, line);
    return 'error without an id';
  }
  if (message.error !== undefined) {
    check('JSONRPCErrorResponse', message, line);
    return 'JSONRPCErrorResponse';
  }
  const kind = resultOf[method];
  assert.ok(kind, `an answer to ${method}: ${line}`);
  check('JSONRPCResultResponse', message, line);
  check(kind, message.result, line);
  return kind;
}
