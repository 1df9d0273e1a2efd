// What tools cost before the first call: their definitions, which a model reads in every turn.

import fs from 'node:fs';

import {countTokens} from './count.mjs';
import {printTable, thousands} from './terminal.mjs';

// Twenty tools of one job each, worded as the usual servers for files, searches, HTTP and git word theirs.
export const oneJobTools = JSON.parse(fs.readFileSync(new URL('one_job_tools.json', import.meta.url), 'utf8'));

export function costOf(tools) {
  return countTokens(
    JSON.stringify(tools.map(({name, description, inputSchema}) => ({name, description, inputSchema}))),
  );
}

export async function runDefinitions(client, goals) {
  const tools = await client.tools();
  const [others, ours] = [costOf(oneJobTools), costOf(tools)];
  printTable(
    'Definitions: tokens in every turn, before any call',
    ['tools', 'number', 'tokens', 'each'],
    [
      ['one job each', oneJobTools.length, thousands(others), thousands(others / oneJobTools.length)],
      ['bashcell', tools.length, thousands(ours), thousands(ours / tools.length)],
    ],
  );
  goals.figure('definitions, in every turn', 'tokens', {[`${oneJobTools.length} one-job tools`]: others, bashcell: ours});
  goals.check('definition of at most 100 tokens', costOf(tools) - countTokens('[]') <= 100, `${ours} tokens`);
  return {others, ours};
}
