// What other tools do with output: nothing, keep its beginning, or keep its beginning and its end.

export const rivalBudget = 30_000;

export function headOnly(text, budget = rivalBudget) {
  if (text.length <= budget) return text;
  return `${text.slice(0, budget)}\n[output truncated]`;
}

export function headAndTail(text, budget = rivalBudget) {
  if (text.length <= budget) return text;
  const half = Math.floor(budget / 2);
  return `${text.slice(0, half)}\n[... ${text.length - 2 * half} characters truncated ...]\n${text.slice(-half)}`;
}

// Head and tail of at least as many tokens as `tokens`; only just.
export function headAndTailOf(text, tokens, countTokens) {
  let budget = Math.min(text.length, 4 * tokens);
  for (let step = 0; step < 12; ++step) {
    const cut = headAndTail(text, budget);
    const cost = countTokens(cut);
    if (cut === text || (cost >= tokens && cost <= tokens * 1.03)) return cut;
    budget = Math.ceil((budget * tokens * 1.015) / cost);
  }
  return headAndTail(text, budget);
}
