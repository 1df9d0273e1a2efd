// What a test may look at on this machine: processes and what a container runtime leaves behind. Linux, /proc.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

function readOrEmpty(file) {
  try {
    return fs.readFileSync(file, 'latin1');
  } catch {
    return '';  // it ended meanwhile
  }
}

function processFolders() {
  return fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
}

// Pids whose argv holds `text`, zombies not counted (they have no argv).
export function processesWith(text) {
  return processFolders()
    .filter((pid) => Number(pid) !== process.pid)
    .filter((pid) => readOrEmpty(`/proc/${pid}/cmdline`).includes(text))
    .map(Number);
}

// True while the process exists and is no zombie.
export function isAlive(pid) {
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  if (stat === '') return false;
  return stat.slice(stat.lastIndexOf(')') + 2)[0] !== 'Z';
}

// Everything on this machine that bears the name of a cell of the server `pid`: runtime and cell processes, control
// groups, state folders. Cells are named bashcell-<server's pid>-<...>.
export function remainsOfCells(pid) {
  const mark = `bashcell-${pid}-`;
  const found = [];
  for (const other of processFolders()) {
    const text = readOrEmpty(`/proc/${other}/cmdline`) + readOrEmpty(`/proc/${other}/cgroup`);
    if (text.includes(mark) && isAlive(Number(other))) found.push(`process ${other}`);
  }
  const runtimeFolder = process.env.XDG_RUNTIME_DIR ?? '';
  for (const [root, depth] of [['/sys/fs/cgroup', 6], ['/run', 4], [runtimeFolder, 4], [os.tmpdir(), 2]]) {
    if (root !== '') findNamed(root, mark, depth, found);
  }
  return found;
}

function findNamed(folder, mark, depth, found) {
  let entries = [];
  try {
    entries = fs.readdirSync(folder, {withFileTypes: true});
  } catch {
    return;  // not ours to read, or gone
  }
  for (const entry of entries) {
    const full = path.join(folder, entry.name);
    if (entry.name.includes(mark)) {
      found.push(full);
    } else if (entry.isDirectory() && depth > 1) {
      findNamed(full, mark, depth - 1, found);
    }
  }
}

// Polls until `holds()` is true. The deadline is generous: it only bounds a failure, it is no part of what is tested.
export async function eventually(what, holds, timeoutMs = 10_000) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    if (holds()) return;
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

// A workspace that the cell's user may write, removed at exit.
export function makeWorkspace() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'client-test-'));
  if (process.getuid() === 0) fs.chownSync(folder, 1000, 1000);
  process.on('exit', () => fs.rmSync(folder, {recursive: true, force: true}));
  return folder;
}
