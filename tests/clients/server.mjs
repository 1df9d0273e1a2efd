// How every test here starts the server under test. BASHCELL_UNDER_TEST names the program; BASHCELL_TEST_ARGS, if set,
// holds further arguments, separated by spaces.

import {makeWorkspace} from './host.mjs';

// As StdioClientTransport takes them: the client gives the server only a handful of variables, as real ones do.
export function serverParameters() {
  const program = process.env.BASHCELL_UNDER_TEST;
  if (!program) throw new Error('BASHCELL_UNDER_TEST must name the bashcell program');
  const more = (process.env.BASHCELL_TEST_ARGS ?? '').split(' ').filter((word) => word !== '');
  return {command: program, args: ['--workspace', makeWorkspace(), ...more], stderr: 'inherit'};
}

// The same server with every byte of its stdout copied to FOLDER/<pid>.jsonl. exec keeps the pid and the signals its own.
export function recordedServerParameters(folder) {
  const {command, args, stderr} = serverParameters();
  const script = 'exec "$@" > >(exec tee "$FOLDER/$$.jsonl")';
  return {command: '/bin/bash', args: ['-c', script, 'recorder', command, ...args], env: {FOLDER: folder}, stderr};
}
