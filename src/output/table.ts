/** A table of the columns that fit the terminal, in widths that the first rows decide, or cards where none would be readable. */
import Table from 'cli-table3';
import picocolors from 'picocolors';
import type { Colors } from 'picocolors/types.js';
import { type Column, type FieldKind, isFigure } from '../contract/columns.ts';
import type { ResultRow } from '../rows/row.ts';
import { cardWriter } from './card.ts';
import { cleanLine } from './clean.ts';
import {
  cellText,
  cellWidth,
  cut,
  cutBetween,
  gap,
  onLines,
  paintFigure,
  paintStatus,
} from './display.ts';
import { type Formatter, type Layout, shortName } from './layout.ts';
import { type ColumnReader, columnReader, columnsFrom } from './read.ts';

const rowsMeasured = 200;
const minMessageWidth = 20;

type RowsWriter = (rows: readonly ResultRow[]) => string;

export function tableFormatter(layout: Layout): Formatter {
  const waiting: ResultRow[] = [];
  let show: RowsWriter | undefined;
  let fields: readonly Column[] | undefined;
  const start = (isAll: boolean): string => {
    ({ show, fields } = showFor(waiting.slice(0, rowsMeasured), layout, isAll));
    return show(waiting.splice(0));
  };
  return {
    rows(rows) {
      if (show !== undefined) return show(rows);
      for (const row of rows) waiting.push(row);
      return waiting.length < rowsMeasured ? '' : start(false);
    },
    end: () => (waiting.length === 0 ? '' : start(true)),
    remark: () =>
      fields === undefined || layout.isRead !== true || layout.chosen
        ? undefined
        : othersRemark(fields, layout),
  };
}

/** Who sees a table on a terminal may not know that it is a part. */
function othersRemark(shown: readonly Column[], { columns, explode }: Layout): string | undefined {
  const ofRecord = (all: readonly Column[]): number =>
    all.filter(({ name }) => name !== 'input' && !name.startsWith('pdi_')).length;
  const [some, all] = [
    ofRecord(shown),
    ofRecord(columns.filter(({ onlyInTable }) => onlyInTable !== true)),
  ];
  return some < all
    ? `${some} of ${all} fields; the others: -o ${explode === undefined ? 'json' : 'ndjson'}, --fields`
    : undefined;
}

/** `fields` are the columns of several records, of which a terminal shows those that fit. */
function showFor(rows: readonly ResultRow[], layout: Layout, isAll: boolean) {
  const colors = picocolors.createColors(layout.color);
  if (layout.isSingle || (isAll && rows.length === 1))
    return { show: shown('', cardWriter(layout.columns, layout, colors), '\n') };
  const columns = columnsFor(rows, layout);
  if (columns !== undefined) {
    const show = shown(
      headLines(columns, layout.width, colors),
      linesWriter(columns, layout, colors),
      '',
    );
    return { show, fields: columns.map(({ column }) => column) };
  }
  const { card: _, ...plain } = layout;
  const fields = tableColumns(layout).filter(
    ({ onlyInTable }) => onlyInTable !== true || layout.chosen,
  );
  return { show: shown('', cardWriter(fields, plain, colors), '\n'), fields };
}

/** Writes `head`, and then the text of each row, with `between` between those of two; one without a text is left out. */
function shown(head: string, textOf: (row: ResultRow) => string, between: string): RowsWriter {
  let before = head;
  return (rows) => {
    const texts = rows.map(textOf).filter((text) => text !== '');
    if (texts.length === 0) return '';
    const text = before + texts.join(between);
    before = between;
    return text;
  };
}

function linesWriter(
  columns: readonly TableColumn[],
  { job, width }: Layout,
  colors: Colors,
): (row: ResultRow) => string {
  const [first] = columns;
  return (row) => {
    if (job && row.status !== 'ok' && first !== undefined)
      return messageLines(row, cellOf(undefined, row, first, colors), width, colors);
    const record = columnsFrom(row);
    const cells = columns.map((column) => cellOf(record, row, column, colors));
    return lineOf(cells, width);
  };
}

interface Cell {
  readonly text: string;
  readonly paint: (text: string) => string;
  readonly kind: FieldKind;
  readonly width: number;
  readonly isOfIds?: boolean;
  readonly isWhole?: boolean | undefined;
}

function cellOf(
  record: unknown,
  row: ResultRow,
  { column, read, width }: TableColumn,
  colors: Colors,
): Cell {
  const value = read(record, row);
  const paint = paintFigure(value, column, colors);
  return {
    text: cellText(value, column),
    paint,
    kind: column.kind,
    width,
    isOfIds: isOfIds(column),
    isWhole: column.isWhole,
  };
}

/** What became of a row without an answer stands beside what was asked, or below it where there is little room. */
function messageLines(row: ResultRow, cell: Cell, width: number, colors: Colors): string {
  const text = cleanLine(row.error === undefined ? row.status : `${row.status}: ${row.error}`);
  const message: Cell = {
    text,
    paint: paintStatus(row.status, colors),
    kind: 'text',
    width: width - cell.width - gap,
  };
  const taken = mayShorten(cell.kind) ? cell.width : Math.max(cell.width, cellWidth(cell.text));
  if (width - taken - gap >= minMessageWidth) return lineOf([cell, message], width);
  return `${lineOf([cell], width)}${message.paint(' '.repeat(gap) + cut(text, width - gap))}\n`;
}

/** The names of columns, which break behind `_` and `.`, end on the same line. */
function headLines(columns: readonly TableColumn[], lineWidth: number, colors: Colors): string {
  const heads = columns.map(({ column, head, width }) => ({
    kind: column.kind,
    width,
    lines: onLines(headPieces(head), '', width),
  }));
  const height = Math.max(0, ...heads.map(({ lines }) => lines.length));
  const levels = Array.from({ length: height }, (_, level) =>
    heads.map(
      ({ lines, ...cell }): Cell => ({
        ...cell,
        text: lines[level - (height - lines.length)] ?? '',
        paint: colors.bold,
      }),
    ),
  );
  return levels.map((cells) => lineOf(cells, lineWidth)).join('');
}

const headPieces = (head: string): readonly string[] => head.split(/(?<=[_.])/);

/** Places the cells of one line. One that is too wide takes room from the right; only an identifier may exceed `lineWidth`. */
function lineOf(cells: readonly Cell[], lineWidth: number): string {
  const placed: Cell[] = [];
  let [start, used] = [0, -gap];
  for (const cell of cells) {
    const begin = used + gap;
    const room = start + cell.width - begin;
    const shortened = cell.isOfIds === true ? cutBetween : cut;
    const text =
      cell.kind === 'id' || cell.isWhole === true
        ? cell.text
        : shortened(cell.text, mayShorten(cell.kind) ? room : lineWidth - begin);
    const width = Math.max(room, cellWidth(text));
    start += cell.width + gap;
    if (width < 1) continue;
    placed.push({ ...cell, text, width });
    used = begin + width;
  }
  return drawn(placed);
}

const characters = ['top', 'bottom', 'left', 'right', 'mid'].flatMap((side) => [
  side,
  ...['mid', 'left', 'right'].map((at) => `${side}-${at}`),
]);
const borderless = {
  ...Object.fromEntries(characters.map((name) => [name, ''])),
  middle: ' '.repeat(gap),
};
const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0 };

/** Each line is a table of its own: its cells may be others than those above it, and cli-table3 takes quadratic time in the lines of a table. */
function drawn(cells: readonly Cell[]): string {
  const colAligns = cells.map(({ kind }) => (isFigure(kind) ? 'right' : 'left'));
  const table = new Table({
    chars: borderless,
    style,
    colWidths: cells.map(({ width }) => width),
    colAligns,
  });
  table.push(
    cells.map(({ text, paint }) => ({ content: cellWidth(text) === 0 ? '' : paint(text) })),
  );
  return `${table.toString().replace(/ *$/, '')}\n`;
}

/** One that shows whatever comes may be cut, but an identifier must not be. */
const mayShorten = (kind: FieldKind): boolean =>
  kind !== 'id' && kind !== 'date' && kind !== 'flag' && !isFigure(kind);

/** A list of identifiers may lose some of them, but none of their characters. */
const isOfIds = ({ kind, element }: Column): boolean =>
  kind === 'list' && element?.[0]?.kind === 'id';

/** `content` is the width of its widest cell, `least` the one that its cells need, `width` what it gets. */
interface TableColumn {
  readonly column: Column;
  readonly head: string;
  readonly read: ColumnReader;
  readonly content: number;
  readonly least: number;
  readonly width: number;
}

/** A shortened column keeps at least this many cells. Heads up to this length stay in one piece if there is room. */
const minTextWidth = 12;
const minColumns = 3;

function tableColumns({ columns, chosen }: Layout): readonly Column[] {
  const named = chosen ? [] : columns.filter(({ inTable }) => inTable);
  return named.length === 0
    ? columns
    : named.toSorted((one, other) => (one.rank ?? 0) - (other.rank ?? 0));
}

/** Undefined if the terminal is too narrow for a table. */
function columnsFor(
  rows: readonly ResultRow[],
  layout: Layout,
): readonly TableColumn[] | undefined {
  const { width } = layout;
  const named = tableColumns(layout);
  const hasInput = layout.job && !repeatsInput(rows, named[0]);
  const columns = hasInput ? [inputColumn(rows), ...named] : named;
  // In a row without answer, the first column shows the input.
  const names = layout.columns.map(({ name }) => name);
  const headOf = ({ name }: Column): string =>
    cleanLine(layout.chosen ? name : shortName(name, names));
  const measured = columns.map((column, at) =>
    measure(
      column,
      rows,
      headOf(column),
      (row) => layout.job && at === 0 && (hasInput || row.status !== 'ok'),
    ),
  );
  const more = wideColumns(layout).map((column) => measure(column, rows, headOf(column)));
  for (const [shown, broken] of attempts(withRoomUsed(measured, more, width), layout)) {
    const whole = fitColumns(shown, broken, width);
    // A text that would be cut gets the room of heads that may break.
    const widths = whole?.some((one, at) => one < (shown[at]?.content ?? 0))
      ? fitColumns(shown, true, width)
      : whole;
    if (widths !== undefined)
      return shown.map((one, index) => ({ ...one, width: widths[index] ?? 1 }));
  }
  return undefined;
}

function repeatsInput(rows: readonly ResultRow[], first: Column | undefined): boolean {
  const answered = rows.filter(({ status }) => status === 'ok');
  if (first === undefined || answered.length === 0) return false;
  const read = columnReader(first);
  return answered.every(
    (row) => cellText(read(columnsFrom(row), row), first) === cleanLine(row.input ?? ''),
  );
}

const inputColumn = (rows: readonly ResultRow[]): Column => ({
  name: 'input',
  kind: rows.some(({ input }) => input?.includes('/')) ? 'url' : 'id',
  inTable: true,
});

function wideColumns({ columns, chosen }: Layout): readonly Column[] {
  const wide = chosen ? [] : columns.filter(({ inWideTable }) => inWideTable !== undefined);
  return wide.toSorted((one, other) => (one.inWideTable ?? 0) - (other.inWideTable ?? 0));
}

function measure(
  column: Column,
  rows: readonly ResultRow[],
  head: string,
  showsInput: (row: ResultRow) => boolean = () => false,
): TableColumn {
  const readColumn = columnReader(column);
  const read: ColumnReader = (record, row) =>
    showsInput(row) ? row.input : readColumn(record, row);
  const texts = rows.map((row) => cellText(read(columnsFrom(row), row), column));
  const widest = (shown: readonly string[]) => Math.max(0, ...shown.map(cellWidth));
  const content = widest(texts);
  const whole = isOfIds(column) ? widest(texts.map((text) => cutBetween(text, 0))) : minTextWidth;
  const least = mayShorten(column.kind)
    ? Math.min(content, Math.max(whole, minTextWidth))
    : content;
  return { column, head, read, content, least, width: 0 };
}

function withRoomUsed(
  measured: readonly TableColumn[],
  more: readonly TableColumn[],
  width: number,
): readonly TableColumn[] {
  const sizeOf = ({ head, content }: TableColumn) => Math.max(cellWidth(head), content) + gap;
  let room = measured.reduce((left, one) => left - sizeOf(one), width + gap);
  const added = more.filter((one) => {
    if (one.content === 0 || sizeOf(one) > room) return false;
    room -= sizeOf(one);
    return true;
  });
  return [...measured, ...added];
}

/** Saves room in this order: heads on several lines, no empty columns, then fewer columns from the end. Chosen columns stay. */
function attempts(
  measured: readonly TableColumn[],
  { chosen, job, width }: Layout,
): readonly (readonly [readonly TableColumn[], boolean])[] {
  if (chosen) return [false, true].map((broken) => [measured, broken] as const);
  const filled = measured.filter(({ content }, index) => content > 0 || (job && index === 0));
  const most = Math.min(filled.length - 1, Math.floor((width + gap) / (1 + gap)));
  const fewer = Array.from({ length: Math.max(0, most - minColumns + 1) }, (_, dropped) =>
    filled.slice(0, most - dropped),
  );
  const some = filled.length === 0 ? measured : filled;
  return [
    [measured, false],
    [some, false],
    [some, true],
    ...fewer.map((left) => [left, true] as const),
  ];
}

function leastWidth({ head, least }: TableColumn, broken: boolean): number {
  const pieces = cellWidth(head) <= minTextWidth && !broken ? [head] : headPieces(head);
  return Math.max(1, least, ...pieces.map(cellWidth));
}

function raise(widths: number[], wants: readonly number[], spare: number): number {
  for (let left = spare; left > 0; left--) {
    const wanting = widths.map((width, index) =>
      width < (wants[index] ?? 0) ? width : Number.POSITIVE_INFINITY,
    );
    const narrowest = Math.min(...wanting);
    if (!Number.isFinite(narrowest)) return left;
    widths[wanting.indexOf(narrowest)] = narrowest + 1;
  }
  return 0;
}

/** Contents come first, then heads. Undefined if the least widths do not fit. */
function fitColumns(
  columns: readonly TableColumn[],
  broken: boolean,
  width: number,
): readonly number[] | undefined {
  const widths = columns.map((one) => leastWidth(one, broken));
  const spare = widths.reduce((left, least) => left - least, width - gap * (columns.length - 1));
  if (spare < 0) return undefined;
  const contents = columns.map(({ content }) => content);
  const heads = columns.map(({ head }) => cellWidth(head));
  raise(widths, heads, raise(widths, contents, spare));
  return widths;
}
