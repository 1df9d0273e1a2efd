// node agents.mjs --program BASHCELL --folder FOLDER [--doc FILE] AGENT...: drives real agents (agents.sh installs
// them) and prints a table of what each did. Each gets a home of its own, which `bashcell config AGENT --write`
// prepares, and a model of its own. Exits non-zero when the call of one of them did not run.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {spawn, spawnSync} from 'node:child_process';
import {parseArgs} from 'node:util';

import {agents} from './agents_known.mjs';
import {startFakeModel} from './fake_model.mjs';
import {eventually, makeWorkspace, processesWith, remainsOfCells} from './host.mjs';

const {values: options, positionals: names} = parseArgs({
  allowPositionals: true,
  options: {program: {type: 'string'}, folder: {type: 'string'}, doc: {type: 'string'}},
});

const timeoutMs = 120_000;
const marker = 'Run a bash script in a persistent Linux sandbox';
const input = {command: 'echo "the cell says $((6 * 7))"; pwd'};
const wanted = /the cell says 42(\n|\\n)\/workspace/;
const prompt = 'Ask the sandbox what six times seven is.';
// One that Gemini CLI holds back, and Codex does not hand on unless told.
const handedOn = {DOCKER_CERT_PATH: '/nonexistent/certificates'};

function environmentFor(agent, home, url) {
  return {HOME: home, PATH: process.env.PATH, LANG: 'C.UTF-8', TERM: 'dumb', USER: os.userInfo().username,
    SHELL: '/bin/bash', TMPDIR: path.join(home, 'tmp'), ...handedOn, ...agent.environment(url)};
}

function configure(name, agent, home, url, record) {
  fs.mkdirSync(path.join(home, 'tmp'), {recursive: true});
  // What is there already has to survive.
  for (const [file, text] of Object.entries(agent.files(url))) {
    fs.mkdirSync(path.dirname(path.join(home, file)), {recursive: true});
    fs.writeFileSync(path.join(home, file), text);
  }
  const words = ['config', name, '--write', '--', '--workspace', makeWorkspace(), '--record', record];
  const {status, stderr} = spawnSync(options.program, words, {env: environmentFor(agent, home, url), encoding: 'utf8'});
  if (status !== 0) throw new Error(`bashcell config ${name}: ${stderr}`);
}

function programOf(pid) {
  try {
    return fs.readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return undefined;  // it ended meanwhile
  }
}

// What can be known of the server only while it runs.
function lookAtServer(record) {
  const pid = processesWith(record).find((one) => programOf(one) === options.program);
  if (!pid) return {};
  const variables = fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter((one) => one !== '');
  return {pid, variables: variables.map((one) => one.slice(0, one.indexOf('=')))};
}

// Ends with the agent, or with its whole process group after the time that it has.
function finished(child) {
  return new Promise((resolve) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      process.kill(-child.pid, 'SIGKILL');
    }, timeoutMs);
    child.on('error', (error) => resolve(`did not start: ${error.message}`));
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      resolve(isLate ? `did not end within ${timeoutMs / 1000} s` : signal ?? `exit ${code}`);
    });
  });
}

// With the file as it was written, or after what a person adds to it (`isSettled`).
async function drive(name, agent, folder, {isSettled}) {
  const home = path.join(folder, 'home');
  const record = path.join(folder, 'record.jsonl');
  const project = fs.mkdtempSync(path.join(os.tmpdir(), 'agent-'));
  fs.rmSync(folder, {recursive: true, force: true});
  fs.mkdirSync(home, {recursive: true});
  let server = {};
  const model = await startFakeModel({marker, input, onResult: () => { server = lookAtServer(record); }});
  configure(name, agent, home, model.url, record);
  if (isSettled) agent.settle(home);
  const [program, ...words] = agent.command(path.join(options.folder, 'packages', name, 'node_modules'));
  const [out, err] = ['stdout', 'stderr'].map((file) => fs.openSync(path.join(folder, file), 'w'));
  const child = spawn(program, [...words, ...agent.last(prompt)], {cwd: project, detached: true,
    env: environmentFor(agent, home, model.url), stdio: ['ignore', out, err]});
  const end = await finished(child);
  model.close();
  const left = () => [...processesWith(record), ...(server.pid ? remainsOfCells(server.pid) : [])];
  await eventually('server and cell are gone', () => left().length === 0).catch(() => {});
  fs.rmSync(project, {recursive: true, force: true});
  fs.writeFileSync(path.join(folder, 'seen.json'), JSON.stringify({end, server, ...model.seen}, null, 2));
  const text = fs.existsSync(record) ? fs.readFileSync(record, 'utf8') : '';
  const steps = text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line));
  return {end, server, seen: model.seen, steps, left: left(),
    said: fs.readFileSync(path.join(folder, 'stdout'), 'utf8'), ran: wanted.test(model.seen.result ?? '')};
}

const code = (text) => `\`${text.replaceAll('`', "'").replaceAll('|', '\\|')}\``;
const codes = (list) => list.map(code).join(', ');
const short = (text, most = 400) => (text.length <= most ? text : `${text.slice(0, most)}...`);

function protocolOf(steps) {
  const isAnswer = ({expect}) => expect?.result?.protocolVersion || expect?.result?.supportedVersions;
  const answer = steps.find(isAnswer)?.expect.result;
  const first = steps.find(({send}) => send)?.send;
  if (!answer) return 'none';
  if (answer.protocolVersion) return answer.protocolVersion;
  return first?.params?._meta?.['io.modelcontextprotocol/protocolVersion'] ?? 'unknown';
}

// Methods in their order, without what comes more than once.
function methodsOf(steps) {
  return [...new Set(steps.map(({send}) => send?.method).filter(Boolean))];
}

function endOf({steps, server, left}) {
  const how = steps.some((step) => step.close_input) ? 'closing stdin' : 'a signal';
  const after = left.length ? `; left: ${left.join(', ')}` : '; nothing left';
  return `${how}${server.pid ? after : ''}`;
}

function variablesOf({server}, agent) {
  if (!server.variables) return '';
  const key = server.variables.includes(agent.key) ? 'also its own API key' : 'not its own API key';
  const isHandedOn = Object.keys(handedOn).every((one) => server.variables.includes(one));
  return `${server.variables.length}: ${isHandedOn ? 'those' : '**none**'} that lead to engines, ${key}`;
}

function unasked({ran, seen}) {
  if (ran) return 'the call runs';
  if (!seen.offered) return 'the model is not offered the tool';
  return `refused; the model reads ${code(short(JSON.stringify(seen.result ?? '')))}`;
}

// What a call holds beside the arguments that the model gave.
function additions(call) {
  const extra = Object.keys(call?.arguments ?? {}).filter((one) => !(one in input));
  const meta = Object.keys(call?._meta ?? {}).map((one) => `_meta.${one}`);
  const own = meta.map((one) => (one.includes('io.modelcontextprotocol/') ? '_meta.io.modelcontextprotocol/*' : one));
  return codes([...new Set([...extra, ...own])]) || 'nothing';
}

// One column of the table: fact -> text.
function column(name, agent, plain, run) {
  const {seen, steps} = run;
  const calls = steps.findIndex(({send}) => send?.method === 'tools/call');
  const call = steps[calls]?.send.params;
  const offered = seen.offered;
  const shells = (offer) => (offer?.others ?? []).filter((one) => agent.shells.includes(one));
  const own = shells((plain.seen.offered ? plain : run).seen.offered);
  return {
    Version: agent.version(path.join(options.folder, 'packages', name, 'node_modules')),
    File: code(`~/${agent.file}`),
    Protocol: protocolOf(steps),
    'It sends first': codes(methodsOf(steps.slice(0, calls < 0 ? undefined : calls))),
    'The tool is called': offered ? code([offered.namespace, offered.name].filter(Boolean).join(' / ')) : 'not offered',
    'File as written': unasked(plain),
    'To allow it': agent.permission,
    'After that': run.ran ? 'the call runs' : `it does not run (${run.end})`,
    'Its own shell': codes(own) || 'not offered without a person',
    'Without that': `${agent.noShell}${shells(offered).length ? ' (**still offered**)' : ''}`,
    'Tools left beside it': String(offered?.others.length ?? ''),
    'The model reads': code(short(JSON.stringify(seen.result ?? ''))),
    'Adds to the call': additions(call),
    'Variables of the server': variablesOf(run, agent),
    'Ends the server by': endOf(run),
  };
}

function tableOf(columns) {
  const titles = Object.keys(columns);
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const facts = Object.keys(columns[titles[0]]);
  return [line(['', ...titles]), line(['---', ...titles.map(() => '---')]),
    ...facts.map((fact) => line([fact, ...titles.map((title) => columns[title][fact])]))].join('\n');
}

function writeInto(file, table) {
  const text = fs.readFileSync(file, 'utf8');
  const between = /(<!-- table -->\n)[^]*(<!-- end of table -->)/;
  if (!between.test(text)) throw new Error(`${file} has no lines <!-- table --> and <!-- end of table -->`);
  fs.writeFileSync(file, text.replace(between, (_, begin, end) => `${begin}${table}\n${end}`));
}

const columns = {};
let isComplete = true;
for (const name of names) {
  const agent = agents[name];
  const folder = path.join(options.folder, 'runs', name);
  const plain = await drive(name, agent, `${folder}-plain`, {isSettled: false});
  const run = await drive(name, agent, folder, {isSettled: true});
  isComplete &&= run.ran;
  console.error(`agents: ${name}: ${run.ran ? 'the call ran' : `no call: ${run.end}; see ${folder}`}`);
  columns[agent.title] = column(name, agent, plain, run);
}
const table = tableOf(columns);
console.log(table);
if (options.doc) writeInto(options.doc, table);
process.exitCode = isComplete ? 0 : 1;
