/** What the sections of cards are made of. */
import type { Colors } from 'picocolors/types.js';
import type { Field } from './card-lines.ts';
import { cleanLine } from './clean.ts';
import { beginningOf } from './display.ts';
import { valueAt } from './read.ts';

/** What a section is shown with. */
export interface SectionView extends Pick<Colors, 'bold' | 'dim' | 'green' | 'red'> {
  /** Cells of a line. */
  readonly width: number;
}

/** One section of a card. It is left out where it has no fields. */
export interface Section {
  /** The head of a card has none. */
  readonly title?: string;
  /** Columns that need no line of their own any more. */
  readonly says: readonly string[];
  readonly fields: (record: unknown, view: SectionView) => readonly Field[];
}

/** A text of the record, cleaned; empty where there is none. */
export function textAt(record: unknown, path: string): string {
  const value = valueAt(record, path);
  return typeof value === 'string' ? cleanLine(beginningOf(value)) : '';
}

/** The items of a list in the record. */
export function itemsAt(record: unknown, path: string): readonly unknown[] {
  const value = valueAt(record, path);
  return Array.isArray(value) ? value : [];
}

/** Those of the texts that say something, as one. */
export const joined = (texts: readonly string[], separator: string): string => texts.filter((text) => text !== '').join(separator);

/** A field without label; none where the text is empty. */
export const unlabelled = (text: string, more: Omit<Field, 'label' | 'texts'> = {}): readonly Field[] =>
  text === '' ? [] : [{ label: '', texts: [text], ...more }];

/** A label with its texts; none where all are empty. */
export function labelled(label: string, texts: readonly string[]): readonly Field[] {
  const filled = texts.filter((text) => text !== '');
  return filled.length === 0 ? [] : [{ label, texts: filled }];
}
