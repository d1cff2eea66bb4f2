/**
 * Writes tables. The first rows decide the column widths, or that rows become cards; later rows are written as they come. This file places the
 * cells of a line, and cli-table3 draws them.
 */
import Table from 'cli-table3';
import picocolors from 'picocolors';
import type { Colors } from 'picocolors/types.js';
import type { ResultRow } from '../rows/result-row.ts';
import { cardWriter, recordCard } from './card.ts';
import { cleanLine } from './clean.ts';
import { cellText, isFigure, paintFigure, paintStatus } from './display.ts';
import type { FormatOptions, Formatter, Layout } from './layout.ts';
import { columnsFor, headPieces, mayShorten, type ShownColumn, tableColumns } from './table-columns.ts';
import { cellWidth, cut, gap } from './width.ts';

/** This many rows are measured before the first is written. */
const pageSize = 200;
/** A narrower terminal is treated as this wide, because no readable text would fit. */
export const minWidth = 20;
const minMessageWidth = 20;

interface View {
  readonly layout: Layout;
  readonly width: number;
  readonly colors: Colors;
}

type RowsWriter = (rows: readonly ResultRow[]) => string;

/** Writes rows for a terminal of `options.width` cells. Without rows there is no text. */
export function tableFormatter(layout: Layout, options: FormatOptions): Formatter {
  const view: View = { layout, width: Math.max(minWidth, options.width), colors: picocolors.createColors(options.color) };
  const waiting: ResultRow[] = [];
  let show: RowsWriter | undefined;
  const start = (isAll: boolean): string => {
    show = showFor(waiting.slice(0, pageSize), view, isAll);
    return show(waiting.splice(0));
  };
  return {
    rows(rows) {
      if (show !== undefined) return show(rows);
      for (const row of rows) waiting.push(row);
      return waiting.length < pageSize ? '' : start(false);
    },
    end: () => (waiting.length === 0 ? '' : start(true)),
  };
}

function showFor(rows: readonly ResultRow[], view: View, isAll: boolean): RowsWriter {
  const { layout, width, colors } = view;
  if (layout.one || (isAll && rows.length === 1)) return cardsShown((row) => recordCard(row, layout, width, colors));
  const shown = columnsFor(rows, layout, width);
  return shown === undefined ? cardsShown(cardWriter(tableColumns(layout), layout, width, colors)) : tableShown(shown, view);
}

function cardsShown(card: (row: ResultRow) => string): RowsWriter {
  let separator = '';
  const showOne = (row: ResultRow): string => {
    const text = card(row);
    if (text === '') return '';
    const before = separator;
    separator = '\n';
    return before + text;
  };
  return (rows) => rows.map(showOne).join('');
}

function tableShown(shown: readonly ShownColumn[], view: View): RowsWriter {
  const { layout, width, colors } = view;
  let before = headLinesOf(shown, colors);
  const linesOf = (row: ResultRow): readonly GridLine[] => {
    const cells = shown.map((column) => cellOf(row, column, colors));
    const [[first], [column]] = [cells, shown];
    if (layout.job && row.status !== 'ok' && first && column) return messageLines(row, first, column, view);
    return [lineOf(shown, cells, width)];
  };
  return (rows) => {
    const lines = [...before, ...rows.flatMap(linesOf)];
    before = [];
    return lines.map(lineText).join('');
  };
}

interface Cell {
  readonly text: string;
  readonly paint: (text: string) => string;
}

/** A slot is a cell at its place in a line; two slots are `gap` cells apart. */
interface Slot extends Cell {
  readonly width: number;
  readonly align: 'left' | 'right';
}

type GridLine = readonly Slot[];

function cellOf(row: ResultRow, { column, read }: ShownColumn, colors: Colors): Cell {
  const value = read(row);
  return { text: cellText(value, column), paint: paintFigure(value, column, colors) };
}

function messageLines(row: ResultRow, first: Cell, column: ShownColumn, { width, colors }: View): readonly GridLine[] {
  const lead = lineOf([column], [first], width);
  const begin = (lead[0]?.width ?? 0) + gap;
  const message = cleanLine(row.error === undefined ? row.status : `${row.status}: ${row.error}`);
  const slot = (text: string, room: number): Slot => ({ text, paint: paintStatus(row.status, colors), width: room, align: 'left' });
  if (width - begin >= minMessageWidth) return [[...lead, slot(cut(message, width - begin), width - begin)]];
  return [lead, [slot(' '.repeat(gap) + cut(message, width - gap), width)]];
}

const alignOf = ({ column }: ShownColumn): Slot['align'] => (isFigure(column.kind) ? 'right' : 'left');

function headLinesOf(columns: readonly ShownColumn[], colors: Colors): readonly GridLine[] {
  const heads = columns.map((shown) => ({ lines: headLines(shown), width: shown.width, align: alignOf(shown) }));
  const height = Math.max(0, ...heads.map(({ lines }) => lines.length));
  return Array.from({ length: height }, (_, level) =>
    heads.map(({ lines, ...slot }) => ({ ...slot, text: lines[level - (height - lines.length)] ?? '', paint: colors.bold })),
  );
}

function headLines({ column: { name }, width }: ShownColumn): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const piece of headPieces(name)) {
    const fits = line.length + piece.length <= width;
    if (!fits && line !== '') lines.push(line);
    line = fits ? line + piece : piece;
  }
  return [...lines, line];
}

/** Places the cells of one line. A cell that is too wide takes room from the right; only an identifier may exceed `lineWidth`. */
function lineOf(columns: readonly ShownColumn[], cells: readonly Cell[], lineWidth: number): GridLine {
  const slots: Slot[] = [];
  let [start, used] = [0, -gap];
  columns.forEach((shown, index) => {
    const { kind } = shown.column;
    const { text, paint } = cells[index] ?? { text: '', paint: String };
    const begin = used + gap;
    const room = start + shown.width - begin;
    const placed = kind === 'id' ? text : cut(text, mayShorten(kind) ? room : lineWidth - begin);
    const width = Math.max(room, cellWidth(placed));
    start += shown.width + gap;
    if (width < 1) return;
    slots.push({ text: placed, paint, width, align: alignOf(shown) });
    used = begin + width;
  });
  return slots;
}

const characters = ['top', 'bottom', 'left', 'right', 'mid'].flatMap((side) => [
  side,
  ...['mid', 'left', 'right'].map((at) => `${side}-${at}`),
]);
const borderless = { ...Object.fromEntries(characters.map((name) => [name, ''])), middle: ' '.repeat(gap) };
const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0 };

/** Each line is a table of its own: its slots may be others than those above it, and cli-table3 takes quadratic time in the lines of a table. */
function lineText(slots: GridLine): string {
  const [colWidths, colAligns] = [slots.map(({ width }) => width), slots.map(({ align }) => align)];
  const table = new Table({ chars: borderless, style, colWidths, colAligns });
  table.push(slots.map(({ text, paint }) => ({ content: cellWidth(text) === 0 ? '' : paint(text) })));
  return `${table.toString().replace(/ *$/, '')}\n`;
}
