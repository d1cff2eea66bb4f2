/** Adds a picture below a table on a terminal: counts as bars. Its size does not depend on the number of records. */
import picocolors from 'picocolors';
import type { Colors } from 'picocolors/types.js';
import type { PictureName } from '../contract/endpoint.ts';
import { isNumber } from '../json/parse.ts';
import { type Bar, bar } from './bar.ts';
import { cleanLine } from './clean.ts';
import { DayCounts } from './day-counts.ts';
import { figure } from './display.ts';
import type { FormatOptions, Formatter } from './formatter.ts';
import { columnsFrom, readerOf } from './read.ts';
import { minWidth } from './table.ts';
import { cellWidth, cut, gap } from './width.ts';

interface Block {
  readonly title: string;
  readonly bars: readonly Bar[];
}

interface Picture {
  add(record: unknown): void;
  blocks(records: number): readonly Block[];
}

const grouped = (count: number): string => figure(String(count), 'count', '', 'full');

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
    const before = this.byName.get(label);
    if (before === undefined && this.byName.size >= maxNames) this.beyond += 1;
    else this.byName.set(label, (before ?? 0) + 1);
  }

  bars(most: number): readonly Bar[] {
    const all = Array.from(this.byName, ([label, count]) => ({ label, count })).toSorted(byCount);
    if (all.length <= most && this.beyond === 0) return all;
    const left = all.slice(most - 1).reduce((sum, { count }) => sum + count, this.beyond);
    return [...all.slice(0, most - 1), { label: 'others', count: left }];
  }
}

/** Both parts must stay visible below the table. */
const maxDays = 10;
const maxTypes = 4;

function signals(): Picture {
  const [dateOf, typeOf] = [readerOf('signal_date'), readerOf('signal_type')];
  const [days, types] = [new DayCounts(), new NameCounts('no type')];
  return {
    add(record) {
      days.add(dateOf(record));
      types.add(typeOf(record));
    },
    blocks(records) {
      const { unit, bars } = days.histogram(maxDays);
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
  const knownTo = Array<number>(manyTeammates + 1).fill(0);
  return {
    add(record) {
      roles.add(roleOf(record));
      const teammates = teammatesOf(record);
      const number = Array.isArray(teammates) ? Math.min(manyTeammates, teammates.length) : undefined;
      if (number !== undefined) knownTo[number] = (knownTo[number] ?? 0) + 1;
    },
    blocks: (records) => [
      { title: `${grouped(records)} people by role`, bars: roles.bars(maxRoles) },
      {
        title: 'Known to',
        bars: knownTo.map((count, number) => ({ label: teammatesText(number), count })).filter(({ count }) => count > 0),
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
      if (records < minRecords || typeof text !== 'string') return text;
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
