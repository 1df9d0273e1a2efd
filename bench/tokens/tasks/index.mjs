// The suite: single calls whose output is a model's to read. A task is
//   {name, script, must, timeout?, largeFile?, endless?}
// `must` are the facts a reply has to hold: strings, patterns, or functions that make one from {lines, bytes} of the
// whole output.
// `endless` tells how output that is too long to be kept is made of copies of a sample.

import * as builds from './builds.mjs';
import * as pages from './pages.mjs';
import * as repository from './repository.mjs';
import * as serviceLogs from './service_logs.mjs';
import * as streams from './streams.mjs';
import * as tables from './tables.mjs';
import * as testRuns from './test_runs.mjs';

// Makes the data of all tasks in the folder `workspace`; `repositoryFolder` is this repository.
export function makeTasks(workspace, repositoryFolder) {
  return [tables, builds, testRuns, repository, serviceLogs, pages, streams].flatMap((part) =>
    part.tasks(part.make(workspace, repositoryFolder)),
  );
}
