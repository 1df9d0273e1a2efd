// How logs look in which nothing is wrong. A style has a line for each step, and a way to dress a message as one of its
// own lines; where it has none, a message appears as it is.

import {fill, fillers} from './words.mjs';

// Time goes on from line to line, and always begins on the same day.
class Clock {
  #now = Date.UTC(2026, 2, 14, 1, 59, 26);
  constructor(random) {
    this.random = random;
  }
  iso() {
    this.#now += this.random.betweenByMagnitude(1, 4000);
    return new Date(this.#now).toISOString();
  }
  syslog() {
    const [day, time] = this.iso().split('T');
    return `Mar ${Number(day.slice(8))} ${time.slice(0, 8)}`;
  }
}

const services = ['http', 'auth', 'billing', 'scheduler', 'indexer', 'mailer'];
const calmMessages = [
  'GET /api/{name}s/{n} 200 in {ms} ms',
  'POST /api/{name}s 201 in {ms} ms',
  '{verb} {name} {n} done',
  'connected to {host}:{port}',
  '{name} cache hit for key {hex}',
  'user {n} signed in from {ip}',
  'job {n} queued as {hex}',
  'refreshed {dd} {name}s from {host}',
  'heartbeat from {host} after {ms} ms',
  'checkpoint {n} written, {n} entries',
];
const uneasyMessages = [
  '{name} pool is {dd} % full',
  '{verb} {name} {n} took {ms} ms, retrying',
  'deprecated option {name}_{verb} used',
  'no {name} for user {n}, using the default',
];

function serviceMessage(random) {
  if (random.chance(0.02)) return ['WARN', fill(random.pick(uneasyMessages), random)];
  return [random.chance(0.2) ? 'DEBUG' : 'INFO', fill(random.pick(calmMessages), random)];
}

function build(random, total) {
  const compiler = random.pick(['gcc -O2 -Wall -c', 'g++ -std=c++20 -O2 -c', 'clang -O3 -c']);
  const form = random.pick([
    '[{step}/{total}] Building CXX object {folder}/CMakeFiles/{name}.dir/{stem}.cpp.o',
    `${compiler} -Iinclude -o build/{stem}.o {stem}.c`,
    '  CC      {stem}.o',
    '[{percent}%] Building C object {stem}.c.o',
    '   Compiling {name}-{name} v{d}.{dd}.{d} (/srv/{folder}/{name})',
  ]);
  const asides = [
    'In file included from {stem}.h:{n},',
    "{stem}.c:{n}:{dd}: warning: unused variable '{name}' [-Wunused-variable]",
    '[100%] Built target {name}',
    'ranlib lib{name}.a',
    'Installing: /usr/local/include/{name}/{name}.h',
  ];
  return {
    line(step) {
      const places = {step: step + 1, total, percent: String(Math.floor((100 * step) / total)).padStart(3)};
      return fill(random.chance(0.03) ? random.pick(asides) : form, random, places);
    },
  };
}

function service(random) {
  const clock = new Clock(random);
  const dressed = (level, text) => `${clock.iso()} ${level.padEnd(5)} [${random.pick(services)}] ${text}`;
  return {
    line: () => dressed(...serviceMessage(random)),
    dress: (text, alarm) => dressed(alarm ? 'ERROR' : 'INFO', text),
  };
}

function jsonLines(random) {
  const clock = new Clock(random);
  const dressed = (level, msg) =>
    JSON.stringify({ts: clock.iso(), level, svc: random.pick(services), req: random.hex(12), msg});
  return {
    line: () => {
      const [level, text] = serviceMessage(random);
      return dressed(level.toLowerCase(), text);
    },
    dress: (text, alarm) => dressed(alarm ? 'error' : 'info', text),
  };
}

function syslog(random) {
  const clock = new Clock(random);
  const programs = ['sshd[{pid}]', 'systemd[1]', 'CRON[{pid}]', 'kernel', 'dhclient[{pid}]', 'postfix/smtpd[{pid}]'];
  const messages = [
    'session opened for user {name} by (uid=0)',
    'Started {Name} service.',
    'connect from {host}[{ip}]',
    'DHCPREQUEST on eth0 to {ip} port 67',
    '(root) CMD (/usr/lib/{name}/{verb}.sh)',
    'usb 1-{d}: new high-speed USB device number {dd}',
    'Accepted publickey for {name} from {ip} port {pid} ssh2',
    '{name}.service: Succeeded.',
  ];
  const dressed = (text) =>
    `${clock.syslog()} node{name} ${random.pick(programs)}: ${text}`.replace('node{name}', 'node-7');
  return {line: () => fill(dressed(random.pick(messages)), random), dress: (text) => fill(dressed(''), random) + text};
}

function testRunner(random, total) {
  const form = random.pick([
    'tests/test_{name}.py::test_{verb}_{name}_{n} PASSED [{percent}%]',
    'ok {step} - {verb} {name} keeps {name} {n}',
    '[       OK ] {Name}Test.{verb}s{Name}{n} ({d} ms)',
    'test {name}::{name}::{verb}s_{name}_{n} ... ok',
    '    ✓ {verb}s the {name} {n} times ({dd} ms)',
    '--- PASS: Test{Name}{n} (0.{dd}s)',
  ]);
  const asides = [
    'tests/test_{trouble}.py::test_{verb}_{n} PASSED',
    'ok - {trouble} {n} handled',
    '=== RUN   Test{Name}{n}',
    'test {name}::{trouble}_{n} ... ok',
    '[ RUN      ] {Name}Test.{verb}{n}',
  ];
  return {
    line(step) {
      const places = {step: step + 1, percent: String(Math.floor((100 * step) / total)).padStart(3)};
      return fill(random.chance(0.03) ? random.pick(asides) : form, random, places);
    },
  };
}

function download(random, total) {
  const form = random.pick([
    'Get:{step} http://{host}/debian bookworm/main amd64 lib{name}{d} amd64 {d}.{dd}-{d} [{n} kB]',
    'Downloading {name}-{name}-{d}.{dd}.tar.gz ({n} kB)',
    'Unpacking lib{name}{d}:amd64 ({d}.{dd}-{d}) ...',
    'npm http fetch GET 200 {host}/{name}-{name} {n}ms (cache miss)',
    '{hex}: Pull complete',
    'fetched part {step} of {total}, {percent} %',
  ]);
  const asides = [
    'Setting up lib{name}{d}:amd64 ({d}.{dd}) ...',
    'Selecting previously unselected package {name}-{trouble}.',
    'npm WARN deprecated {name}@{d}.{dd}.0: use {name}-{name} instead',
  ];
  return {
    line(step) {
      const places = {step: step + 1, total, percent: Math.floor((100 * step) / total)};
      return fill(random.chance(0.03) ? random.pick(asides) : form, random, places);
    },
  };
}

function table(random) {
  const separator = random.pick([',', '\t', ';']);
  const states = ['paid', 'open', 'sent', 'returned'];
  return {
    line: (step) =>
      [step + 1, fillers.name(random), random.pick(states), random.between(100, 99999) / 100, fillers.ip(random)].join(
        separator,
      ),
  };
}

// A service whose calm lines are traces themselves: of slow queries, with their callers.
function traces(random) {
  const clock = new Clock(random);
  let left = 0;
  return {
    line() {
      if (left-- > 0) return fill('    at com.acme.{name}.{Name}.{verb}({Name}.java:{n})', random);
      left = random.between(0, 12);
      return fill(`${clock.iso()} INFO slow {verb} of {name} {n}: {ms} ms, called`, random);
    },
    dress: (text, alarm) => `${clock.iso()} ${alarm ? 'SEVERE' : 'INFO'} ${text}`,
  };
}

export const styles = {build, service, jsonLines, syslog, testRunner, download, table, traces};

// Lines that look like trouble and are none; half of the logs have some.
export const falseAlarms = [
  'Compiling {trouble}.c',
  '0 errors, {dd} warnings',
  'loaded {trouble} handler {n}',
  'error rate 0.00 over {n} s',
  'retry policy: fail after {d}',
  'exceptions.log rotated, {n} kB',
  'no failures in {n} checks',
];
