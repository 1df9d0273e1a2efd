// A CSV file of 100,000 orders: looked at whole, in part, and by its sums.

import {Random} from '../random.mjs';
import {writeFile} from '../workspace.mjs';
import {counted} from './facts.mjs';

const header = 'order_id,date,customer,region,product,quantity,unit_price,status';
const regions = ['north', 'south', 'east', 'west', 'overseas'];
const products = ['lamp', 'desk', 'chair', 'shelf', 'mirror', 'carpet', 'sofa', 'stool'];
const rows = 100_000;
const badRow = 61_803;

function orders() {
  const random = new Random(1);
  const lines = [header];
  const cents = Object.fromEntries(regions.map((region) => [region, 0]));
  for (let id = 1; id <= rows; ++id) {
    const region = random.pick(regions);
    const quantity = random.between(1, 9);
    const price = random.between(500, 99999);
    const status = random.chance(0.05) ? 'returned' : 'paid';
    if (status === 'paid') cents[region] += quantity * price;
    const date = `2026-${String(random.between(1, 12)).padStart(2, '0')}-${String(random.between(1, 28)).padStart(2, '0')}`;
    lines.push(
      [
        id,
        date,
        `C${random.between(1000, 4999)}`,
        region,
        random.pick(products),
        quantity,
        (price / 100).toFixed(2),
        status,
      ].join(','),
    );
  }
  return {text: lines.join('\n') + '\n', cents};
}

export function make(workspace) {
  const {text, cents} = orders();
  writeFile(workspace, 'shop/orders.csv', text);
  writeFile(
    workspace,
    'shop/check.py',
    `import csv
for row in csv.DictReader(open('shop/orders.csv')):
    price = float(row['unit_price']) if row['order_id'] != '${badRow}' else None
    print(f"order {row['order_id']}: {row['quantity']} x {row['product']} at {price if price else 'n/a: unit_price is not a number'}")
`,
  );
  const [best, sum] = Object.entries(cents).sort((a, b) => b[1] - a[1])[0];
  return {best, sum: (sum / 100).toFixed(2)};
}

export const tasks = ({best, sum}) => [
  {name: 'csv: cat', largeFile: true, script: 'cat shop/orders.csv', must: [header, /100,?00[01]/]},
  {name: 'csv: head', script: 'head -n 5 shop/orders.csv; wc -l shop/orders.csv', must: [header, '100001']},
  {
    name: 'csv: one status',
    script: "grep ',returned$' shop/orders.csv",
    must: [/^\d+,2026-.*,returned$/m, (raw) => counted(raw.lines)],
  },
  {
    name: 'csv: sum by awk',
    script: `awk -F, 'NR > 1 && $8 == "paid" { sum[$4] += $6 * $7 } END { for (r in sum) printf "%s %.2f\\n", r, sum[r] }' \\
  shop/orders.csv | sort -k2 -rn`,
    must: [`${best} ${sum}`],
  },
  {
    name: 'csv: sum by python',
    script: `python3 - <<'END'
import csv, collections
sums = collections.Counter()
for row in csv.DictReader(open('shop/orders.csv')):
    if row['status'] == 'paid':
        sums[row['region']] += int(row['quantity']) * float(row['unit_price'])
for region, total in sums.most_common():
    print(f'{region:10} {total:15,.2f}')
END`,
    must: [best, Number(sum).toLocaleString('en-US', {minimumFractionDigits: 2})],
  },
  {
    name: 'csv: check each row',
    script: 'python3 shop/check.py',
    must: [`order ${badRow}:`, 'unit_price is not a number'],
  },
];
