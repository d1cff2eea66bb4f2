/** Ways to end a process before its time, at a drawn moment, and what may be seen afterwards. */
import { setTimeout } from 'node:timers/promises';
import type { Ended, Running } from './process.ts';
import type { Check } from './tally.ts';

const ways = [
  'SIGKILL',
  'SIGTERM',
  'SIGINT',
  'SIGINT twice',
  'SIGTERM, then SIGKILL',
  'closed stdout',
] as const;
export type Way = (typeof ways)[number];

/** Whether calls under way may have been cut off: not by a first signal, which lets them finish. */
export const isHard = (way: Way): boolean =>
  way === 'SIGKILL' || way === 'SIGINT twice' || way === 'SIGTERM, then SIGKILL';

export interface Kill {
  readonly way: Way;
  /** Milliseconds after the start. */
  readonly after: number;
  /** Between the first blow and the second. */
  readonly between: number;
}

/** A start takes so long, and so does a job: moments are drawn from both. */
const longest = 600;

export function drawKill(random: () => number, among: readonly Way[] = ways): Kill {
  const way = among[Math.floor(random() * among.length)] ?? 'SIGKILL';
  return { way, after: Math.floor(random() * longest), between: Math.floor(random() * 30) };
}

export async function carryOutKill(
  { child, ended }: Running,
  { way, after, between }: Kill,
): Promise<Ended> {
  await Promise.race([ended, setTimeout(after)]);
  if (way === 'closed stdout') {
    child.stdout?.destroy();
    child.stderr?.resume();
    return ended;
  }
  const [first, second] =
    way === 'SIGINT twice'
      ? (['SIGINT', 'SIGINT'] as const)
      : way === 'SIGTERM, then SIGKILL'
        ? (['SIGTERM', 'SIGKILL'] as const)
        : [way];
  child.kill(first);
  if (second !== undefined) {
    await Promise.race([ended, setTimeout(between)]);
    child.kill(second);
  }
  return ended;
}

const codes: Readonly<Record<Way, readonly (number | string)[]>> = {
  SIGKILL: ['SIGKILL'],
  SIGTERM: ['SIGTERM', 143],
  SIGINT: ['SIGINT', 130],
  'SIGINT twice': ['SIGINT', 130],
  'SIGTERM, then SIGKILL': ['SIGTERM', 'SIGKILL', 143],
  'closed stdout': [],
};

/** The end is one of the table (or the signal's own, before the program was awake), and nothing on stderr is a trace. */
export function checkEnd(check: Check, { code, signal, stderr }: Ended, { way }: Kill): void {
  const end = code ?? signal ?? 'nothing';
  check([0, 8, ...codes[way]].includes(end), 'broken', `${way}: ended with ${end}: ${stderr}`);
  const strange = stderr.split('\n').filter((line) => line !== '' && !/^(pdi: |\{")/.test(line));
  check(strange.length === 0, 'broken', `${way}: ${stderr}`);
}
