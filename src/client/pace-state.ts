/** What is learned of a service's limit. Runs that share it keep it as a text, with times of the clock on the wall. */
import * as z from 'zod/mini';
import { attempt } from '../errors.ts';

export const defaultPeriodMs = 1000;
/** After so long without a refusal twice the pace is tried, because the job whose calls made it slow may have ended; each failure doubles the time. */
const firstPatienceMs = 40_000;

const times = ['nextAt', 'lastSentAt', 'openedAt', 'shrunkAt', 'acceptedAt', 'at'] as const;

const paceState = z.object({
  nextAt: z.number(),
  lastSentAt: z.number(),
  /** Milliseconds between two sends, learned because the kind and size of the limit are not documented; 0 while none is known. */
  spacing: z.number(),
  isGuess: z.boolean(),
  limit: z.optional(z.number()),
  /** How many more the service says it takes. */
  allowance: z.optional(z.number()),
  asking: z.boolean(),
  /** When the limit last opened; `acceptedSince` counts the accepted requests that were sent since. */
  openedAt: z.optional(z.number()),
  acceptedSince: z.number(),
  shrunkAt: z.number(),
  patienceMs: z.number(),
  isTrying: z.boolean(),
  longestResetMs: z.number(),
  acceptedAt: z.optional(z.number()),
  /** When it was last changed. */
  at: z.number(),
  /** What each run has under way. */
  parts: z.record(z.string(), z.object({ calls: z.number(), at: z.number() })),
});
export type PaceState = z.infer<typeof paceState>;

export const nothingLearned = (): PaceState => ({
  nextAt: 0,
  lastSentAt: 0,
  spacing: 0,
  isGuess: false,
  asking: false,
  acceptedSince: 0,
  shrunkAt: 0,
  patienceMs: firstPatienceMs,
  isTrying: false,
  longestResetMs: defaultPeriodMs,
  at: 0,
  parts: {},
});

/** After `patience` accepted requests the spacing shrinks: the limit may have grown, as when another job on the key ended. */
const measuredGrowth = { patience: 300, step: 0.9 };
/** A guess shrinks sooner and by more, because other jobs may have used up what the refused request asked for. */
export const guessedGrowth = { patience: 4, step: 0.5 };

export const growthOf = ({ isGuess }: PaceState): typeof measuredGrowth =>
  isGuess ? guessedGrowth : measuredGrowth;

export const isLimited = ({ spacing, allowance, asking }: PaceState): boolean =>
  spacing > 0 || allowance !== undefined || asking;

/** Undefined for what cannot be read. `ahead`: by how much the clock on the wall is ahead of this process's. */
export const stateIn = (text: string, ahead: number): PaceState | undefined =>
  attempt(() => shifted(z.parse(paceState, JSON.parse(text)), -ahead));

export const stateText = (state: PaceState, ahead: number): string =>
  JSON.stringify(shifted(state, ahead));

function shifted(state: PaceState, by: number): PaceState {
  const moved = {
    ...state,
    parts: Object.fromEntries(
      Object.entries(state.parts).map(([name, part]) => [name, { ...part, at: part.at + by }]),
    ),
  };
  for (const name of times) {
    const time = moved[name];
    if (time !== undefined) moved[name] = time + by;
  }
  return moved;
}
