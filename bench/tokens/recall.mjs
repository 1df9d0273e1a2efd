// The random logs: how many of their errors a reply still holds, beside head and tail of as many tokens.

import fs from 'node:fs';
import path from 'node:path';

import {countTokens} from './count.mjs';
import {logCount, makeLog} from './logs.mjs';
import {headAndTailOf} from './rivals.mjs';
import {percent, printTable, thousands} from './terminal.mjs';
import {writeFile} from './workspace.mjs';

async function judge(client, workspace, seed) {
  const log = makeLog(seed);
  const name = 'random.log';
  writeFile(workspace, name, log.text);
  const {reply} = await client.bash(`cat ${name}`);
  fs.unlinkSync(path.join(workspace, name));
  const tokens = countTokens(reply);
  return {
    seed,
    reply,
    tokens,
    style: log.style,
    lines: log.lines,
    at: log.at,
    key: log.key,
    fits: !/^\[cell: .*left out /m.test(reply),
    kept: reply.includes(log.key),
    rivalKept: headAndTailOf(log.text, tokens, countTokens).includes(log.key),
  };
}

function describe({seed, style, lines, at, key, reply}) {
  return `## seed ${seed}: ${style}, ${lines} lines, in line ${at}: ${key}\n\n${reply}\n\n`;
}

// `missesFile`, if given, gets every miss with its reply.
export async function runRecall(client, workspace, goals, missesFile) {
  const results = [];
  for (let seed = 1; seed <= logCount; ++seed) results.push(await judge(client, workspace, seed));
  const styles = [...new Set(results.map((r) => r.style))].sort();
  const line = (name, list) => {
    const share = (of) => percent(list.filter(of).length / list.length);
    const mean = list.reduce((sum, r) => sum + r.tokens, 0) / list.length;
    return [name, list.length, thousands(mean), share((r) => r.kept), share((r) => r.rivalKept)];
  };
  printTable(
    'Random logs of 200 to 20,000 lines with one error: in how many replies it still is',
    ['logs', 'number', 'tokens a reply', 'bashcell', 'head+tail, same tokens'],
    [
      ...styles.map((style) =>
        line(
          style,
          results.filter((r) => r.style === style),
        ),
      ),
      line('all', results),
    ],
  );
  const most = Math.max(...results.map((r) => r.tokens));
  console.log(
    `replies over 1,800 tokens: ${results.filter((r) => r.tokens > 1800).length}; the longest has ${thousands(most)}`,
  );
  const misses = results.filter((r) => !r.kept);
  for (const {seed, style, lines, at, key} of misses)
    console.log(`lost: seed ${seed}, ${style}, line ${at} of ${lines}: ${key}`);
  if (missesFile) fs.writeFileSync(missesFile, misses.map(describe).join(''));
  const recall = 1 - misses.length / results.length;
  const rival = results.filter((r) => r.rivalKept).length / results.length;
  goals.check('more errors kept than by head+tail', recall > rival, `${percent(recall)} against ${percent(rival)}`);
}
