// Failing test runs: pytest (a stand-in that prints what pytest does; the machine need not have it) and a real ctest.

import {Random} from '../random.mjs';
import {writeFile} from '../workspace.mjs';

const tests = 300;
const failing = [71, 233];
const modules = ['cart', 'checkout', 'invoice', 'login', 'search', 'stock'];
const nodeId = (i) =>
  `tests/test_${modules[Math.floor((i * modules.length) / tests)]}.py::test_case_${String(i).padStart(3, '0')}`;

function fixturesOf(random) {
  const lines = [];
  for (let i = 0; i < 8; ++i)
    lines.push(`    item_${i} = Item(sku='${random.hex(6)}', price=${random.between(100, 9999)})`);
  return lines.join('\n');
}

function pytestOutput() {
  const random = new Random(3);
  const lines = [
    '============================= test session starts ==============================',
    'platform linux -- Python 3.11.2, pytest-7.2.1, pluggy-1.0.0',
    'rootdir: /workspace/app',
    'plugins: anyio-3.6.2, cov-4.0.0',
    `collecting ... collected ${tests} items`,
    '',
  ];
  for (let i = 0; i < tests; ++i) {
    const percent = String(Math.floor((100 * (i + 1)) / tests)).padStart(3);
    lines.push(`${nodeId(i)} ${failing.includes(i) ? 'FAILED' : 'PASSED'}`.padEnd(72) + ` [${percent}%]`);
  }
  lines.push('', '=================================== FAILURES ===================================');
  for (const i of failing) {
    const [file, name] = nodeId(i).split('::');
    lines.push(
      `_________________________________ ${name} _________________________________`,
      '',
      `    def ${name}(shop):`,
      fixturesOf(random),
      `        total = shop.total([item_0, item_7])`,
      `>       assert total == ${i * 100}`,
      `E       assert ${i * 100 - 1} == ${i * 100}`,
      '',
      `${file}:${i + 12}: AssertionError`,
    );
  }
  lines.push('=========================== short test summary info ============================');
  for (const i of failing) lines.push(`FAILED ${nodeId(i)} - assert ${i * 100 - 1} == ${i * 100}`);
  lines.push('======================== 2 failed, 298 passed in 4.71s =========================', '');
  return lines.join('\n');
}

function ctestFile() {
  const lines = [];
  for (let i = 0; i < tests; ++i) {
    if (i === 140)
      lines.push(
        `add_test(ledger_rounds_down "/bin/sh" "-c" "echo 'ledger_test.cpp:88: expected 41, got 42'; exit 1")`,
      );
    else lines.push(`add_test(${modules[i % modules.length]}_case_${i} "/bin/true")`);
  }
  return lines.join('\n') + '\n';
}

export function make(workspace) {
  writeFile(workspace, 'app/pytest_says.txt', pytestOutput());
  // Running python3 -m pytest in this folder finds this one first.
  writeFile(workspace, 'app/pytest.py', "import sys\nsys.stdout.write(open('pytest_says.txt').read())\nsys.exit(1)\n");
  writeFile(workspace, 'app/ctest/CTestTestfile.cmake', ctestFile());
  return {};
}

const pytestFacts = failing
  .flatMap((i) => [nodeId(i), `assert ${i * 100 - 1} == ${i * 100}`])
  .concat('2 failed, 298 passed');

export const tasks = () => [
  {
    name: 'tests: pytest -v, 2 of 300 fail',
    script: '(cd app && python3 -m pytest -v)',
    must: [...pytestFacts, '[cell: exit 1'],
  },
  {
    name: 'tests: ctest, 1 of 300 fails',
    script: '(cd app/ctest && ctest --output-on-failure)',
    must: [
      'ledger_rounds_down',
      'ledger_test.cpp:88: expected 41, got 42',
      '1 tests failed out of 300',
      '[cell: exit 8',
    ],
  },
  {
    name: 'tests: pytest | tail',
    script: '(cd app && python3 -m pytest -v | tail -n 4)',
    must: ['2 failed, 298 passed', nodeId(failing[1])],
  },
];
