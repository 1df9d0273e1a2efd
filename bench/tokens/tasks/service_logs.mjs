// A web server's log of 50 MB, and a service's of 100,000 lines with one error.

import {styles} from '../log_styles.mjs';
import {Random} from '../random.mjs';
import {writePieces} from '../workspace.mjs';
import {counted} from './facts.mjs';

const accessBytes = 50_000_000;
const serverErrors = 12;
const busiest = '10.9.8.7';
const serviceLines = 100_000;
const serviceError = 'payment provider said no: card vault sealed since 02:11';

const paths = [
  '/',
  '/cart',
  '/checkout',
  '/search?q=lamp',
  '/static/app.js',
  '/static/app.css',
  '/api/orders',
  '/api/items?page=2',
];
const agents = [
  'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/128.0',
  'curl/7.88.1',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5)',
];

function accessLine(random, ip, status) {
  const hour = String(random.between(0, 23)).padStart(2, '0');
  const time = `14/Mar/2026:${hour}:${random.between(10, 59)}:${random.between(10, 59)} +0000`;
  const request = `"GET ${random.pick(paths)} HTTP/1.1" ${status} ${random.between(200, 90000)}`;
  return `${ip} - - [${time}] ${request} "-" "${random.pick(agents)}"\n`;
}

// Pieces of a thousand lines until there are 50 MB; a failing request in the first line of some of them.
function* accessLog(counts) {
  const random = new Random(4);
  for (let bytes = 0, piece = 0; bytes < accessBytes; ++piece) {
    const lines = [];
    for (let i = 0; i < 1000; ++i) {
      const ip = random.chance(0.03)
        ? busiest
        : `10.${random.between(0, 7)}.${random.between(0, 99)}.${random.between(1, 254)}`;
      const broken = i === 0 && piece % 20 === 5 && counts.broken < serverErrors;
      if (broken) ++counts.broken;
      if (ip === busiest) ++counts.busiest;
      lines.push(accessLine(random, ip, broken ? 500 : random.pick([200, 200, 200, 200, 304, 302, 404])));
    }
    counts.lines += lines.length;
    const text = lines.join('');
    bytes += text.length;
    yield text;
  }
}

function* serviceLog() {
  const random = new Random(5);
  const style = styles.service(random);
  for (let i = 0; i < serviceLines; ++i) yield `${i === 70_007 ? style.dress(serviceError, true) : style.line(i)}\n`;
}

export function make(workspace) {
  const counts = {lines: 0, broken: 0, busiest: 0};
  writePieces(workspace, 'logs/access.log', accessLog(counts));
  writePieces(workspace, 'logs/service.log', serviceLog());
  return counts;
}

export const tasks = ({lines, broken, busiest: hits}) => [
  {
    name: 'access log, 50 MB: cat',
    timeout: 120,
    script: 'cat logs/access.log',
    must: [counted(lines), /"GET \S+ HTTP\/1.1" \d{3} /],
  },
  {
    name: 'access log, 50 MB: statuses',
    timeout: 120,
    script: `awk '{ count[$9]++ } END { for (s in count) print s, count[s] }' logs/access.log | sort`,
    must: [`500 ${broken}`],
  },
  {
    name: 'access log, 50 MB: busiest clients',
    timeout: 120,
    script: "cut -d' ' -f1 logs/access.log | sort | uniq -c | sort -rn | head -n 5",
    must: [`${hits} ${busiest}`],
  },
  {
    name: 'access log, 50 MB: failed ones',
    timeout: 120,
    script: `grep '" 500 ' logs/access.log | wc -l`,
    must: [String(broken)],
  },
  {name: 'service log: cat, one error', script: 'cat logs/service.log', must: [serviceError]},
  {name: 'service log: grep', script: 'grep -n ERROR logs/service.log', must: [serviceError]},
];
