// @ts-check
/** From runs to figures: contestants take turns, and are compared round by round. */

/** @typedef {import('./goals.mjs').Figure} Figure */

/**
 * One run of each a round, in turn, so that what slows the machine for a while slows all of them; every other round the other way
 * round, so that what one leaves behind (pages to write, a warm cache) is met by both its neighbours.
 * @template T
 * @param {number} rounds
 * @param {Readonly<Record<string, () => T | Promise<T>>>} contestants
 * @param {number} [warmUps] rounds before those that count
 * @returns {Promise<(name: string) => T[]>}
 */
export async function interleave(rounds, contestants, warmUps = 0) {
  /** @type {Map<string, T[]>} */
  const runs = new Map(Object.keys(contestants).map((name) => [name, []]));
  for (let round = -warmUps; round < rounds; round += 1) {
    const turns = Object.entries(contestants);
    for (const [name, run] of round % 2 === 0 ? turns : turns.reverse()) {
      const result = await run();
      if (round >= 0) runs.get(name)?.push(result);
    }
  }
  return (name) => {
    const results = runs.get(name);
    if (results === undefined) throw new Error(`no contestant ${name}`);
    return results;
  };
}

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
}

/**
 * One contestant over another: the median of the rounds' own ratios. Both runs of a round saw much the same machine, so this
 * wavers less than the ratio of two medians. `low` and `high` are of the single rounds.
 * @param {string} name
 * @param {readonly number[]} own
 * @param {readonly number[]} baseline measured in the same rounds
 * @param {{ own: string, baseline: string }} words
 * @returns {Figure}
 */
export function ratio(name, own, baseline, words) {
  const each = own.map((value, round) => value / (baseline[round] ?? 0));
  return {
    name,
    value: median(each),
    low: Math.min(...each),
    high: Math.max(...each),
    rounds: own.length,
    ...words,
  };
}

/**
 * A figure with no baseline: a count, megabytes.
 * @param {string} name
 * @param {readonly number[]} values
 * @param {string} [baseline] in words
 * @returns {Figure}
 */
export function amount(name, values, baseline = '') {
  return {
    name,
    value: median(values),
    low: Math.min(...values),
    high: Math.max(...values),
    rounds: values.length,
    own: '',
    baseline,
  };
}

/** @typedef {import('./measure.mjs').Measured} Measured */

/**
 * Processor time over processor time.
 * @param {string} name
 * @param {readonly Measured[]} own
 * @param {readonly Measured[]} baseline
 * @param {string} who the baseline is
 */
export function cpuRatio(name, own, baseline, who) {
  const words = (/** @type {readonly Measured[]} */ runs) =>
    `${seconds(runs, 'cpuMs')} s (wall ${seconds(runs, 'wallMs')} s)`;
  return ratio(name, pick(own, 'cpuMs'), pick(baseline, 'cpuMs'), {
    own: words(own),
    baseline: `${who} ${words(baseline)}`,
  });
}

/** @param {readonly Measured[]} runs @param {keyof Measured} key */
const seconds = (runs, key) => (median(pick(runs, key)) / 1000).toFixed(2);

/** @param {readonly Measured[]} runs @param {keyof Measured} key */
export const pick = (runs, key) => runs.map((run) => run[key]);
