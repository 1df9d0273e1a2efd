// The folder that scripts see as /workspace. Data is made here for each run and is never part of the repository.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

// The user of the cell's scripts when root starts the server.
const scriptUser = 1000;

export function makeWorkspace() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bashcell-tokens-'));
  handOver(folder);
  process.on('exit', () => fs.rmSync(folder, {recursive: true, force: true}));
  return folder;
}

function handOver(file) {
  if (process.getuid() === 0) fs.lchownSync(file, scriptUser, scriptUser);
}

// Gives everything below to the user of the scripts, as a user's own files are.
export function handOverTree(folder) {
  handOver(folder);
  for (const entry of fs.readdirSync(folder, {withFileTypes: true})) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) handOverTree(full);
    else handOver(full);
  }
}

export function writeFile(workspace, name, content, mode = 0o644) {
  const file = path.join(workspace, name);
  const folder = path.dirname(file);
  fs.mkdirSync(folder, {recursive: true});
  fs.writeFileSync(file, content, {mode});
  for (let at = folder; at.length > workspace.length; at = path.dirname(at)) handOver(at);
  handOver(file);
}

// For content that is too long to be held: `pieces` is an iterable of strings.
export function writePieces(workspace, name, pieces) {
  writeFile(workspace, name, '');
  const file = fs.openSync(path.join(workspace, name), 'w');
  for (const piece of pieces) fs.writeSync(file, piece);
  fs.closeSync(file);
}
