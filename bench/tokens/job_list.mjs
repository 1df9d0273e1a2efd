// Ten whole jobs, each done twice: by one-job tools whose every result goes to the model, and by one script.
//
// `steps` are the calls that a careful model makes with the tools of one_job_tools.json; what it needs of their results
// it does in its head, which costs nothing here. `answer` must be in the reply of the script.

const read = (path) => ['read_file', {path}];
const list = (path) => ['list_directory', {path}];
const search = (pattern, path) => ['search_text', {pattern, path}];

export function jobsWith({bestMonth, bestCustomer, bestSum, bestCity, twice, badRequest, slowest, months}) {
  const sales = months.map((month) => read(`jobs/sales/2026-${month}.csv`));
  const logs = ['web', 'worker', 'db'].map((service) => `jobs/incident/${service}.log`);
  return [
    {
      name: 'data: the best month',
      steps: [list('jobs/sales'), ...sales],
      script: `awk -F, 'FNR > 1 { sum[substr($2, 1, 7)] += $4 } END { for (m in sum) print m, sum[m] }' jobs/sales/*.csv |
  sort -k2 -rn`,
      answer: [`2026-${bestMonth[0]} ${bestMonth[1]}`],
    },
    {
      name: 'data: the best customer and where',
      steps: [list('jobs'), list('jobs/sales'), ...sales, read('jobs/customers.csv')],
      script: `best=$(awk -F, 'FNR > 1 { sum[$3] += $4 } END { for (c in sum) print sum[c], c }' jobs/sales/*.csv |
  sort -rn | head -n 1)
echo "$best"; grep "^\${best#* }," jobs/customers.csv`,
      answer: [`${bestSum} ${bestCustomer}`, bestCity],
    },
    {
      name: 'data: order numbers given twice',
      steps: [list('jobs/sales'), ...sales],
      script: 'cut -d, -f1 jobs/sales/*.csv | grep -v order | sort | uniq -d | xargs -I{} grep -Hn ^{}, -r jobs/sales',
      answer: [String(twice)],
    },
    {
      name: 'data: why a payment was declined',
      steps: [list('api'), ...[1, 2, 3, 4, 5].map((page) => read(`api/page-${page}.json`))], // found on the fifth
      script: `jq -r '.data[] | select(.status != "settled") | [.id, .status, .reason] | @tsv' api/page-*.json`,
      answer: ['pay_437', 'card_expired_at_issuer'],
    },
    {
      name: 'logs: the first cause of an incident',
      steps: [
        list('jobs/incident'),
        search('ERROR', logs[0]),
        search(badRequest, logs[1]),
        search(badRequest, logs[2]),
      ],
      script: `id=$(grep -m1 ERROR jobs/incident/web.log | cut -d' ' -f2); grep -h "$id" jobs/incident/*.log`,
      answer: ['disk full on /data'],
    },
    {
      name: 'logs: the slowest requests',
      steps: [list('jobs/incident'), read(logs[0])],
      script: "sort -t' ' -k1,1 jobs/incident/web.log | awk '{ print $(NF-1), $2 }' | sort -rn | head -n 5",
      answer: [slowest],
    },
    {
      name: 'logs: warnings by host',
      steps: [list('jobs/incident'), ...logs.map((log) => search('WARN', log))],
      script: `grep -ho 'after .* was slow' jobs/incident/*.log | cut -d' ' -f2 | sort | uniq -c | sort -rn`,
      answer: [/\d+ db-1\b/],
    },
    {
      name: 'code: what an option sets',
      steps: [
        search('max_chars', 'repo/src'),
        search('max_chars', 'repo/schemas'),
        read('repo/src/config.h'),
        read('repo/src/config.cpp'),
        read('repo/src/tools/render.h'),
      ],
      script:
        'grep -rn max_chars repo/src/config.* repo/src/tools/render.h; grep -A 6 \'"max_chars"\' repo/schemas/config.json',
      answer: ['max_chars', /config\.h:\d+:/],
    },
    {
      name: 'code: who uses a class, and how it looks',
      steps: [
        ['search_files', {path: 'repo/src', pattern: 'unique_fd.h'}],
        read('repo/src/base/unique_fd.h'),
        search('UniqueFd', 'repo/src'),
      ],
      script: `sed -n '/^class UniqueFd/,/^};/p' repo/src/base/unique_fd.h
grep -rlw UniqueFd repo/src | cut -d/ -f3 | sort | uniq -c | sort -rn`,
      answer: ['class UniqueFd', /\d+ engine\b/],
    },
    {
      name: 'code: the longest files',
      steps: [
        ['directory_tree', {path: 'repo/src'}],
        ...[
          'sandbox/sandbox.cpp',
          'mcp/server.cpp',
          'supervisor/supervisor.cpp',
          'supervisor/job.cpp',
          'rpc/connection.cpp',
          'http/client.cpp',
        ].map((file) => read(`repo/src/${file}`)),
      ],
      script: "find repo/src -name '*.cpp' -o -name '*.h' | xargs wc -l | sort -rn | sed -n '2,6p'",
      answer: [/\d+ repo\/src\/\S+\.(cpp|h)/],
    },
  ];
}
