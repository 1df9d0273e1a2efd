// node main.mjs --program BASHCELL --repository FOLDER [--show NAME]... [--misses FILE] [--json FILE] [PART]...
// The parts are definitions, suite, jobs and recall; all by default. --show prints the replies of the suite's tasks of that
// name, --misses writes the replies in which a random log's error was lost.
// --json writes the figures that say most: bench/report.py reads them.
// Counts what replies cost and what they keep. Exits 1 and names every goal that is missed.

import fs from 'node:fs';
import {parseArgs} from 'node:util';

import {Client} from './client.mjs';
import {runDefinitions} from './definitions.mjs';
import {runJobs} from './jobs.mjs';
import {runRecall} from './recall.mjs';
import {runSuite} from './suite.mjs';
import {makeTasks} from './tasks/index.mjs';
import {Goals} from './terminal.mjs';
import {makeWorkspace} from './workspace.mjs';

const {values, positionals} = parseArgs({
  options: {
    program: {type: 'string'},
    repository: {type: 'string'},
    misses: {type: 'string'},
    json: {type: 'string'},
    show: {type: 'string', multiple: true, default: []},
  },
  allowPositionals: true,
});
const known = ['definitions', 'suite', 'jobs', 'recall'];
const unknown = positionals.find((part) => !known.includes(part));
if (unknown) throw new Error(`no part ${unknown}; there are ${known.join(', ')}`);
const parts = positionals.length > 0 ? positionals : known;

const goals = new Goals();
const workspace = makeWorkspace();
const needsData = parts.includes('suite') || parts.includes('jobs');
const tasks = needsData ? makeTasks(workspace, values.repository) : [];

// As a user has it: half a processor.
const client = await Client.start(values.program, workspace);
const definitions = await runDefinitions(client, goals);
if (parts.includes('suite')) await runSuite(client, workspace, tasks, goals, values.show);
if (parts.includes('jobs')) await runJobs(client, workspace, definitions, goals);
await client.close();

if (parts.includes('recall')) {
  // Time is not measured here.
  const quick = await Client.start(values.program, workspace, ['--cpus', '2']);
  await runRecall(quick, workspace, goals, values.misses);
  await quick.close();
}
if (values.json) fs.writeFileSync(values.json, `${JSON.stringify(goals.figures, null, 1)}\n`);
process.exitCode = goals.report();
