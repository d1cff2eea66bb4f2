/** Writes the lines of a table whose column widths are known. This file places the cells, and cli-table3 draws them. */
import Table from 'cli-table3';
import type { Colors } from 'picocolors/types.js';
import type { FieldKind } from '../contract/fields.ts';
import { cellWidth, cut, gap } from './width.ts';

export interface GridColumn {
  readonly head: string;
  readonly kind: FieldKind;
  readonly width: number;
}

export interface Cell {
  readonly text: string;
  readonly paint: (text: string) => string;
}

/** A slot is a cell at its place in a line; two slots are `gap` cells apart. */
interface Slot {
  readonly text: string;
  readonly paint: (text: string) => string;
  readonly width: number;
  readonly align: 'left' | 'right';
}

export type GridLine = readonly Slot[];

const figures: ReadonlySet<FieldKind> = new Set<FieldKind>(['count', 'number', 'usd', 'percent']);
const shortened: ReadonlySet<FieldKind> = new Set<FieldKind>(['text', 'url', 'list', 'json']);

export const mayShorten = (kind: FieldKind): boolean => shortened.has(kind);

export const headPieces = (head: string): readonly string[] => head.split(/(?<=[_.])/);

const alignOf = (kind: FieldKind): Slot['align'] => (figures.has(kind) ? 'right' : 'left');

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

export function headLinesOf(columns: readonly GridColumn[], colors: Colors): readonly GridLine[] {
  const heads = columns.map(({ head, kind, width }) => ({ lines: headLines(head, width), width, align: alignOf(kind) }));
  const height = Math.max(0, ...heads.map(({ lines }) => lines.length));
  return Array.from({ length: height }, (_, level) =>
    heads.map(({ lines, ...slot }) => ({ ...slot, text: lines[level - (height - lines.length)] ?? '', paint: colors.bold })),
  );
}

/** Places the cells of one line. A cell that is too wide takes room from the right; only an identifier may exceed `lineWidth`. */
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

/** cli-table3 needs quadratic time in the lines of one table. */
const maxLines = 100;

const isSameShape = (one: GridLine, other: GridLine): boolean =>
  one.length === other.length && one.every(({ width, align }, index) => width === other[index]?.width && align === other[index]?.align);

function tablesOf(lines: readonly GridLine[]): readonly (readonly GridLine[])[] {
  const tables: GridLine[][] = [];
  for (const line of lines) {
    const last = tables.at(-1);
    if (last?.[0] !== undefined && last.length < maxLines && isSameShape(last[0], line)) last.push(line);
    else tables.push([line]);
  }
  return tables;
}

export function gridText(lines: readonly GridLine[]): string {
  return tablesOf(lines)
    .map((slots) => {
      const [first = []] = slots;
      const [colWidths, colAligns] = [first.map(({ width }) => width), first.map(({ align }) => align)];
      const table = new Table({ chars: borderless, style, colWidths, colAligns });
      table.push(...slots.map((line) => line.map(({ text, paint }) => ({ content: cellWidth(text) === 0 ? '' : paint(text) }))));
      return table.toString().replace(/ *$/gm, '').concat('\n');
    })
    .join('');
}
