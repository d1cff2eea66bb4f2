/** How long the fuzzing goes on, and from which seed: `FUZZ_SECONDS=60 FUZZ_SEED=1 npx vitest run test/fuzz`. */
import fc from 'fast-check';

/** Fuzzed targets that share the time. */
const targets = 6;
const secondsInAll = Number(process.env.FUZZ_SECONDS ?? 4);

/** Shown in the tests' names; a failure also prints the seed and path of its own batch. */
export const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000);

/** How long a test with a fuzzed target may take in all: its share, and time to shrink what it found. */
export const testTimeout = (secondsInAll / targets) * 1000 + 60_000;

const batch = 20;

/** Tries `property` in batches until its share of the time is over; says how often where a long run was asked for. */
export async function fuzz<Ts extends [unknown, ...unknown[]]>(
  name: string,
  property: fc.IAsyncPropertyWithHooks<Ts>,
): Promise<void> {
  const end = performance.now() + (secondsInAll / targets) * 1000;
  let cases = 0;
  for (let next = seed; cases === 0 || performance.now() < end; next += 1) {
    await fc.assert(property, { seed: next, numRuns: batch, interruptAfterTimeLimit: 40_000 });
    cases += batch;
  }
  if (process.env.FUZZ_SECONDS !== undefined)
    process.stdout.write(`fuzz ${name}: ${cases} cases, seed ${seed}\n`);
}
