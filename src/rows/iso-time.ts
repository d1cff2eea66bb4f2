/** Days and times of ISO 8601 in all their forms: extended and basic, by month, week or day of the year, with any zone. */

interface IsoTime {
  readonly day: number;
  readonly seconds: number;
  readonly micros: number;
  readonly hasTime: boolean;
  /** Seconds east of UTC; undefined where no zone is written. */
  readonly offset: number | undefined;
}

const dayMs = 86_400_000;
const daySeconds = 86_400;

const dayShapes = [
  /^(?<year>\d{4})(?<dash>-?)(?<month>\d{2})\k<dash>(?<date>\d{2})$/,
  /^(?<year>\d{4})-?W(?<week>\d{2})-?(?<weekday>[1-7])$/i,
  /^(?<year>\d{4})-?(?<dayOfYear>\d{3})$/,
] as const;

const timeShape =
  /^(?<hours>\d{2})(?::?(?<minutes>\d{2})(?::?(?<seconds>\d{2}))?)?(?:[.,](?<fraction>\d+))?\s*(?<zone>z|(?<sign>[+\-\u2212])(?<east>\d{2})(?::?(?<eastMinutes>\d{2}))?)?$/i;

/** Undefined also for a day that the calendar lacks, and for an hour alone without a zone. */
export function parseIsoTime(text: string): IsoTime | undefined {
  const [, written = '', rest] = /^([\dWw-]+)(?:[Tt ]\s*(.+))?$/.exec(text.trim()) ?? [];
  const day = dayOf(written);
  if (day === undefined || (rest === undefined && /[Tt]/.test(text))) return undefined;
  if (rest === undefined) return { day, seconds: 0, micros: 0, hasTime: false, offset: undefined };
  const found = timeShape.exec(rest.trim())?.groups;
  if (found === undefined) return undefined;
  const [hours = 0, minutes = 0, seconds = 0] = [found.hours, found.minutes, found.seconds].map(
    (part) => Number(part ?? 0),
  );
  const isMidnight =
    hours === 24 && minutes === 0 && seconds === 0 && !/[1-9]/.test(found.fraction ?? '');
  // 23:59:60 is a second that UTC put in.
  if (
    (hours > 23 && !isMidnight) ||
    minutes > 59 ||
    seconds > 60 ||
    (found.minutes === undefined && found.zone === undefined)
  )
    return undefined;
  const east =
    (found.sign === '+' ? 1 : -1) *
    (Number(found.east ?? 0) * 3600 + Number(found.eastMinutes ?? 0) * 60);
  const micros =
    (Number((found.fraction ?? '').slice(0, 9).padEnd(9, '0')) * secondsOfLast(found)) / 1000;
  return {
    day,
    seconds: hours * 3600 + minutes * 60 + seconds + Math.floor(micros / 1e6),
    micros: Math.floor(micros % 1e6),
    hasTime: true,
    offset: found.zone === undefined ? undefined : east,
  };
}

/** A fraction is of the last unit that is written. */
function secondsOfLast({ minutes, seconds }: Readonly<Record<string, string | undefined>>): number {
  if (seconds !== undefined) return 1;
  return minutes === undefined ? 3600 : 60;
}

function dayOf(written: string): number | undefined {
  for (const shape of dayShapes) {
    const found = shape.exec(written)?.groups;
    if (found === undefined) continue;
    const year = Number(found.year);
    if (found.week !== undefined) return dayOfWeek(year, Number(found.week), Number(found.weekday));
    const [month, date] =
      found.month === undefined
        ? [1, Number(found.dayOfYear)]
        : [Number(found.month), Number(found.date)];
    const time = new Date(new Date(0).setUTCFullYear(year, month - 1, date));
    // February 30 would be March 2, and day 366 of most years is one of the next.
    const isReal =
      time.getUTCFullYear() === year &&
      (found.month === undefined || time.getUTCMonth() === month - 1);
    return isReal ? time.getTime() / dayMs : undefined;
  }
  return undefined;
}

/** Week 1 is the one with January 4; a week is of the year that its Thursday is in. */
function dayOfWeek(year: number, week: number, weekday: number): number | undefined {
  const fourth = new Date(new Date(0).setUTCFullYear(year, 0, 4));
  const monday = fourth.getTime() / dayMs - ((fourth.getUTCDay() + 6) % 7) + (week - 1) * 7;
  const thursday = new Date((monday + 3) * dayMs);
  return thursday.getUTCFullYear() === year ? monday + weekday - 1 : undefined;
}

export const localSeconds = ({ day, seconds }: IsoTime): number => day * daySeconds + seconds;
