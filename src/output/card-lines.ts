/** Writes labelled values as lines of a terminal. Long values are wrapped and identifiers stay whole; nothing is cut. */
import type { Colors } from 'picocolors/types.js';
import { cellWidth, cut, gap, wrap } from './width.ts';

const minValueWidth = 20;

export interface Field {
  readonly label: string;
  readonly texts: readonly string[];
  readonly whole?: boolean;
  readonly paint?: (text: string) => string;
}

const asIs = (text: string): string => text;

const linesOf = ({ texts, whole = false }: Field, width: number): readonly string[] =>
  whole ? texts : texts.flatMap((text) => wrap(text, Math.max(1, width)));

/** A value goes below its label if that keeps a word (an identifier, a URL) in one piece. */
function wantsBelow({ texts, whole = false }: Field, room: number, below: number): boolean {
  if (whole) return texts.some((text) => cellWidth(text) > room);
  const longest = texts.flatMap((text) => text.split(' ')).reduce((most, word) => Math.max(most, cellWidth(word)), 0);
  return longest > room && longest <= below;
}

function fieldLines(field: Field, labelWidth: number, width: number, paintLabel: (text: string) => string): readonly string[] {
  const { paint = asIs } = field;
  if (labelWidth === 0) return linesOf(field, width).map(paint);
  const room = width - labelWidth - gap;
  const beside = room >= minValueWidth && !wantsBelow(field, room, width - gap);
  const label = field.label === '' ? '' : paintLabel(cut(field.label, width));
  if (!beside) {
    const below = linesOf(field, width - gap).map((line) => ' '.repeat(gap) + paint(line));
    return label === '' ? below : [label, ...below];
  }
  const [first, ...rest] = linesOf(field, room);
  if (first === undefined) return [label];
  const indent = ' '.repeat(labelWidth + gap);
  return [label + indent.slice(cellWidth(field.label)) + paint(first), ...rest.map((line) => indent + paint(line))];
}

/** Returns the lines of a block of fields. Only a long identifier may make a line wider than `width` cells. */
export function blockLines(fields: readonly Field[], width: number, paintLabel: Colors['bold']): readonly string[] {
  const labelWidth = Math.max(0, ...fields.map(({ label }) => cellWidth(label)));
  return fields.flatMap((field) => fieldLines(field, labelWidth, width, paintLabel));
}
