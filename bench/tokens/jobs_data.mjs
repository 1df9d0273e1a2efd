// The data of the whole jobs: half a year of sales, and the logs of an incident in three services.

import {Random} from './random.mjs';
import {fillers} from './words.mjs';
import {writeFile} from './workspace.mjs';

const months = ['01', '02', '03', '04', '05', '06'];
const customers = 300;
const salesPerMonth = 400;
const logLines = 1500;
const badRequest = 'req-7f3a9c';

function makeSales(workspace) {
  const random = new Random(11);
  const total = {};
  const spent = {};
  const cities = {};
  const people = ['id,name,city'];
  for (let i = 1; i <= customers; ++i) {
    cities[`C${i}`] = fillers.Name(random);
    people.push(`C${i},${fillers.Name(random)} ${fillers.Name(random)},${cities[`C${i}`]}`);
  }
  writeFile(workspace, 'jobs/customers.csv', people.join('\n') + '\n');
  let id = 1000;
  for (const month of months) {
    const lines = ['order,date,customer,amount'];
    total[month] = 0;
    for (let i = 0; i < salesPerMonth; ++i) {
      const customer = `C${random.between(1, customers)}`;
      const amount = random.between(5, 900);
      total[month] += amount;
      spent[customer] = (spent[customer] ?? 0) + amount;
      // One order number is given twice.
      const order = month === '04' && i === 250 ? id : ++id;
      const day = String(1 + Math.floor(i / 15)).padStart(2, '0');
      lines.push(`${order},2026-${month}-${day},${customer},${amount}`);
    }
    writeFile(workspace, `jobs/sales/2026-${month}.csv`, lines.join('\n') + '\n');
  }
  const byTotal = Object.entries(total).sort((a, b) => b[1] - a[1])[0];
  const best = Object.entries(spent).sort((a, b) => b[1] - a[1])[0];
  return {
    bestMonth: byTotal,
    bestCustomer: best[0],
    bestSum: best[1],
    bestCity: cities[best[0]],
    twice: 1000 + 3 * salesPerMonth + 250,
  };
}

function makeIncident(workspace) {
  const random = new Random(12);
  const slowest = {ms: 0};
  for (const service of ['web', 'worker', 'db']) {
    const lines = [];
    for (let i = 0; i < logLines; ++i) {
      const time = new Date(Date.UTC(2026, 2, 14, 2, 0, 0) + i * 700).toISOString();
      const ms = random.betweenByMagnitude(1, 900);
      const request = `req-${random.hex(6)}`;
      if (service === 'web' && ms > slowest.ms) Object.assign(slowest, {ms, request});
      const noisy = random.chance(0.02)
        ? `WARN retry after ${fillers.host(random)} was slow`
        : `INFO ${fillers.verb(random)} ${fillers.name(random)} done`;
      lines.push(`${time} ${request} ${noisy} in ${ms} ms`);
      if (i === 900) {
        const what = {
          web: 'ERROR checkout failed: 502 from worker',
          worker: 'ERROR no answer from db for charge',
          db: 'ERROR disk full on /data: commit refused',
        };
        lines.push(`${time} ${badRequest} ${what[service]}`);
      }
    }
    writeFile(workspace, `jobs/incident/${service}.log`, lines.join('\n') + '\n');
  }
  return {badRequest, slowest: slowest.request};
}

export function makeJobsData(workspace) {
  return {...makeSales(workspace), ...makeIncident(workspace), months};
}
