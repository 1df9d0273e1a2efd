// fit.mjs FOLDER: finds the prices of src/base/token_estimate.cpp on the files of a folder of sample texts, of as many
// kinds as there are: logs, sources, listings, tables, JSON, numbers, hex, prose in several languages. Run it where
// gpt-tokenizer can be imported (build/tokens). Prints the tables in sixteenths of a token, raised by the margin, and
// how real counts compare with the estimate.

import fs from 'node:fs';
import path from 'node:path';

import {encode} from 'gpt-tokenizer/encoding/o200k_base';

const kinds = ['lower', 'upper', 'digit', 'blank', 'mark', 'newline', 'two bytes', 'three bytes', 'four bytes'];
const [lower, upper, digit, blank, mark, newline, two, three, four] = kinds.keys();
const continuation = kinds.length;
// Features: a kind after a kind; the same ASCII character again; a further letter of a long word.
const repeated = kinds.length ** 2;
const furtherLetter = repeated + mark + 1;
const repeatedPrices = [3, 4, 2, 1, 1]; // not fitted: samples have few long runs, and those are known
const featureCount = furtherLetter + 1;
const usualWord = 7;
const unitsOfAToken = 16;
const margin = 1.15;
const pieceBytes = 6000;
const mostPieces = 60; // of a file

function kindOf(byte) {
  if (byte >= 0x61 && byte <= 0x7a) return lower;
  if (byte >= 0x41 && byte <= 0x5a) return upper;
  if (byte >= 0x30 && byte <= 0x39) return digit;
  if (byte === 0x20 || byte === 0x09) return blank;
  if (byte === 0x0a) return newline;
  if (byte < 0x80) return mark;
  if (byte < 0xc0) return continuation;
  return byte < 0xe0 ? two : byte < 0xf0 ? three : four;
}

// How often each feature is in a text, as TokenCounter::add sees it.
function featuresOf(bytes) {
  const features = new Float64Array(featureCount);
  let before = newline;
  let last = 0;
  let word = 0;
  for (const byte of bytes) {
    const kind = kindOf(byte);
    if (kind === continuation) continue;
    word = kind > upper ? 0 : before > upper ? 1 : word + 1;
    if (byte === last && kind !== digit) ++features[repeated + kind];
    else if (kind === lower && before === lower && word > usualWord) ++features[furtherLetter];
    else ++features[before * kinds.length + kind];
    before = kind;
    last = kind < newline ? byte : 0;
  }
  return features;
}

function piecesOf(file) {
  const bytes = fs.readFileSync(file);
  const step = Math.max(pieceBytes, Math.floor(bytes.length / mostPieces));
  const pieces = [];
  for (let begin = 0; begin + pieceBytes <= bytes.length; begin += step) {
    const lineEnd = bytes.indexOf(0x0a, begin + pieceBytes);
    const text = bytes.subarray(begin, lineEnd < 0 ? bytes.length : lineEnd + 1).toString('utf8');
    pieces.push({features: featuresOf(Buffer.from(text)), tokens: encode(text, {disallowedSpecial: new Set()}).length});
  }
  return pieces;
}

// What a price is drawn to where the samples say little.
function usualPrice(feature) {
  if (feature === furtherLetter) return 0.1;
  if (feature >= repeated) return repeatedPrices[feature - repeated] / unitsOfAToken / margin;
  const kind = feature % kinds.length;
  if (feature === lower * kinds.length + lower) return 0.15;
  return kind === lower || kind === blank ? 0.4 : 0.7;
}

// Least squares of the relative errors, one price after the other; an estimate too low weighs four times.
function fit(pieces) {
  const strength = 0.004;
  const prices = Float64Array.from({length: featureCount}, (_, feature) => usualPrice(feature));
  const rows = pieces.map(({features, tokens}) => features.map((count) => count / tokens));
  const errors = rows.map((row) => row.reduce((sum, count, feature) => sum + count * prices[feature], -1));
  for (let round = 0; round < 2000; ++round) {
    for (let feature = 0; feature < featureCount; ++feature) {
      if (feature >= repeated && feature < furtherLetter) continue;
      let slope = strength * (prices[feature] - usualPrice(feature));
      let curve = strength;
      rows.forEach((row, i) => {
        const weight = errors[i] < 0 ? 4 : 1;
        slope += weight * row[feature] * errors[i];
        curve += weight * row[feature] ** 2;
      });
      const price = Math.min(2.2, Math.max(0, prices[feature] - slope / curve));
      const change = price - prices[feature];
      prices[feature] = price;
      if (change !== 0) rows.forEach((row, i) => (errors[i] += change * row[feature]));
    }
  }
  return prices;
}

const folder = process.argv[2];
const files = fs.readdirSync(folder).map((name) => ({name, pieces: piecesOf(path.join(folder, name))}));
const prices = fit(files.flatMap(({pieces}) => pieces)).map((price) => Math.round(price * margin * unitsOfAToken));
kinds.forEach((name, before) => {
  const row = kinds.map((_, kind) => prices[before * kinds.length + kind]);
  console.log(`    {${row.join(', ')}},  // ${name}`);
});
console.log(`repeated {${Array.from(prices.slice(repeated, furtherLetter)).join(', ')}}, further letter ${prices[furtherLetter]}`);
for (const {name, pieces} of files) {
  const ratios = pieces.map(({features, tokens}) => {
    const units = features.reduce((sum, count, feature) => sum + count * prices[feature], 0);
    return (tokens * unitsOfAToken) / units;
  });
  if (ratios.length === 0) continue;
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
  console.log(`${name}: real/estimated ${mean.toFixed(2)}, at most ${Math.max(...ratios).toFixed(2)}`);
}
