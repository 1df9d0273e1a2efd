// Output that no one would read whole: endless, redrawn, binary, the machine's own files; and output that is short.

import fs from 'node:fs';

import {Random} from '../random.mjs';
import {writeFile} from '../workspace.mjs';
import {counted, sized} from './facts.mjs';

const floodBytes = 4 * 1024 ** 3;
const floodLine = 'frame decoded, 1920x1080, 33 ms';
const randomBytes = 3_000_000;

export function make(workspace) {
  const random = new Random(7);
  const bytes = Buffer.alloc(randomBytes);
  for (let i = 0; i < randomBytes; i += 4) bytes.writeUInt32LE(random.between(0, 0xffffffff), i);
  writeFile(workspace, 'streams/noise.bin', bytes);
  writeFile(
    workspace,
    'streams/progress.py',
    `import sys
for step in range(20001):
    sys.stdout.write('\\rfetching model: %5.1f%% [%-40s] %d/20000 kB' % (step / 200, '#' * (step // 500), step))
print('\\nchecksum b5bb9d80 matches')
`,
  );
  return {elfBytes: fs.statSync('/bin/bash').size};
}

export const tasks = ({elfBytes}) => [
  {
    name: 'flood of 4 GB, error at the end',
    timeout: 280,
    endless: {bytes: floodBytes, sample: `${floodLine}\n`},
    script: `yes '${floodLine}' | head -c ${floodBytes}; echo; echo 'decoder: frame 134217728 is cut short' >&2; exit 4`,
    must: [floodLine, 'decoder: frame 134217728 is cut short', '[cell: exit 4'],
  },
  {name: 'progress bar', script: 'python3 streams/progress.py', must: [/100\.0%/, 'checksum b5bb9d80 matches']},
  {name: 'binary: cat of a program', script: 'cat /bin/bash', must: [sized(elfBytes), /binary|ELF/i]},
  {name: 'binary: noise', script: 'cat streams/noise.bin', must: [sized(randomBytes), /binary/i]},
  {name: 'find /usr', timeout: 120, script: 'find /usr', must: [/^\/usr$/m, (raw) => counted(raw.lines)]},
  {name: 'find /usr, then count', timeout: 120, script: "find /usr -type f -name '*.so*' | wc -l", must: [/^\d+$/m]},
  {
    name: 'grep in /usr/include',
    script: "grep -rn 'define' /usr/include/linux",
    must: [/^\/usr\/include\/linux\S+:\d+:/m, (raw) => counted(raw.lines)],
  },
  {name: 'short: echo', script: 'echo ok', must: ['ok']},
  {name: 'short: ls -l', script: 'ls -l shop build app', must: ['orders.csv', 'build.log']},
  {
    name: 'short: a failing command',
    script: 'cat shop/orders.txt',
    must: ['No such file or directory', '[cell: exit 1'],
  },
  {name: 'short: df, free, uname', script: 'uname -s; df -h /tmp; nproc', must: ['Linux', 'Mounted on']},
];
