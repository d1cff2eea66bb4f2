/** The calendar of the data set stands still, so that the same seed gives the same bytes on every day. */

const dayLength = 86_400_000;

const lastDay = '2026-06-30';

/** Signals reach this many days back, including the last day. */
export const signalDays = 120;

const lastDayStart = Date.parse(`${lastDay}T00:00:00Z`);

export const dateAgo = (days: number): string => new Date(lastDayStart - days * dayLength).toISOString().slice(0, 10);

export const momentAgo = (days: number, hour: number): string => new Date(lastDayStart - days * dayLength + hour * 3_600_000).toISOString();

/** Returns whole days from a `YYYY-MM-DD` to the last day; a later date gives a negative number. */
export const daysSince = (date: string): number => Math.round((lastDayStart - Date.parse(`${date}T00:00:00Z`)) / dayLength);
