/** The lines of a table whose columns have their widths. What stands where is decided here; cli-table3 sets it. */
import Table from 'cli-table3';
import type { Colors } from 'picocolors/types.js';
import type { FieldKind } from '../contract/fields.ts';
import { gap } from './fit.ts';
import { cellWidth, cut } from './width.ts';

export interface GridColumn {
  readonly head: string;
  readonly kind: FieldKind;
  readonly width: number;
}

export interface Cell {
  readonly text: string;
  readonly paint: (text: string) => string;
}

/** A cell at its place in a line: slots stand side by side, `gap` apart, and hold what fits. */
export interface Slot {
  readonly text: string;
  readonly paint: (text: string) => string;
  readonly width: number;
  readonly align: 'left' | 'right';
}

export type GridLine = readonly Slot[];

const figures: ReadonlySet<FieldKind> = new Set<FieldKind>(['count', 'number', 'usd', 'percent']);
const shortened: ReadonlySet<FieldKind> = new Set<FieldKind>(['text', 'url', 'list', 'json']);

/** Whether a column's cells may lose their ends to make room for others. */
export const mayShorten = (kind: FieldKind): boolean => shortened.has(kind);

/** Where a column may break its head: behind an underscore or a dot. */
export const headPieces = (head: string): readonly string[] => head.split(/(?<=[_.])/);

const alignOf = (kind: FieldKind): Slot['align'] => (figures.has(kind) ? 'right' : 'left');

/** A head in lines of at most `width` cells, as few as possible. */
function headLines(head: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const piece of headPieces(head)) {
    const fits = line.length + piece.length <= width;
    if (!fits && line !== '') lines.push(line);
    line = fits ? line + piece : piece;
  }
  return [...lines, line];
}

/** The heads, in as many lines as the tallest needs, standing on the contents. */
export function headLinesOf(columns: readonly GridColumn[], colors: Colors): readonly GridLine[] {
  const heads = columns.map(({ head, kind, width }) => ({ lines: headLines(head, width), width, align: alignOf(kind) }));
  const height = Math.max(0, ...heads.map(({ lines }) => lines.length));
  return Array.from({ length: height }, (_, level) =>
    heads.map(({ lines, ...slot }) => ({ ...slot, text: lines[level - (height - lines.length)] ?? '', paint: colors.bold })),
  );
}

/**
 * The slots of one line. A cell that is wider than its column (an identifier or a figure that came after the widths were
 * set) takes from the cells to its right; only an identifier may make the line longer than `lineWidth`.
 */
export function lineOf(columns: readonly GridColumn[], cells: readonly Cell[], lineWidth: number): GridLine {
  const slots: Slot[] = [];
  let [start, used] = [0, -gap];
  columns.forEach(({ kind, width }, index) => {
    const { text, paint } = cells[index] ?? { text: '', paint: String };
    const begin = used + gap;
    const room = start + width - begin;
    const shown = kind === 'id' ? text : cut(text, mayShorten(kind) ? room : lineWidth - begin);
    const slotWidth = Math.max(room, cellWidth(shown));
    start += width + gap;
    if (slotWidth < 1) return;
    slots.push({ text: shown, paint, width: slotWidth, align: alignOf(kind) });
    used = begin + slotWidth;
  });
  return slots;
}

const characters = ['top', 'bottom', 'left', 'right', 'mid'].flatMap((side) => [
  side,
  ...['mid', 'left', 'right'].map((at) => `${side}-${at}`),
]);
const borderless = { ...Object.fromEntries(characters.map((name) => [name, ''])), middle: ' '.repeat(gap) };
const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0 };

/** Never part of a cleaned text, and one cell to every measure. */
const standIn = String.fromCharCode(0xd800);
const standIns = /\ud800+/gu;

/** A line of slots without their texts, set by cli-table3. */
function frameOf(widths: readonly number[]): string {
  const table = new Table({ chars: borderless, style, colWidths: [...widths] });
  table.push(widths.map((width) => standIn.repeat(width)));
  return table.toString();
}

/** A text in its slot. Padding stays outside the colour; a text that takes no cell would only spoil its neighbour. */
function filled({ text, paint, width, align }: Slot): string {
  const size = cellWidth(text);
  if (size === 0) return ' '.repeat(width);
  const padding = ' '.repeat(Math.max(0, width - size));
  return align === 'right' ? padding + paint(text) : paint(text) + padding;
}

/**
 * Sets lines: without trailing blanks, each with its line break. cli-table3 measures otherwise than a terminal (Thai, Indic,
 * some emoji), and slowly: it sets each shape of line once, with stand-ins, whose places the texts take by our measure.
 */
export function lineSetter(): (lines: readonly GridLine[]) => string {
  let [shape, frame] = ['', ''];
  const setLine = (line: GridLine): string => {
    const widths = line.map(({ width }) => width);
    if (widths.join(' ') !== shape) [shape, frame] = [widths.join(' '), frameOf(widths)];
    const slots = line.values();
    const text = frame.replace(standIns, () => {
      const { value } = slots.next();
      return value === undefined ? '' : filled(value);
    });
    return `${text.trimEnd()}\n`;
  };
  return (lines) => lines.map(setLine).join('');
}
