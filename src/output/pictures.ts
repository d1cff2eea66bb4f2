/** Adds a picture below a table on a terminal: counts as bars. Its size does not depend on the number of records. */
import picocolors from 'picocolors';
import type { Colors } from 'picocolors/types.js';
import type { PictureName } from '../contract/endpoint.ts';
import { isNumber } from '../json/parse.ts';
import { cleanLine } from './clean.ts';
import { bar, figure } from './display.ts';
import type { FormatOptions, Formatter } from './layout.ts';
import { columnsFrom, readerOf } from './read.ts';
import { minWidth } from './table.ts';
import { cellWidth, cut, gap } from './width.ts';

/** Its label is clean and fits on one line. */
interface Bar {
  readonly label: string;
  readonly count: number;
}

interface Block {
  readonly title: string;
  readonly bars: readonly Bar[];
}

interface Picture {
  add(record: unknown): void;
  blocks(records: number): readonly Block[];
}

const grouped = (count: number): string => figure(count, 'count');

const addTo = <K>(counts: Map<K, number>, key: K, count = 1): Map<K, number> => counts.set(key, (counts.get(key) ?? 0) + count);

/** For fewer records the table is enough. */
const minRecords = 2;

/** Returns `formatter` with a picture of its records after a blank line, or without one if there are too few records. */
export function withPicture(formatter: Formatter, name: PictureName, { width, color }: FormatOptions): Formatter {
  const picture = pictures[name]();
  let records = 0;
  return {
    rows(rows) {
      for (const row of rows) {
        if (row.status !== 'ok') continue;
        picture.add(columnsFrom(row));
        records += 1;
      }
      return formatter.rows(rows);
    },
    end() {
      const text = formatter.end();
      if (records < minRecords) return text;
      const lines = barLines(picture.blocks(records), Math.max(minWidth, width), picocolors.createColors(color));
      return `${text}\n${lines.map((line) => `${line}\n`).join('')}`;
    },
  };
}

/** The longest bar has at most this many cells; below the minimum, only the figures are shown. */
const maxBarWidth = 24;
const minBarWidth = 4;

/** Draws blocks with titles, a line a bar. On a narrow line, labels are cut first and bars second, but counts never. */
function barLines(blocks: readonly Block[], width: number, colors: Colors): readonly string[] {
  const all = blocks.flatMap(({ bars }) => bars);
  const countWidth = Math.max(0, ...all.map(({ count }) => grouped(count).length));
  const room = Math.max(1, width - gap - gap - countWidth);
  const labelWidth = Math.min(room, Math.max(0, ...all.map(({ label }) => cellWidth(label))));
  const barWidth = Math.min(maxBarWidth, room - labelWidth - gap);
  const drawn = ({ title, bars }: Block): readonly string[] => {
    const most = Math.max(0, ...bars.map(({ count }) => count));
    const lines = bars.map(({ label, count }) => {
      const shown = cut(label, labelWidth);
      const padding = ' '.repeat(labelWidth - cellWidth(shown) + gap);
      const cells = barWidth < minBarWidth ? '' : bar(count, { least: 0, most }, barWidth);
      const figures = grouped(count).padStart(countWidth);
      return ' '.repeat(gap) + colors.dim(shown) + padding + figures + (cells === '' ? '' : ' '.repeat(gap) + colors.cyan(cells));
    });
    return [colors.bold(cut(title, width)), ...lines];
  };
  return blocks.filter(({ bars }) => bars.length > 0).flatMap(drawn);
}

/** Both parts must stay visible below the table. */
const maxDays = 10;
const maxTypes = 4;

function signals(): Picture {
  const [dateOf, typeOf] = [readerOf('signal_date'), readerOf('signal_type')];
  const days = new Map<number | undefined, number>();
  const types = new NameCounts('no type');
  return {
    add(record) {
      addTo(days, dayOf(dateOf(record)));
      types.add(typeOf(record));
    },
    blocks(records) {
      const { unit, bars } = histogram(days, maxDays);
      return [
        { title: `${grouped(records)} signals by ${unit}`, bars },
        { title: 'By type', bars: types.bars(maxTypes) },
      ];
    },
  };
}

const maxRoles = 7;
const manyTeammates = 5;

const teammatesText = (number: number): string =>
  number === manyTeammates ? `${number} teammates or more` : `${number} teammate${number === 1 ? '' : 's'}`;

function network(): Picture {
  const [roleOf, teammatesOf] = [readerOf('primary_role'), readerOf('connected_teammates')];
  const roles = new NameCounts('no role given');
  const knownTo = new Map<number, number>();
  return {
    add(record) {
      roles.add(roleOf(record));
      const teammates = teammatesOf(record);
      if (Array.isArray(teammates)) addTo(knownTo, Math.min(manyTeammates, teammates.length));
    },
    blocks: (records) => [
      { title: `${grouped(records)} people by role`, bars: roles.bars(maxRoles) },
      {
        title: 'Known to',
        bars: Array.from({ length: manyTeammates + 1 }, (_, number) => ({
          label: teammatesText(number),
          count: knownTo.get(number) ?? 0,
        })).filter(({ count }) => count > 0),
      },
    ],
  };
}

function companyLists(): Picture {
  const [isGlobal, sharedWithOf, companyCount] = [readerOf('is_global'), readerOf('shared_with'), readerOf('company_count')];
  const counts = { global: 0, shared: 0, 'not shared': 0 };
  let entries = 0;
  const audienceOf = (record: unknown): keyof typeof counts => {
    if (isGlobal(record) === true) return 'global';
    const sharedWith = sharedWithOf(record);
    return Array.isArray(sharedWith) && sharedWith.length > 0 ? 'shared' : 'not shared';
  };
  return {
    add(record) {
      const count = companyCount(record);
      const companies = isNumber(count) ? Number(count) : 0;
      entries += Number.isFinite(companies) ? companies : 0;
      counts[audienceOf(record)] += 1;
    },
    // A company in two lists counts as two entries.
    blocks: (records) => [
      {
        title: `${grouped(records)} lists with ${grouped(entries)} ${entries === 1 ? 'entry' : 'entries'}`,
        bars: Object.entries(counts).map(([label, count]) => ({ label, count })),
      },
    ],
  };
}

const pictures: Readonly<Record<PictureName, () => Picture>> = { signals, network, 'company lists': companyLists };

/** The service may send any number of names of any length, so both are limited. */
const maxNames = 1000;
const maxNameLength = 80;

const byCount = (one: Bar, other: Bar): number => other.count - one.count || (one.label < other.label ? -1 : 1);

/** Counts how often each name occurs, in bounded memory. */
class NameCounts {
  private readonly byName = new Map<string, number>();
  private beyond = 0;

  constructor(private readonly absent: string) {}

  add(name: unknown): void {
    const label = (typeof name === 'string' ? cleanLine(name.slice(0, maxNameLength)) : '') || this.absent;
    if (!this.byName.has(label) && this.byName.size >= maxNames) this.beyond += 1;
    else addTo(this.byName, label);
  }

  bars(most: number): readonly Bar[] {
    const all = Array.from(this.byName, ([label, count]) => ({ label, count })).toSorted(byCount);
    if (all.length <= most && this.beyond === 0) return all;
    const left = all.slice(most - 1).reduce((sum, { count }) => sum + count, this.beyond);
    return [...all.slice(0, most - 1), { label: 'others', count: left }];
  }
}

const dayMs = 86_400_000;
/** Day 0, 1970-01-01, was a Thursday, and a week begins on Monday, three days earlier. */
const mondayShift = 3;

const dayText = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);

/** Returns the days since 1970-01-01. The time after the date is ignored, and a day that does not exist gives undefined. */
function dayOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}(?!\d)/.test(value)) return undefined;
  const text = value.slice(0, 10);
  const day = Date.parse(`${text}T00:00:00Z`) / dayMs;
  return Number.isNaN(day) || dayText(day) !== text ? undefined : day;
}

interface Unit {
  readonly name: string;
  numberOf(day: number): number;
  labelOf(number: number): string;
}

const monthOf = (day: number): number => {
  const date = new Date(day * dayMs);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
};
const yearText = (year: number): string => String(year).padStart(4, '0');

const years: Unit = { name: 'year', numberOf: (day) => Math.floor(monthOf(day) / 12), labelOf: yearText };
const units: readonly Unit[] = [
  { name: 'day', numberOf: (day) => day, labelOf: dayText },
  {
    name: 'week (from Monday)',
    numberOf: (day) => Math.floor((day + mondayShift) / 7),
    labelOf: (week) => dayText(week * 7 - mondayShift),
  },
  {
    name: 'month',
    numberOf: monthOf,
    labelOf: (month) => `${yearText(Math.floor(month / 12))}-${String((month % 12) + 1).padStart(2, '0')}`,
  },
];

/**
 * Returns at most `most` bars of the finest unit that takes so few, the newest first, and one more for records without a date. Days between
 * others have a bar without records.
 */
function histogram(byDay: ReadonlyMap<number | undefined, number>, most: number): { readonly unit: string; readonly bars: readonly Bar[] } {
  const days = [...byDay.keys()].filter((day) => day !== undefined);
  const firstDay = days.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  const lastDay = days.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
  const { name, numberOf, labelOf } = units.find(({ numberOf }) => numberOf(lastDay) - numberOf(firstDay) < most) ?? years;
  const [first, last] = [numberOf(firstDay), numberOf(lastDay)];
  const oldest = Math.max(first, last - most + 1);
  const counts = new Map<number, number>();
  for (const day of days) addTo(counts, Math.max(oldest, numberOf(day)), byDay.get(day));
  const bars = Array.from({ length: days.length === 0 ? 0 : last - oldest + 1 }, (_, back) => {
    const number = last - back;
    const label = number === oldest && oldest > first ? `to ${labelOf(number)}` : labelOf(number);
    return { label, count: counts.get(number) ?? 0 };
  });
  const undated = byDay.get(undefined);
  return { unit: name, bars: undated === undefined ? bars : [...bars, { label: 'no date', count: undated }] };
}
