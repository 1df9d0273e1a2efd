// Builds of 6,000 files in which one fails: by a real make whose recipes only print, and as a stored log.

import {Random} from '../random.mjs';
import {writeFile} from '../workspace.mjs';
import {fill} from '../words.mjs';

const files = 6000;
const compilerError =
  "src/net/retry_queue.c:217:23: error: 'struct retry_queue' has no member named 'dealine'; did you mean 'deadline'?";
const compilerSays = `src/net/retry_queue.c: In function 'retry_queue_push':
${compilerError}
  217 |   if (queue->dealine < now) return -1;
      |              ^~~~~~~
      |              deadline
`;

function objects() {
  const random = new Random(2);
  const names = [];
  for (let i = 0; i < files; ++i) names.push(fill(`{stem}_${i}`, random));
  return names;
}

// $(info) prints without starting a shell, so that 6,000 recipes take no time.
function makefile(names, failing) {
  const rules = names.map((name, i) =>
    i === failing
      ? 'failing:\n\t@echo "  CC      src/net/retry_queue.o"; cat compiler_says.txt >&2; exit 1\n'
      : `o${i}:\n\t$(info   CC      ${name}.o)\n`,
  );
  const targets = names.map((_, i) => (i === failing ? 'failing' : `o${i}`));
  return `all: ${targets.join(' ')}\n\t$(info   LD      app)\n.PHONY: all ${targets.join(' ')}\n${rules.join('')}`;
}

function storedLog(names) {
  const lines = names.map((name, i) => `[${i + 1}/6000] Building C object CMakeFiles/app.dir/${name}.c.o`);
  lines.splice(files / 2, 0, compilerError);
  return lines.join('\n') + '\n';
}

export function make(workspace) {
  const names = objects();
  writeFile(workspace, 'build/compiler_says.txt', compilerSays);
  writeFile(workspace, 'build/middle.mk', makefile(names, files / 2));
  writeFile(workspace, 'build/end.mk', makefile(names, files - 1));
  writeFile(workspace, 'build/build.log', storedLog(names));
  writeFile(
    workspace,
    'build/compile.sh',
    `#!/bin/bash
# Reports to stdout; what the compiler has to say goes to stderr.
while read -r line; do
  echo "$line"
  [[ "$line" != *"1500/6000"* ]] || cat build/compiler_says.txt >&2
done < <(grep Building build/build.log)
echo "1 of 6000 failed"
exit 1
`,
    0o755,
  );
  writeFile(
    workspace,
    'build/package.sh',
    `#!/bin/bash
# Fails, and says nothing of it in its last line.
for i in {1..400}; do echo "packing part $i"; done
echo "package: part 7 is missing its manifest"
echo "package: done in 4 s"
exit 3
`,
    0o755,
  );
  return {};
}

export const tasks = () => [
  {name: 'build: log, error in the middle', script: 'cat build/build.log', must: [compilerError]},
  {
    name: 'build: make -k, error in the middle',
    script: '(cd build && make -k -f middle.mk)',
    must: [compilerError, /failing\] Error 1/, '[cell: exit 2'],
  },
  {
    name: 'build: make, error at the end',
    script: '(cd build && make -f end.mk)',
    must: [compilerError, '[cell: exit 2'],
  },
  {
    name: 'build: error on stderr',
    script: 'build/compile.sh',
    must: [compilerError, '1 of 6000 failed', '[cell: exit 1'],
  },
  {name: 'build: failing | tail -1', script: 'build/package.sh | tail -1', must: ['done in 4 s', /\b3\|0\b/]},
  {
    name: 'build: all, then count',
    script: "grep -c Building build/build.log; grep -n 'error:' build/build.log",
    must: ['6000', compilerError],
  },
];
