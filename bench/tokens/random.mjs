// Chance that is the same on every machine and in every run: all of it follows from the seed.

export class Random {
  #state;

  constructor(seed) {
    this.#state = (Math.imul(seed, 0x9e3779b1) + 0x7f4a7c15) >>> 0;
    for (let i = 0; i < 4; ++i) this.#next(); // neighbouring seeds must not begin alike
  }

  // mulberry32
  #next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  // In [0, 1).
  fraction() {
    return this.#next() / 2 ** 32;
  }

  // Both ends included.
  between(low, high) {
    return low + Math.floor(this.fraction() * (high - low + 1));
  }

  // Both ends included; as many between 200 and 2,000 as between 2,000 and 20,000.
  betweenByMagnitude(low, high) {
    return Math.round(low * (high / low) ** this.fraction());
  }

  chance(probability) {
    return this.fraction() < probability;
  }

  pick(list) {
    return list[this.between(0, list.length - 1)];
  }

  hex(digits) {
    let text = '';
    while (text.length < digits) text += this.#next().toString(16).padStart(8, '0');
    return text.slice(0, digits);
  }
}
