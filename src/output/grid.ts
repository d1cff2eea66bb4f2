/** Writes the lines of a table whose column widths are known. */
import type { Colors } from 'picocolors/types.js';
import type { Column } from '../contract/columns.ts';
import type { FieldKind } from '../contract/fields.ts';
import { cellWidth, cut, gap } from './width.ts';

export interface GridColumn {
  readonly column: Pick<Column, 'name' | 'kind'>;
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
  const heads = columns.map(({ column: { name, kind }, width }) => ({ lines: headLines(name, width), width, align: alignOf(kind) }));
  const height = Math.max(0, ...heads.map(({ lines }) => lines.length));
  return Array.from({ length: height }, (_, level) =>
    heads.map(({ lines, ...slot }) => ({ ...slot, text: lines[level - (height - lines.length)] ?? '', paint: colors.bold })),
  );
}

/** Places the cells of one line. A cell that is too wide takes room from the right; only an identifier may exceed `lineWidth`. */
export function lineOf(columns: readonly GridColumn[], cells: readonly Cell[], lineWidth: number): GridLine {
  const slots: Slot[] = [];
  let [start, used] = [0, -gap];
  columns.forEach(({ column: { kind }, width }, index) => {
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

/** Colours are no part of the width, and an empty cell gets none. */
function slotText({ text, paint, width, align }: Slot): string {
  const taken = cellWidth(text);
  const padding = ' '.repeat(Math.max(0, width - taken));
  const shown = taken === 0 ? '' : paint(text);
  return align === 'right' ? padding + shown : shown + padding;
}

export const gridText = (lines: readonly GridLine[]): string =>
  lines.map((line) => `${line.map(slotText).join(' '.repeat(gap)).replace(/ *$/, '')}\n`).join('');
