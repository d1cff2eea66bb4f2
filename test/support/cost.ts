/** What work costs, in the time of the processor: what else the machine does meanwhile counts for little. */
import { expect } from 'vitest';

async function leastMs(work: (count: number) => unknown, count: number): Promise<number> {
  const tries: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const started = process.cpuUsage();
    await work(count);
    tries.push(process.cpuUsage(started).user / 1000);
  }
  return Math.min(...tries);
}

/** Four times as much costs some four times as much, not sixteen times; what costs less than 5 ms is as good as that. */
export async function expectToGrowWith(
  count: number,
  work: (count: number) => unknown,
): Promise<void> {
  await work(count);
  const few = await leastMs(work, count);
  expect((await leastMs(work, 4 * count)) / Math.max(5, few)).toBeLessThan(10);
}
