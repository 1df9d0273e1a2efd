// The random logs: how many of their errors a reply still holds, beside head and tail of as many tokens.

import {createHash} from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

import {countTokens} from './count.mjs';
import {heldOutWordings} from './held_out_wordings.mjs';
import {agreedLogs, logCount, makeLog} from './logs.mjs';
import {headAndTailOf} from './rivals.mjs';
import {percent, printLongest, printTable, thousands} from './terminal.mjs';
import {writeFile} from './workspace.mjs';

// Logs with errors of other wordings: they tell what the others do not, how much of the recall is due to tuning.
const heldOutCount = 250;

async function judge(client, workspace, log) {
  const name = 'random.log';
  writeFile(workspace, name, log.text);
  const {reply} = await client.bash(`cat ${name}`);
  fs.unlinkSync(path.join(workspace, name));
  const tokens = countTokens(reply);
  return {
    seed: log.seed,
    reply,
    tokens,
    style: log.style,
    lines: log.lines,
    at: log.at,
    key: log.key,
    kept: reply.includes(log.key),
    rivalKept: headAndTailOf(log.text, tokens, countTokens).includes(log.key),
  };
}

function describe({seed, style, lines, at, key, reply}) {
  return `## seed ${seed}: ${style}, ${lines} lines, in line ${at}: ${key}\n\n${reply}\n\n`;
}

async function judgeAgreed(client, workspace, goals) {
  const results = [];
  const all = createHash('sha256');
  for (let seed = 1; seed <= logCount; ++seed) {
    const log = makeLog(seed);
    all.update(log.text);
    results.push(await judge(client, workspace, log));
  }
  goals.check('the logs are the agreed ones', all.digest('hex') === agreedLogs, 'they have another digest');
  return results;
}

async function judgeHeldOut(client, workspace) {
  const results = [];
  for (let seed = logCount + 1; seed <= logCount + heldOutCount; ++seed) {
    results.push(await judge(client, workspace, makeLog(seed, heldOutWordings)));
  }
  return results;
}

function rowOf(name, results) {
  const share = (of) => percent(results.filter(of).length / results.length);
  const mean = results.reduce((sum, r) => sum + r.tokens, 0) / results.length;
  return [name, results.length, thousands(mean), share((r) => r.kept), share((r) => r.rivalKept)];
}

function printRecall(results, heldOut) {
  const styles = [...new Set(results.map((r) => r.style))].sort();
  const rows = styles.map((style) =>
    rowOf(
      style,
      results.filter((r) => r.style === style),
    ),
  );
  printTable(
    'Random logs of 200 to 20,000 lines with one error: in how many replies it still is',
    ['logs', 'number', 'tokens a reply', 'bashcell', 'head+tail, same tokens'],
    [...rows, rowOf('all', results), rowOf('other wordings, tuned to by nobody', heldOut)],
  );
  printLongest(results);
}

// `missesFile`, if given, gets every miss with its reply.
export async function runRecall(client, workspace, goals, missesFile) {
  const results = await judgeAgreed(client, workspace, goals);
  printRecall(results, await judgeHeldOut(client, workspace));
  const misses = results.filter((r) => !r.kept);
  for (const {seed, style, lines, at, key} of misses) {
    console.log(`lost: seed ${seed}, ${style}, line ${at} of ${lines}: ${key}`);
  }
  if (missesFile) fs.writeFileSync(missesFile, misses.map(describe).join(''));
  const recall = 1 - misses.length / results.length;
  const rival = results.filter((r) => r.rivalKept).length / results.length;
  goals.figure(`errors kept in ${results.length} random logs`, '%', {
    'head and tail, same tokens': 100 * rival,
    bashcell: 100 * recall,
  });
  goals.check('more errors kept than by head+tail', recall > rival, `${percent(recall)} against ${percent(rival)}`);
}
