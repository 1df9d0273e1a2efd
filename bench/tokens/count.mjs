// Tokens as a model pays for them: o200k_base.

import fs from 'node:fs';

import {countTokens as countPlain} from 'gpt-tokenizer/encoding/o200k_base';

// The tokenizer's time grows with the square of a word's length, so words that long are counted in parts.
const longWord = 2000;
// Of more than this a sample is counted.
const countedWhole = 4_000_000;
const sampleParts = 8;

const asText = {disallowedSpecial: new Set()}; // "<|endoftext|>" in an output is text

function countPiece(text) {
  if (!/\S{2000}/.test(text)) return countPlain(text, asText);
  let tokens = 0;
  for (let at = 0; at < text.length; at += longWord) tokens += countPlain(text.slice(at, at + longWord), asText);
  return tokens;
}

// Line by line groups, so that one long word spoils only its own group.
export function countTokens(text) {
  let tokens = 0;
  for (let at = 0; at < text.length;) {
    const near = text.indexOf('\n', at + 64_000);
    const end = near < 0 ? text.length : near + 1;
    tokens += countPiece(text.slice(at, end));
    at = end;
  }
  return tokens;
}

// {tokens, bytes, lines, estimated} of a file; of a long one from parts that lie at equal distances.
export function countFile(file) {
  const content = fs.readFileSync(file);
  let lines = 0;
  for (let at = content.indexOf(10); at >= 0; at = content.indexOf(10, at + 1)) ++lines;
  if (content.length > 0 && content.at(-1) !== 10) ++lines;
  const facts = {bytes: content.length, lines};
  // Replies have no newline at their end, so it is no part of what is compared.
  const text = () => content.toString().replace(/\n$/, '');
  if (content.length <= countedWhole) return {...facts, tokens: countTokens(text()), estimated: false};
  const part = countedWhole / sampleParts;
  let tokens = 0;
  for (let i = 0; i < sampleParts; ++i) {
    const begin = Math.floor(((content.length - part) * i) / (sampleParts - 1));
    tokens += countTokens(content.toString('utf8', begin, begin + part));
  }
  return {...facts, tokens: Math.round((tokens * content.length) / countedWhole), estimated: true};
}
