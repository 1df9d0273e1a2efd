// Tables and numbers for a terminal.

export const thousands = (number) => Math.round(number).toLocaleString('en-US');

// "12,345", "1.2 M", "1.1 G"
export function amount(number) {
  if (number < 1e6) return thousands(number);
  return number < 1e9 ? `${(number / 1e6).toFixed(1)} M` : `${(number / 1e9).toFixed(1)} G`;
}

export const percent = (part) => `${(100 * part).toFixed(part > 0.99 && part < 1 ? 2 : 1)} %`;

// The first column to the left, the others to the right.
export function printTable(title, head, rows) {
  const lines = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, i) => Math.max(...lines.map((line) => line[i].length)));
  console.log(`\n${title}`);
  for (const line of lines) {
    console.log(line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  '));
  }
}

// Against the budget of a reply, which is estimated in the cell and counted here.
export function printLongest(results, budget = 1800) {
  const most = Math.max(...results.map((r) => r.tokens));
  const over = results.filter((r) => r.tokens > budget).length;
  console.log(
    `replies over ${thousands(budget)} tokens: ${over} of ${results.length}; the longest has ${thousands(most)}`,
  );
}

// What was promised and not kept, by name; and the figures that say most.
export class Goals {
  #missed = [];
  #met = 0;
  #figures = [];

  // `values`: by whom; `bashcell` is one of them.
  figure(name, unit, values) {
    this.#figures.push({name, unit, values});
  }

  get figures() {
    return this.#figures;
  }

  check(name, holds, found) {
    if (holds) ++this.#met;
    else this.#missed.push(`missed: ${name}: ${found}`);
  }

  // Prints them; the exit code.
  report() {
    for (const line of this.#missed) console.log(line);
    console.log(`goals: ${this.#met} met, ${this.#missed.length} missed`);
    return this.#missed.length === 0 ? 0 : 1;
  }
}
