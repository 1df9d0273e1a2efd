// The history of this repository, up to one commit so that it stays the same.

import {execFileSync} from 'node:child_process';
import path from 'node:path';

import {handOverTree} from '../workspace.mjs';
import {counted} from './facts.mjs';

const upTo = '5fd40ba';
const diffed = 8;

export function make(workspace, repository) {
  const copy = path.join(workspace, 'repo');
  const git = (...words) => execFileSync('git', words, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']}).trim();
  const inCopy = (...words) => git('-c', `safe.directory=${copy}`, '-C', copy, ...words);
  git('clone', '--quiet', `file://${repository}`, copy);
  try {
    inCopy('checkout', '--quiet', '--detach', upTo);
  } catch {
    inCopy('checkout', '--quiet', '--detach'); // a copy without that commit: its newest one will do
  }
  const facts = {
    newest: inCopy('log', '-1', '--format=%s'),
    commits: Number(inCopy('rev-list', '--count', 'HEAD')),
    changed: inCopy('diff', '--name-only', `HEAD~${diffed}`).split('\n'),
  };
  handOverTree(copy);
  return facts;
}

export const tasks = ({newest, changed, commits}) => [
  {name: 'git: log', script: '(cd repo && git log)', must: [newest]},
  {name: 'git: log --stat', script: '(cd repo && git log --stat -n 40)', must: [newest]},
  {name: 'git: diff', script: `(cd repo && git diff HEAD~${diffed})`, must: changed},
  {
    name: 'git: diff --stat',
    script: `(cd repo && git diff --stat HEAD~${diffed} | tail -n 1)`,
    must: [`${changed.length} files changed`],
  },
  {name: 'git: log --oneline | head', script: '(cd repo && git log --oneline | head -n 20)', must: [newest]},
  {name: 'git: commits', script: '(cd repo && git rev-list --count HEAD)', must: [String(commits)]},
  {
    name: 'code: every function in src',
    script: "grep -rnE '^[a-zA-Z].*\\) (const )?\\{$' repo/src",
    must: [(raw) => counted(raw.lines)],
  },
  {name: 'code: ls -R', script: 'ls -lR repo/src repo/tests', must: ['repo/src', (raw) => counted(raw.lines)]},
];
