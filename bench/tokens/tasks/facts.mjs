// How a fact may stand in a reply.

// A number, with or without commas between its thousands.
export function counted(number) {
  return new RegExp(`(?<![\\d,])${number.toLocaleString('en-US').replaceAll(',', ',?')}(?!\\d|,\\d)`);
}

// A size in bytes, or in MB of either kind with one digit after the point.
export function sized(bytes) {
  const inMb = [1e6, 2 ** 20].map((unit) => String(Math.round((10 * bytes) / unit) / 10).replace('.', '\\.'));
  return new RegExp(`${counted(bytes).source}|\\b(${inMb.join('|')}) MB`);
}

// What in `must` the reply lacks; functions are asked for their pattern with what is known of the whole output.
export function missingFacts(must, reply, raw) {
  const wanted = must.flatMap((fact) => (typeof fact === 'function' ? fact(raw) : fact));
  return wanted.filter((fact) => (typeof fact === 'string' ? !reply.includes(fact) : !fact.test(reply)));
}
