/** Adds pictures below a table on a terminal: its records counted by a column, as bars. Their size does not depend on the number of records. */
import picocolors from 'picocolors';
import type { Colors } from 'picocolors/types.js';
import type { Column } from '../contract/columns.ts';
import { addDays, dayOf, isDay, monthOf } from '../rows/days.ts';
import { bar, cellText, cellWidth, cut, figure, gap } from './display.ts';
import type { Formatter, Layout } from './layout.ts';
import { columnReader, columnsFrom } from './read.ts';

type Bars = readonly (readonly [label: string, count: number])[];

type Counts = Map<string, number>;

const grouped = (count: number): string => figure(count, 'count');

const addTo = (counts: Counts, key: string, count = 1): Counts =>
  counts.set(key, (counts.get(key) ?? 0) + count);

/** Fewer are counted at a glance. */
const minRecords = 20;

/** Adds pictures of the records after a blank line, or nothing if there are too few records. */
export function withPicture(
  formatter: Formatter,
  by: readonly string[],
  { columns, records: noun, width, color }: Layout,
): Formatter {
  const counted = by
    .flatMap((name) => columns.filter((column) => column.name === name))
    .map((column) => ({ column, read: columnReader(column), counts: new Map<string, number>() }));
  let records = 0;
  return {
    ...formatter,
    rows(rows) {
      for (const row of rows) {
        if (row.status !== 'ok') continue;
        const record = columnsFrom(row);
        for (const { column, read, counts } of counted)
          addTo(counts, labelOf(read(record, row), column, counts));
        records += 1;
      }
      return formatter.rows(rows);
    },
    end() {
      const text = formatter.end();
      if (records < minRecords) return text;
      const blocks = counted.map(({ column, counts }, at) =>
        at === 0
          ? blockOf(`${grouped(records)} ${noun} by`, column, counts, firstBars)
          : blockOf('By', column, counts, otherBars),
      );
      const lines = barLines(blocks, width, picocolors.createColors(color));
      return `${text}\n${lines.map((line) => `${line}\n`).join('')}`;
    },
  };
}

/** The service may send any number of texts of any length, so both are limited. */
const maxLabels = 1000;
const maxLabelWidth = 80;
const others = 'others';

const none = ({ name }: Column): string => `no ${name}`;

/** Of a date, its day counts. */
function labelOf(value: unknown, column: Column, counts: Counts): string {
  if (column.kind === 'date')
    return typeof value === 'string' && /^.{10}(?!\d)/.test(value) && isDay(dayOf(value))
      ? dayOf(value)
      : none(column);
  const label = cut(cellText(value, column), maxLabelWidth) || none(column);
  return counts.has(label) || counts.size < maxLabels ? label : others;
}

/** All blocks must stay visible below the table. */
const firstBars = 10;
const otherBars = 4;

function blockOf(
  words: string,
  column: Column,
  counts: Counts,
  most: number,
): { readonly title: string; readonly bars: Bars } {
  const { name, kind } = column;
  if (kind !== 'date') return { title: `${words} ${name}`, bars: commonest([...counts], most) };
  const dated = [...counts].filter(([day]) => isDay(day));
  const { unit, bars } = histogram(dated, most);
  const undated = counts.get(none(column));
  return {
    title: `${words} ${name}${unit}`,
    bars: undated === undefined ? bars : [...bars, [none(column), undated]],
  };
}

const sumOf = (bars: Bars): number => bars.reduce((sum, [, count]) => sum + count, 0);

function commonest(bars: Bars, most: number): Bars {
  const named = bars
    .filter(([label]) => label !== others)
    .toSorted(([one, count], [other, otherCount]) => otherCount - count || (one < other ? -1 : 1));
  if (bars.length <= most && named.length === bars.length) return named;
  const shown = named.slice(0, most - 1);
  return [...shown, [others, sumOf(bars) - sumOf(shown)]];
}

const units = [
  { name: 'day', shown: 'YYYY-MM-DD'.length, startOf: (day: string) => day },
  {
    name: 'week, from Monday',
    shown: 'YYYY-MM-DD'.length,
    startOf: (day: string) => addDays(day, -((new Date(day).getUTCDay() + 6) % 7)),
  },
  { name: 'month', shown: 'YYYY-MM'.length, startOf: (day: string) => `${monthOf(day)}-01` },
];
const years = {
  name: 'year',
  shown: 'YYYY'.length,
  startOf: (day: string) => `${day.slice(0, 4)}-01-01`,
};

/** Gives bars of the finest unit that takes few enough, the newest first. Periods between others have a bar without records. */
function histogram(byDay: Bars, most: number): { readonly unit: string; readonly bars: Bars } {
  const days = byDay.map(([day]) => day).toSorted();
  const [first = '', last] = [days[0], days.at(-1)];
  if (last === undefined) return { unit: '', bars: [] };
  const startsOf = ({ startOf }: typeof years): readonly string[] => {
    const starts = [];
    for (
      let start = startOf(last);
      start >= startOf(first) && starts.length < most;
      start = startOf(addDays(start, -1))
    )
      starts.push(start);
    return starts;
  };
  const oldestOf = (unit: typeof years): string => startsOf(unit).at(-1) ?? '';
  const unit = units.find((one) => oldestOf(one) <= first) ?? years;
  const oldest = oldestOf(unit);
  const counts: Counts = new Map(startsOf(unit).map((start) => [start, 0]));
  for (const [day, count] of byDay)
    addTo(counts, unit.startOf(day) < oldest ? oldest : unit.startOf(day), count);
  const labelOf = (start: string) =>
    (start === oldest && oldest > first ? 'to ' : '') + start.slice(0, unit.shown);
  return {
    unit: ` (${unit.name})`,
    bars: Array.from(counts, ([start, count]) => [labelOf(start), count]),
  };
}

/** The longest bar has at most this many cells; below the minimum, only the figures are shown. */
const maxBarWidth = 24;
const minBarWidth = 4;

/** Draws blocks with titles, a line a bar. On a narrow line, labels are cut first and bars second, but counts never. */
function barLines(
  blocks: readonly ReturnType<typeof blockOf>[],
  width: number,
  colors: Colors,
): readonly string[] {
  const all = blocks.flatMap(({ bars }) => bars);
  const countWidth = Math.max(0, ...all.map(([, count]) => grouped(count).length));
  const room = Math.max(1, width - gap - gap - countWidth);
  const labelWidth = Math.min(room, Math.max(0, ...all.map(([label]) => cellWidth(label))));
  const barWidth = Math.min(maxBarWidth, room - labelWidth - gap);
  const drawn = ({ title, bars }: ReturnType<typeof blockOf>): readonly string[] => {
    const most = Math.max(0, ...bars.map(([, count]) => count));
    const lines = bars.map(([label, count]) => {
      const shown = cut(label, labelWidth);
      const padding = ' '.repeat(labelWidth - cellWidth(shown) + gap);
      const cells = barWidth < minBarWidth ? '' : bar(count, { least: 0, most }, barWidth);
      const figures = grouped(count).padStart(countWidth);
      return (
        ' '.repeat(gap) +
        colors.dim(shown) +
        padding +
        figures +
        (cells === '' ? '' : ' '.repeat(gap) + colors.cyan(cells))
      );
    });
    return [colors.bold(cut(title, width)), ...lines];
  };
  return blocks.filter(({ bars }) => bars.length > 0).flatMap(drawn);
}
