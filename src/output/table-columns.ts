/** Which columns a table shows, how wide, and when none of it fits. */
import type { Column } from '../contract/columns.ts';
import type { ResultRow } from '../rows/result-row.ts';
import { cleanLine } from './clean.ts';
import { cellText, headsOf, withoutPlace } from './display.ts';
import { fitColumns, type Need } from './fit.ts';
import { type GridColumn, headPieces, mayShorten } from './grid.ts';
import type { Layout } from './layout.ts';
import { columnsFrom, readerOf } from './read.ts';
import { cellWidth } from './width.ts';

/** A column that has its place in the line. */
export interface ShownColumn extends GridColumn {
  readonly column: Column;
  readonly read: FieldReader;
}

/** Gives a column's value in a row. */
export type FieldReader = (row: ResultRow) => unknown;

/** What a shortened column keeps at the least; a head of that length stays in one piece where there is room. */
const minTextWidth = 12;
/** With fewer columns than this, cards say more. */
const minColumns = 3;

/** The pseudo-column of jobs. A URL may be shortened, an identifier not. */
const inputColumn = (rows: readonly ResultRow[]): Column => ({
  name: 'input',
  kind: rows.some(({ input }) => input?.includes('/')) ? 'url' : 'id',
  inTable: true,
});

/** The columns of a table, in its order; all there are where none is named for tables. */
export function tableColumns({ columns, chosen }: Layout): readonly Column[] {
  if (chosen) return columns.map(withoutPlace);
  const named = columns.filter(({ inTable }) => inTable);
  if (named.length === 0) return columns;
  return named.toSorted((one, other) => (one.place?.rank ?? 0) - (other.place?.rank ?? 0));
}

/** The reader of a column; the input stands in for the first column of a row without answer. */
export function fieldReader({ name, place }: Column, isFirst: boolean): FieldReader {
  if (name === 'input') return ({ input }) => input;
  const readers = [name, ...(place?.orElse ?? [])].map(readerOf);
  return (row) => {
    if (isFirst && row.status !== 'ok') return row.input;
    const record = columnsFrom(row);
    return readers.map((read) => read(record)).find((value) => value !== undefined && value !== null && value !== '');
  };
}

/** Whether the first column already says what was asked for, in every row that has an answer. */
function repeatsInput(rows: readonly ResultRow[], first: Column | undefined): boolean {
  const answered = rows.filter(({ status }) => status === 'ok');
  if (first === undefined || answered.length === 0) return false;
  const read = fieldReader(first, false);
  return answered.every((row) => cellText(read(row), first) === cleanLine(row.input ?? ''));
}

interface Measured {
  readonly column: Column;
  readonly read: FieldReader;
  readonly head: string;
  /** Cells of the widest content; 0 where no row has any. */
  readonly content: number;
}

function measure(columns: readonly Column[], rows: readonly ResultRow[], layout: Layout): readonly Measured[] {
  const heads = headsOf(columns);
  return columns.map((column, index) => {
    const read = fieldReader(column, layout.job && index === 0);
    const widths = rows.map((row) => cellWidth(cellText(read(row), column)));
    return { column, read, head: heads[index] ?? column.name, content: Math.max(0, ...widths) };
  });
}

/** `broken`: even short heads may stand on several lines. */
function needOf({ column, head, content }: Measured, broken: boolean): Need {
  const least = mayShorten(column.kind) ? Math.min(content, minTextWidth) : content;
  const pieces = head.length <= minTextWidth && !broken ? [head] : headPieces(head);
  return { floor: Math.max(1, least, ...pieces.map((piece) => piece.length)), content: Math.max(1, content), head: head.length };
}

/**
 * Ways to save room, the mildest first: heads on several lines, no column that is empty in all rows, then without the last
 * ones. Chosen columns stay.
 */
function attempts(measured: readonly Measured[], { chosen, job }: Layout): readonly (readonly [readonly Measured[], boolean])[] {
  if (chosen)
    return [
      [measured, false],
      [measured, true],
    ];
  const filled = measured.filter(({ content }, index) => content > 0 || (job && index === 0));
  const fewer = Array.from({ length: Math.max(0, filled.length - minColumns) }, (_, dropped) => filled.slice(0, -1 - dropped));
  const some = filled.length === 0 ? measured : filled;
  return [[measured, false], [some, false], [some, true], ...fewer.map((left) => [left, true] as const)];
}

/** The columns for these rows in `width` cells; undefined where the terminal is too narrow for a table. */
export function columnsFor(rows: readonly ResultRow[], layout: Layout, width: number): readonly ShownColumn[] | undefined {
  const named = tableColumns(layout);
  const columns = layout.job && !repeatsInput(rows, named[0]) ? [inputColumn(rows), ...named] : named;
  for (const [measured, broken] of attempts(measure(columns, rows, layout), layout)) {
    const widths = fitColumns(
      measured.map((one) => needOf(one, broken)),
      width,
    );
    if (widths !== undefined) {
      return measured.map(({ column, read, head }, index) => ({ column, read, head, kind: column.kind, width: widths[index] ?? 1 }));
    }
  }
  return undefined;
}
