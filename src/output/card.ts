/** Writes cards: one record as labelled lines, in the sections of its resource if it has some. Long values are wrapped, identifiers stay whole, nothing is cut. */
import type { Colors } from 'picocolors/types.js';
import type { Column } from '../contract/columns.ts';
import type { ResultRow } from '../rows/result-row.ts';
import { cards, type Field } from './cards.ts';
import { cleanLine } from './clean.ts';
import { cardTexts, paintFigure, paintStatus } from './display.ts';
import type { Layout } from './layout.ts';
import { columnsFrom } from './read.ts';
import { fieldReader } from './table-columns.ts';
import { cellWidth, cut, gap, wrap } from './width.ts';

/** A card shows only the beginning of a list longer than this, because the rest would bury the other fields. */
const longList = 20;
const beginning = 10;

function abridged(value: unknown, { kind }: Column): unknown {
  if (kind !== 'list' || !Array.isArray(value) || value.length <= longList) return value;
  return [...value.slice(0, beginning), `… and ${value.length - beginning} more (all with --fields or -o json)`];
}

type FieldsReader = (row: ResultRow) => readonly Field[];

function recordFieldsReader(columns: readonly Column[], layout: Layout, colors: Colors): FieldsReader {
  const shown = columns.filter(({ onlyInTable }) => layout.chosen || onlyInTable !== true);
  const readers = shown.map((column) => ({ column, read: fieldReader(column, false) }));
  return (row) =>
    readers.flatMap(({ column, read }) => {
      const { name, kind } = column;
      const value = read(row);
      const texts = cardTexts(layout.chosen ? value : abridged(value, column), column);
      if (texts.length === 0 && !layout.chosen) return [];
      return { name, label: name, texts, whole: kind === 'id', paint: paintFigure(value, column, colors) };
    });
}

/** The fields of a job that has no answer for a row, or whose answer does not say what was asked, stand around those of the record. */
function fieldsReader(columns: readonly Column[], layout: Layout, colors: Colors): FieldsReader {
  const recordFields = recordFieldsReader(columns, layout, colors);
  if (!layout.job) return recordFields;
  return (row) => {
    const fields = row.record === undefined ? [] : recordFields(row);
    const input = cleanLine(row.input ?? '');
    const isRepeated = input === '' || fields.some(({ texts }) => texts[0] === input);
    const asked: readonly Field[] = isRepeated ? [] : [{ label: 'input', texts: [input], whole: true }];
    const status: Field = { label: 'pdi_status', texts: [row.status], paint: paintStatus(row.status, colors) };
    const error: readonly Field[] = row.error === undefined ? [] : [{ label: 'pdi_error', texts: [cleanLine(row.error)] }];
    return [...asked, ...fields, ...(row.status === 'ok' ? [] : [status, ...error])];
  };
}

/** Returns a function that writes a row as a card. Empty columns are left out unless `--fields` chose them. */
export function cardWriter(columns: readonly Column[], layout: Layout, width: number, colors: Colors): (row: ResultRow) => string {
  const fieldsOf = fieldsReader(columns, layout, colors);
  return (row) => sectionText('', fieldsOf(row), width, colors);
}

/** Writes a record that is shown alone: first the sections of its resource, then all fields that they do not show. */
export function recordCard(row: ResultRow, layout: Layout, width: number, colors: Colors): string {
  const { columns } = layout;
  const plan = layout.card === undefined || layout.chosen || row.status !== 'ok' ? undefined : cards[layout.card];
  if (plan === undefined) return cardWriter(columns, layout, width, colors)(row);
  const record = columnsFrom(row);
  const sections = plan.map(([title, ...parts]) => ({ title, fields: parts.flatMap(({ fields }) => fields(record, colors, width)) }));
  const said = new Set(plan.flatMap(([, ...parts]) => parts).flatMap(({ says }) => says));
  const rest = fieldsReader(columns, layout, colors)(row).filter(({ name }) => name === undefined || !said.has(name));
  const blocks = [...sections, { title: 'Other fields', fields: rest }].filter(({ fields }) => fields.length > 0);
  return blocks.map(({ title, fields }) => sectionText(title, fields, width, colors)).join('\n');
}

/** Only a long identifier may make a line wider than `width` cells. */
function sectionText(title: string, fields: readonly Field[], width: number, colors: Colors): string {
  const [indent, paintLabel] = title === '' ? [0, colors.bold] : [gap, colors.dim];
  const labelWidth = Math.max(0, ...fields.map(({ label }) => cellWidth(label)));
  const lines = fields.flatMap((field) => fieldLines(field, labelWidth, width - indent, paintLabel));
  const indented = lines.map((line) => (line === '' ? line : ' '.repeat(indent) + line));
  return [...(title === '' ? [] : [colors.bold(cut(title, width))]), ...indented].map((line) => `${line}\n`).join('');
}

const minValueWidth = 20;

function fieldLines(field: Field, labelWidth: number, width: number, paintLabel: Colors['bold']): readonly string[] {
  const { label, paint = String } = field;
  if (labelWidth === 0) return linesOf(field, width).map((line) => paint(line));
  const room = width - labelWidth - gap;
  const shownLabel = label === '' ? '' : paintLabel(cut(label, width));
  if (room < minValueWidth || wantsBelow(field, room, width - gap)) {
    const below = linesOf(field, width - gap).map((line) => ' '.repeat(gap) + paint(line));
    return label === '' ? below : [shownLabel, ...below];
  }
  const [first = '', ...rest] = linesOf(field, room);
  const indent = ' '.repeat(labelWidth + gap);
  return [shownLabel + (first === '' ? '' : indent.slice(cellWidth(label)) + paint(first)), ...rest.map((line) => indent + paint(line))];
}

const linesOf = ({ texts, whole = false }: Field, width: number): readonly string[] =>
  whole ? texts : texts.flatMap((text) => wrap(text, Math.max(1, width)));

/** A value goes below its label if that keeps a word (an identifier, a URL) in one piece. */
function wantsBelow({ texts, whole = false }: Field, room: number, below: number): boolean {
  if (whole) return texts.some((text) => cellWidth(text) > room);
  const longest = texts.flatMap((text) => text.split(' ')).reduce((most, word) => Math.max(most, cellWidth(word)), 0);
  return longest > room && longest <= below;
}
