// Whole jobs by one-job tools and by one script: round trips, tokens, time.

import path from 'node:path';

import {countFile, countTokens} from './count.mjs';
import {jobsWith} from './job_list.mjs';
import {makeJobsData} from './jobs_data.mjs';
import {missingFacts} from './tasks/facts.mjs';
import {amount, percent, printTable} from './terminal.mjs';

// What a model takes to read a result and to write its next step.
const turnMs = 3000;

// What the one-job tools would do, as scripts; their own time is taken for theirs.
const doneBy = {
  list_directory: ({path: folder}) => `ls -1p ${folder}`,
  directory_tree: ({path: folder}) => `find ${folder}`,
  read_file: ({path: file}) => `cat ${file}`,
  search_text: ({pattern, path: where}) => `grep -rn -e '${pattern}' ${where}`,
  search_files: ({path: folder, pattern}) => `find ${folder} -name '${pattern}'`,
};

// Tokens of a conversation's turns: what enters it once, and what is read when each turn reads all that was before.
function conversation(definitions, turns) {
  let held = definitions;
  let read = definitions;
  for (const {call, result} of turns) {
    held += call + result;
    read += held;
  }
  return {trips: turns.length, held, read};
}

async function byTools(client, workspace, steps, definitions) {
  const turns = [];
  let ms = 0;
  for (const [name, args] of steps) {
    const done = await client.bash(`${doneBy[name](args)} >/workspace/raw.out 2>&1`);
    ms += done.ms;
    turns.push({
      call: countTokens(JSON.stringify({name, arguments: args})),
      result: countFile(path.join(workspace, 'raw.out')).tokens,
    });
  }
  return {...conversation(definitions, turns), ms: ms + turnMs * (turns.length + 1)};
}

async function byScript(client, script, definitions) {
  const {reply, ms} = await client.bash(script);
  const call = countTokens(JSON.stringify({name: 'bash', arguments: {command: script}}));
  return {...conversation(definitions, [{call, result: countTokens(reply)}]), ms: ms + 2 * turnMs, reply};
}

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

export async function runJobs(client, workspace, definitions, goals) {
  const results = [];
  for (const job of jobsWith(makeJobsData(workspace))) {
    const tools = await byTools(client, workspace, job.steps, definitions.others);
    const script = await byScript(client, job.script, definitions.ours);
    const missing = missingFacts(job.answer, script.reply, {});
    goals.check(
      `answer: ${job.name}`,
      missing.length === 0,
      `not in the reply: ${missing.join('; ')}\n${script.reply}`,
    );
    results.push({name: job.name, tools, script});
  }
  const sum = (of) => results.reduce((total, result) => total + of(result), 0);
  const row = (name, tools, script) => [
    name,
    tools.trips,
    script.trips,
    amount(tools.held),
    amount(script.held),
    amount(tools.read),
    amount(script.read),
    percent(1 - script.read / tools.read),
    seconds(tools.ms),
    seconds(script.ms),
  ];
  const total = (side) =>
    Object.fromEntries(['trips', 'held', 'read', 'ms'].map((key) => [key, sum((result) => result[side][key])]));
  printTable(
    `Whole jobs, as calls of one-job tools and as one script; a model's turn taken as ${turnMs / 1000} s`,
    ['job', 'calls', 'script', 'tokens', 'script', 'read', 'script', 'saved', 'time', 'script'],
    [...results.map(({name, tools, script}) => row(name, tools, script)), row('all', total('tools'), total('script'))],
  );
  goals.figure(`${results.length} whole jobs: what all turns read`, 'tokens', {
    'one-job tools': total('tools').read,
    bashcell: total('script').read,
  });
  console.log(`calls: round trips. tokens: what enters the conversation, definitions included.
read: what all turns read, each of them all that was before it. saved: of what is read.`);
}
