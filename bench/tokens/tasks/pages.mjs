// Answers of a web API: pages of nested objects, compact and indented, among them one payment that failed.

import {Random} from '../random.mjs';
import {writeFile} from '../workspace.mjs';
import {fillers} from '../words.mjs';

const pages = 8;
const perPage = 100;
const reason = 'card_expired_at_issuer';

function payment(random, id) {
  const failed = id === 437;
  return {
    id: `pay_${id}`,
    created: `2026-03-${String(random.between(1, 28)).padStart(2, '0')}T10:${random.between(10, 59)}:00Z`,
    amount: {value: random.between(100, 999999), currency: random.pick(['EUR', 'USD', 'GBP'])},
    customer: {
      id: `cus_${random.hex(8)}`,
      name: fillers.Name(random),
      address: {city: fillers.Name(random), country: random.pick(['DE', 'FR', 'US'])},
    },
    items: [1, 2, 3].map((line) => ({line, sku: random.hex(6), quantity: random.between(1, 5)})),
    status: failed ? 'declined' : 'settled',
    ...(failed ? {reason} : {}),
  };
}

export function make(workspace) {
  const random = new Random(6);
  let dollars = 0;
  for (let page = 1; page <= pages; ++page) {
    const data = [];
    for (let i = 0; i < perPage; ++i) data.push(payment(random, (page - 1) * perPage + i));
    for (const {amount} of data) dollars += amount.currency === 'USD' ? amount.value : 0;
    const answer = {object: 'list', page, pages, has_more: page < pages, data};
    writeFile(workspace, `api/page-${page}.json`, JSON.stringify(answer) + '\n');
    writeFile(workspace, `api/pretty-${page}.json`, JSON.stringify(answer, null, 2) + '\n');
  }
  return {dollars};
}

const keys = ['has_more', 'data', 'customer', 'amount', 'status'];

export const tasks = ({dollars}) => [
  {name: 'json: a page', script: 'cat api/page-1.json', must: [...keys, /\b100\b/]},
  {name: 'json: a page, indented', script: 'cat api/pretty-1.json', must: [...keys, /\b100\b/]},
  {name: 'json: all pages', script: 'cat api/page-*.json', must: keys},
  {name: 'json: all pages, indented, one reason', script: 'jq . api/page-*.json', must: [...keys, reason]},
  {
    name: 'json: each payment',
    script: "jq -c '.data[] | {id, status, reason, value: .amount.value}' api/page-*.json",
    must: [/"id":"pay_0","status":"settled"/, reason],
  },
  {
    name: 'json: sum by jq',
    script: 'jq -s \'[.[].data[] | select(.amount.currency == "USD") | .amount.value] | add\' api/page-*.json',
    must: [String(dollars)],
  },
];
