// Random logs with exactly one error at a random place, in a random wording. The same seed makes the same log.

import {falseAlarms, styles} from './log_styles.mjs';
import {Random} from './random.mjs';
import {wordings} from './wordings.mjs';
import {fill} from './words.mjs';

export const logCount = 1000;
// SHA-256 of the texts of the logs 1 to 1000, one after the other: what is measured is what was agreed on.
export const agreedLogs = 'c45658e80fb4f4e497dfe4007426ebce8a4b1f5465711bf22756c2c7d7541aa9';

// The template's lines filled in, and which of them a reader needs.
function worded(template, random) {
  const lines = template.split('\n');
  const needed = Math.max(
    0,
    lines.findIndex((line) => line.startsWith('>')),
  );
  const filled = lines.map((line) => fill(line.replace(/^>/, ''), random));
  return {lines: filled, key: filled[needed].trim()};
}

// Some programs report through their log, as trouble or without saying so; others write into the middle of it.
function errorIn(style, choice, random) {
  const {lines, key} = worded(random.pick(choice), random);
  if (!style.dress || random.chance(0.4)) return {lines, key, dressed: false};
  const dressed = style.dress(key, random.chance(0.7));
  const asShown = dressed.startsWith('{') ? JSON.stringify(key).slice(1, -1) : key;
  return {lines: [dressed], key: asShown, dressed: true};
}

// {seed, style, lines, at, key, text}: `key` stands in one line of the text, number `at`, and must survive.
// `choice` are the wordings of which one is taken.
export function makeLog(seed, choice = wordings) {
  const random = new Random(seed);
  const name = random.pick(Object.keys(styles));
  const total = random.betweenByMagnitude(200, 20000);
  const style = styles[name](random, total);
  const place = random.between(0, total - 1);
  const alarmRate = random.chance(0.5) ? 0.005 : 0;
  const lines = [];
  let error;
  for (let step = 0; step < total; ++step) {
    if (step === place) {
      error = errorIn(style, choice, random);
      error.at = lines.length + 1;
      lines.push(...error.lines);
      continue;
    }
    const alarm = random.chance(alarmRate) && fill(random.pick(falseAlarms), random);
    lines.push(alarm ? (style.dress ? style.dress(alarm, false) : alarm) : style.line(step));
  }
  return {seed, style: name, lines: lines.length, at: error.at, key: error.key, text: lines.join('\n') + '\n'};
}
