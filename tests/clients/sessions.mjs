// The two official client libraries behind one face, so that all of them are put through the same steps.

import {Client as ClientV2} from '@modelcontextprotocol/client';
import {StdioClientTransport as TransportV2} from '@modelcontextprotocol/client/stdio';
import {Client as ClientV1} from '@modelcontextprotocol/sdk/client/index.js';
import {StdioClientTransport as TransportV1} from '@modelcontextprotocol/sdk/client/stdio.js';

const clientInfo = {name: 'bashcell-client-test', version: '1.0.0'};

// What connect() is to end in.
const kinds = {
  legacy: {version: '2025-11-25', make: () => newV2('legacy')},
  auto: {version: '2026-07-28', make: () => newV2('auto')},
  pinned: {version: '2026-07-28', make: () => newV2({pin: '2026-07-28'})},
  v1: {version: '2025-11-25', make: newV1},
};

export const kindNames = Object.keys(kinds);

function newV2(mode) {
  const client = new ClientV2(clientInfo, {versionNegotiation: {mode}});
  return {
    client,
    newTransport: (parameters) => new TransportV2(parameters),
    callTool: (parameters, options) => client.callTool(parameters, options),
    version: () => client.getNegotiatedProtocolVersion(),
  };
}

function newV1() {
  const client = new ClientV1(clientInfo, {capabilities: {}});
  let version;
  return {
    client,
    // v1 tells the negotiated version to its transport only.
    newTransport(parameters) {
      const transport = new TransportV1(parameters);
      transport.setProtocolVersion = (value) => { version = value; };
      return transport;
    },
    callTool: (parameters, options) => client.callTool(parameters, undefined, options),
    version: () => version,
  };
}

// A connected client of that kind. `strays` collects what the library could make no sense of: answers to unknown ids (as
// after a cancel), lines that are no message.
export async function openSession(kind, parameters) {
  const {version, make} = kinds[kind];
  const parts = make();
  const strays = [];
  const transport = parts.newTransport(parameters);
  parts.client.onerror = (error) => strays.push(error);
  const sent = new Map();  // id -> method, for who wants to judge the answers
  const send = transport.send.bind(transport);
  transport.send = (message) => {
    if (message.id !== undefined && message.method) sent.set(message.id, message.method);
    return send(message);
  };
  await parts.client.connect(transport);
  return {...parts, transport, strays, sent, wantedVersion: version, pid: transport.pid};
}
