// The tasks one by one: what the reply costs, whether it holds the facts, and what the usual ways to cut would leave.

import fs from 'node:fs';
import path from 'node:path';

import {countFile, countTokens} from './count.mjs';
import {headAndTail, headOnly} from './rivals.mjs';
import {missingFacts} from './tasks/facts.mjs';
import {amount, percent, printLongest, printTable} from './terminal.mjs';

// No model reads more in one piece.
const window = 200_000;

// The same script with its output sent to a file: what there was to say, and how long it takes without us.
async function runIntoFile(client, workspace, task) {
  const target = task.endless ? '/dev/null' : '/workspace/raw.out';
  const {ms} = await client.bash(`{ ${task.script}\n} >${target} 2>&1`, task.timeout);
  if (!task.endless) return {...countFile(path.join(workspace, 'raw.out')), ms};
  const {sample, bytes} = task.endless;
  const copies = bytes / sample.length;
  return {tokens: (countTokens(sample.repeat(1000)) / 1000) * copies, bytes, lines: copies, estimated: true, ms};
}

// Others tell the exit code, too; only the facts of the output itself are theirs to lose.
function rivalFacts(task) {
  return task.must.filter((fact) => typeof fact !== 'string' || !fact.startsWith('[cell: exit'));
}

function rivals(task, workspace, raw) {
  const whole = raw.tokens <= window;
  if (task.endless) {
    const shown = headOnly(task.endless.sample.repeat(2000));
    const tokens = countTokens(shown);
    return {none: whole, head: {tokens, kept: false}, ends: {tokens, kept: true}}; // what matters is its last line
  }
  const text = fs.readFileSync(path.join(workspace, 'raw.out'), 'utf8').replace(/\n$/, '');
  const judged = (shown) => ({
    tokens: countTokens(shown),
    kept: shown === text ? whole : missingFacts(rivalFacts(task), shown, raw).length === 0,
  });
  return {none: whole, head: judged(headOnly(text)), ends: judged(headAndTail(text))};
}

const leftOut = (reply) => /^\[cell: .*left out /m.test(reply);
const withoutStatus = (reply) => reply.replace(/\n?\[cell: [^\n]*\]$/, '');

async function measure(client, workspace, task) {
  const raw = await runIntoFile(client, workspace, task);
  const {reply, ms} = await client.bash(task.script, task.timeout);
  const missing = missingFacts(task.must, reply, raw);
  // Output that was left alone may be followed by its exit code, which raw output does not tell.
  const own = countTokens(leftOut(reply) ? reply : withoutStatus(reply));
  return {
    task,
    raw,
    reply,
    ms,
    missing,
    tokens: countTokens(reply),
    worse: own > Math.max(raw.tokens, countTokens('(no output)')),
    ...rivals(task, workspace, raw),
  };
}

const yes = (kept) => (kept ? 'yes' : 'NO');

function rowOf(result) {
  const {task, raw, tokens, missing, ms, none, head, ends} = result;
  return [
    task.name,
    (raw.estimated ? '~' : '') + amount(raw.tokens),
    yes(none),
    amount(head.tokens),
    yes(head.kept),
    amount(ends.tokens),
    yes(ends.kept),
    amount(tokens),
    yes(missing.length === 0),
    percent(Math.max(0, 1 - tokens / raw.tokens)),
    `${Math.round(raw.ms)} ms`,
    `${Math.round(ms)} ms`,
  ];
}

function printTotals(results) {
  const sum = (list, of) => list.reduce((total, result) => total + of(result), 0);
  const line = (name, list) => {
    const raw = sum(list, (r) => r.raw.tokens);
    return [
      name,
      amount(raw),
      amount(sum(list, (r) => r.head.tokens)),
      amount(sum(list, (r) => r.ends.tokens)),
      amount(sum(list, (r) => r.tokens)),
      percent(1 - sum(list, (r) => r.tokens) / raw),
    ];
  };
  const kept = (name, of) => `${name} ${results.filter(of).length}`;
  printTable(
    'In all',
    ['tasks', 'no trimming', 'head', 'head+tail', 'bashcell', 'saved'],
    [
      line(`all ${results.length}`, results),
      line(
        'without the flood',
        results.filter((r) => !r.task.endless),
      ),
      line(
        'raw under 200,000 tokens',
        results.filter((r) => r.none),
      ),
    ],
  );
  console.log(
    `facts kept, of ${results.length}: ${[
      kept('no trimming', (r) => r.none),
      kept('head', (r) => r.head.kept),
      kept('head+tail', (r) => r.ends.kept),
      kept('bashcell', (r) => r.missing.length === 0),
    ].join(', ')}`,
  );
  printLongest(results);
}

function noteFigures(results, goals) {
  const readable = results.filter((r) => r.none);
  const sum = (of) => readable.reduce((total, result) => total + of(result), 0);
  goals.figure(`${readable.length} calls whose raw output a model could read at all`, 'tokens', {
    'no trimming': sum((r) => r.raw.tokens),
    'first 30,000 characters': sum((r) => r.head.tokens),
    'first and last 15,000': sum((r) => r.ends.tokens),
    bashcell: sum((r) => r.tokens),
  });
  goals.figure(`calls, of ${results.length}, with every fact asked for in the reply`, 'calls', {
    'no trimming': readable.length,
    'first 30,000 characters': results.filter((r) => r.head.kept).length,
    'first and last 15,000': results.filter((r) => r.ends.kept).length,
    bashcell: results.filter((r) => r.missing.length === 0).length,
  });
}

function checkGoals(results, goals) {
  for (const {task, missing, reply, tokens, raw, worse} of results) {
    goals.check(
      `fact kept: ${task.name}`,
      missing.length === 0,
      `not in the reply: ${missing.slice(0, 3).join('; ')}\n${headAndTail(reply, 2000)}`,
    );
    goals.check(`never worse than raw: ${task.name}`, !worse, `${tokens} tokens, raw ${raw.tokens}`);
    if (task.largeFile) {
      const saved = 1 - tokens / raw.tokens;
      goals.check(`98.7 % saved: ${task.name}`, saved >= 0.987, percent(saved));
    }
  }
  // The flood alone would be enough for this goal, so it does not count.
  const counted = results.filter((r) => !r.task.endless);
  const saved = 1 - counted.reduce((sum, r) => sum + r.tokens, 0) / counted.reduce((sum, r) => sum + r.raw.tokens, 0);
  goals.check('95 % saved over the suite', saved >= 0.95, percent(saved));
}

// `shown` are names of tasks, or parts of names, whose replies are printed.
export async function runSuite(client, workspace, tasks, goals, shown) {
  const results = [];
  for (const task of tasks) results.push(await measure(client, workspace, task));
  printTable(
    'Single calls: tokens (o200k_base), and whether the facts are in them',
    ['task', 'raw', 'fits', 'head', 'kept', 'head+tail', 'kept', 'bashcell', 'kept', 'saved', 'to a file', 'call'],
    results.map(rowOf),
  );
  console.log(`raw: ~ is estimated from a sample. fits: at most 200,000 tokens, what a model can read at all.
head: the first 30,000 characters. head+tail: the first and the last 15,000.
to a file: how long the same script takes with its output sent to a file in the cell (the flood: to /dev/null).`);
  printTotals(results);
  for (const {task, reply} of results.filter((r) => shown.some((name) => r.task.name.includes(name)))) {
    console.log(`\n$ ${task.script}\n${reply}`);
  }
  noteFigures(results, goals);
  checkGoals(results, goals);
}
