/** Defines the sections of cards. */
import type { Colors } from 'picocolors/types.js';
import type { Field } from './card-lines.ts';
import { cleanLine } from './clean.ts';
import { beginningOf } from './display.ts';
import { valueAt } from './read.ts';

export interface SectionView extends Pick<Colors, 'bold' | 'dim' | 'green' | 'red'> {
  readonly width: number;
}

/** A section without fields is left out of the card. */
export interface Section {
  readonly title?: string;
  /** The section shows these columns, so they need no line of their own. */
  readonly says: readonly string[];
  readonly fields: (record: unknown, view: SectionView) => readonly Field[];
}

export function textAt(record: unknown, path: string): string {
  const value = valueAt(record, path);
  return typeof value === 'string' ? cleanLine(beginningOf(value)) : '';
}

export function itemsAt(record: unknown, path: string): readonly unknown[] {
  const value = valueAt(record, path);
  return Array.isArray(value) ? value : [];
}

export const joined = (texts: readonly string[], separator: string): string => texts.filter((text) => text !== '').join(separator);

export const unlabelled = (text: string, more: Omit<Field, 'label' | 'texts'> = {}): readonly Field[] =>
  text === '' ? [] : [{ label: '', texts: [text], ...more }];

export function labelled(label: string, texts: readonly string[]): readonly Field[] {
  const filled = texts.filter((text) => text !== '');
  return filled.length === 0 ? [] : [{ label, texts: filled }];
}
