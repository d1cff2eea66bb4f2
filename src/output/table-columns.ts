/** Decides which columns a table shows, how wide they are, and when a table is impossible. */
import type { Column, FieldKind } from '../contract/columns.ts';
import type { ResultRow } from '../rows/result-row.ts';
import { cleanLine } from './clean.ts';
import { cellText } from './display.ts';
import type { Layout } from './layout.ts';
import { columnReader, columnsFrom } from './read.ts';
import { cellWidth, gap } from './width.ts';

/** `content` is the width of the widest cell. */
interface Measured {
  readonly column: Column;
  readonly read: FieldReader;
  readonly content: number;
}

export interface ShownColumn extends Measured {
  readonly width: number;
}

type FieldReader = (row: ResultRow) => unknown;

/** A shortened column keeps at least this many cells. Heads up to this length stay in one piece if there is room. */
const minTextWidth = 12;
/** With fewer columns, cards show more. */
const minColumns = 3;

const shortened: ReadonlySet<FieldKind> = new Set<FieldKind>(['text', 'url', 'list', 'json']);

export const mayShorten = (kind: FieldKind): boolean => shortened.has(kind);

export const headPieces = (head: string): readonly string[] => head.split(/(?<=[_.])/);

/** A URL may be shortened but an identifier must not be. */
const inputColumn = (rows: readonly ResultRow[]): Column => ({
  name: 'input',
  kind: rows.some(({ input }) => input?.includes('/')) ? 'url' : 'id',
  inTable: true,
});

export function tableColumns({ columns, chosen }: Layout): readonly Column[] {
  if (chosen) return columns;
  const named = columns.filter(({ inTable }) => inTable);
  if (named.length === 0) return columns;
  return named.toSorted((one, other) => (one.rank ?? 0) - (other.rank ?? 0));
}

/** Returns the reader of a column. In a row without answer, the first column shows the input. */
export function fieldReader(column: Column, isFirst: boolean): FieldReader {
  if (column.name === 'input') return ({ input }) => input;
  const read = columnReader(column);
  return (row) => (isFirst && row.status !== 'ok' ? row.input : read(columnsFrom(row)));
}

const wideColumns = ({ columns, chosen }: Layout): readonly Column[] =>
  chosen
    ? []
    : columns
        .filter(({ inWideTable }) => inWideTable !== undefined)
        .toSorted((one, other) => (one.inWideTable ?? 0) - (other.inWideTable ?? 0));

/** Adds columns while head and content of all fit whole. Empty ones tell nothing. */
function withRoomUsed(measured: readonly Measured[], more: readonly Measured[], width: number): readonly Measured[] {
  const sizeOf = ({ column, content }: Measured) => Math.max(column.name.length, content) + gap;
  let room = measured.reduce((left, one) => left - sizeOf(one), width + gap);
  const added = more.filter((one) => {
    if (one.content === 0 || sizeOf(one) > room) return false;
    room -= sizeOf(one);
    return true;
  });
  return [...measured, ...added];
}

function repeatsInput(rows: readonly ResultRow[], first: Column | undefined): boolean {
  const answered = rows.filter(({ status }) => status === 'ok');
  if (first === undefined || answered.length === 0) return false;
  const read = fieldReader(first, false);
  return answered.every((row) => cellText(read(row), first) === cleanLine(row.input ?? ''));
}

function measure(columns: readonly Column[], rows: readonly ResultRow[], layout: Layout): readonly Measured[] {
  return columns.map((column, index) => {
    const read = fieldReader(column, layout.job && index === 0);
    const widths = rows.map((row) => cellWidth(cellText(read(row), column)));
    return { column, read, content: Math.max(0, ...widths) };
  });
}

function needOf({ column: { name: head, kind }, content }: Measured, broken: boolean): Need {
  const least = mayShorten(kind) ? Math.min(content, minTextWidth) : content;
  const pieces = head.length <= minTextWidth && !broken ? [head] : headPieces(head);
  return { floor: Math.max(1, least, ...pieces.map((piece) => piece.length)), content: Math.max(1, content), head: head.length };
}

/** Saves room in this order: heads on several lines, no empty columns, then fewer columns from the end. Chosen columns stay. */
function attempts(measured: readonly Measured[], { chosen, job }: Layout): readonly (readonly [readonly Measured[], boolean])[] {
  if (chosen) return [false, true].map((broken) => [measured, broken] as const);
  const filled = measured.filter(({ content }, index) => content > 0 || (job && index === 0));
  const fewer = Array.from({ length: Math.max(0, filled.length - minColumns) }, (_, dropped) => filled.slice(0, -1 - dropped));
  const some = filled.length === 0 ? measured : filled;
  return [[measured, false], [some, false], [some, true], ...fewer.map((left) => [left, true] as const)];
}

/** Returns the columns for these rows in `width` cells, or undefined if the terminal is too narrow for a table. */
export function columnsFor(rows: readonly ResultRow[], layout: Layout, width: number): readonly ShownColumn[] | undefined {
  const named = tableColumns(layout);
  const columns = layout.job && !repeatsInput(rows, named[0]) ? [inputColumn(rows), ...named] : named;
  const wide = withRoomUsed(measure(columns, rows, layout), measure(wideColumns(layout), rows, { ...layout, job: false }), width);
  for (const [measured, broken] of attempts(wide, layout)) {
    const widths = fitColumns(
      measured.map((one) => needOf(one, broken)),
      width,
    );
    if (widths !== undefined) return measured.map((one, index) => ({ ...one, width: widths[index] ?? 1 }));
  }
  return undefined;
}

interface Need {
  /** If not even the floors fit, the rows are shown as cards. */
  readonly floor: number;
  readonly content: number;
  readonly head: number;
}

function raise(widths: number[], wants: readonly number[], spare: number): number {
  for (let left = spare; left > 0; left--) {
    const wanting = widths.map((width, index) => (width < (wants[index] ?? 0) ? width : Number.POSITIVE_INFINITY));
    const narrowest = Math.min(...wanting);
    if (!Number.isFinite(narrowest)) return left;
    widths[wanting.indexOf(narrowest)] = narrowest + 1;
  }
  return 0;
}

/** Returns column widths, in cells of the terminal, that fit into `width` cells: contents first, then heads. Returns undefined if the floors do not fit. */
export function fitColumns(needs: readonly Need[], width: number): readonly number[] | undefined {
  const widths = needs.map(({ floor }) => floor);
  const spare = widths.reduce((left, floor) => left - floor, width - gap * (needs.length - 1));
  if (spare < 0) return undefined;
  const contents = needs.map(({ content }) => content);
  const heads = needs.map(({ head }) => head);
  raise(widths, heads, raise(widths, contents, spare));
  return widths;
}
