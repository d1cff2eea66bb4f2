/** Writes tables. The first rows decide the column widths, or that rows become cards; later rows are written as they come. */
import picocolors from 'picocolors';
import type { Colors } from 'picocolors/types.js';
import type { ResultRow } from '../rows/result-row.ts';
import { cardWriter, recordCard } from './card.ts';
import { cleanLine } from './clean.ts';
import { cellText } from './display.ts';
import type { FormatOptions, Formatter } from './formatter.ts';
import { type Cell, type GridLine, gridText, headLinesOf, lineOf } from './grid.ts';
import type { Layout } from './layout.ts';
import { paintFigure, paintStatus } from './paint.ts';
import { columnsFor, type ShownColumn, tableColumns } from './table-columns.ts';
import { cut, gap } from './width.ts';

/** This many rows are measured before the first is written. */
const pageSize = 200;
/** A narrower terminal is treated as this wide, because no readable text would fit. */
export const minWidth = 20;
const minMessageWidth = 20;

interface Style {
  readonly before: string;
  readonly show: (rows: readonly ResultRow[]) => string;
}

interface View {
  readonly layout: Layout;
  readonly width: number;
  readonly colors: Colors;
}

function cellOf(row: ResultRow, { column, read }: ShownColumn, colors: Colors): Cell {
  const value = read(row);
  return { text: cellText(value, column), paint: paintFigure(value, column, colors) };
}

function messageLines(row: ResultRow, first: Cell, column: ShownColumn, { width, colors }: View): readonly GridLine[] {
  const lead = lineOf([column], [first], width);
  const begin = (lead[0]?.width ?? 0) + gap;
  const message = cleanLine(row.error === undefined ? row.status : `${row.status}: ${row.error}`);
  const slot = (text: string, room: number) => ({ text, paint: paintStatus(row.status, colors), width: room, align: 'left' }) as const;
  if (width - begin >= minMessageWidth) return [[...lead, slot(cut(message, width - begin), width - begin)]];
  return [lead, [slot(' '.repeat(gap) + cut(message, width - gap), width)]];
}

function tableStyle(shown: readonly ShownColumn[], view: View): Style {
  const { layout, width, colors } = view;
  const linesOf = (row: ResultRow): readonly GridLine[] => {
    const cells = shown.map((column) => cellOf(row, column, colors));
    const [[first], [column]] = [cells, shown];
    if (layout.job && row.status !== 'ok' && first && column) return messageLines(row, first, column, view);
    return [lineOf(shown, cells, width)];
  };
  return { before: gridText(headLinesOf(shown, colors)), show: (rows) => gridText(rows.flatMap(linesOf)) };
}

function cardStyle(card: (row: ResultRow) => string): Style {
  let separator = '';
  const showOne = (row: ResultRow): string => {
    const text = card(row);
    if (text === '') return '';
    const before = separator;
    separator = '\n';
    return before + text;
  };
  return { before: '', show: (rows) => rows.map(showOne).join('') };
}

function styleFor(rows: readonly ResultRow[], view: View, isAll: boolean): Style {
  const { layout, width, colors } = view;
  if (layout.one || (isAll && rows.length === 1)) return cardStyle((row) => recordCard(row, layout, width, colors));
  const shown = columnsFor(rows, layout, width);
  if (shown !== undefined) return tableStyle(shown, view);
  return cardStyle(cardWriter(tableColumns(layout), layout, width, colors));
}

/** Writes rows for a terminal of `options.width` cells. Without rows there is no text. */
export function tableFormatter(layout: Layout, options: FormatOptions): Formatter {
  const view: View = { layout, width: Math.max(minWidth, options.width), colors: picocolors.createColors(options.color) };
  const waiting: ResultRow[] = [];
  let style: Style | undefined;
  const start = (isAll: boolean, more: readonly ResultRow[]): string => {
    const chosen = styleFor(waiting, view, isAll);
    style = chosen;
    return chosen.before + chosen.show(waiting.splice(0)) + chosen.show(more);
  };
  return {
    rows: (rows) => {
      if (style !== undefined) return style.show(rows);
      const missing = pageSize - waiting.length;
      waiting.push(...rows.slice(0, missing));
      return waiting.length < pageSize ? '' : start(false, rows.slice(missing));
    },
    end: () => (waiting.length === 0 ? '' : start(true, [])),
  };
}
