/** Writes cards: one record as lines of field and value, or in the sections of its resource. */
import type { Colors } from 'picocolors/types.js';
import type { Column } from '../contract/columns.ts';
import type { ResultRow } from '../rows/result-row.ts';
import { blockLines, type Field } from './card-lines.ts';
import { cards } from './cards.ts';
import { cleanLine } from './clean.ts';
import { cardTexts } from './display.ts';
import type { Layout } from './layout.ts';
import { paintFigure, paintStatus } from './paint.ts';
import { columnsFrom } from './read.ts';
import { fieldReader } from './table-columns.ts';
import { cut, gap } from './width.ts';

/** A card shows only the beginning of a list longer than this, because the rest would bury the other fields. */
const longList = 20;
const beginning = 10;

function abridged(value: unknown, { kind }: Column): unknown {
  if (kind !== 'list' || !Array.isArray(value) || value.length <= longList) return value;
  return [...value.slice(0, beginning), `… and ${value.length - beginning} more (all with --fields or -o json)`];
}

type FieldsReader = (row: ResultRow) => readonly (Field & { readonly name?: string })[];

function recordFieldsReader(columns: readonly Column[], layout: Layout, colors: Colors): FieldsReader {
  const shown = columns.filter(({ onlyInTable }) => layout.chosen || onlyInTable !== true);
  const readers = shown.map((column) => ({ column, label: column.name, read: fieldReader(column, false) }));
  return (row) =>
    readers.flatMap(({ column, label, read }) => {
      const value = read(row);
      const texts = cardTexts(layout.chosen ? value : abridged(value, column), column);
      if (texts.length === 0 && !layout.chosen) return [];
      return { name: column.name, label, texts, whole: column.kind === 'id', paint: paintFigure(value, column, colors) };
    });
}

function jobFields(row: ResultRow, fields: readonly Field[], colors: Colors): readonly [before: readonly Field[], after: readonly Field[]] {
  const input = cleanLine(row.input ?? '');
  const repeated = input === '' || fields.some(({ texts }) => texts[0] === input);
  const before = repeated ? [] : [{ label: 'input', texts: [input], whole: true }];
  if (row.status === 'ok') return [before, []];
  const status = { label: 'pdi_status', texts: [row.status], paint: paintStatus(row.status, colors) };
  return [before, row.error === undefined ? [status] : [status, { label: 'pdi_error', texts: [cleanLine(row.error)] }]];
}

function fieldsReader(columns: readonly Column[], layout: Layout, colors: Colors): FieldsReader {
  const recordFields = recordFieldsReader(columns, layout, colors);
  if (!layout.job) return recordFields;
  return (row) => {
    const fields = row.record === undefined ? [] : recordFields(row);
    const [before, after] = jobFields(row, fields, colors);
    return [...before, ...fields, ...after];
  };
}

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** Returns a function that writes a row as a card. Empty columns are left out unless `--fields` chose them. */
export function cardWriter(columns: readonly Column[], layout: Layout, width: number, colors: Colors): (row: ResultRow) => string {
  const fieldsOf = fieldsReader(columns, layout, colors);
  return (row) => textOf(blockLines(fieldsOf(row), width, colors.bold));
}

/** Writes a record that is shown alone: first the sections of its resource, then all fields that they do not show. */
export function recordCard(row: ResultRow, layout: Layout, width: number, colors: Colors): string {
  const { columns } = layout;
  const plan = layout.card === undefined || layout.chosen || row.status !== 'ok' ? undefined : cards[layout.card];
  if (plan === undefined) return cardWriter(columns, layout, width, colors)(row);
  const record = columnsFrom(row);
  const view = { ...colors, width };
  const sections = plan.map(([title, ...parts]) => ({ title, fields: parts.flatMap(({ fields }) => fields(record, view)) }));
  const said = new Set(plan.flatMap(([, ...parts]) => parts).flatMap(({ says }) => says));
  const rest = fieldsReader(columns, layout, colors)(row).filter(({ name }) => name === undefined || !said.has(name));
  const blocks = [...sections, { title: 'Other fields', fields: rest }].filter(({ fields }) => fields.length > 0);
  return blocks.map(({ title, fields }) => textOf(sectionLines(title, fields, width, colors))).join('\n');
}

function sectionLines(title: string, fields: readonly Field[], width: number, colors: Colors): readonly string[] {
  if (title === '') return blockLines(fields, width, colors.bold);
  const lines = blockLines(fields, width - gap, colors.dim);
  return [colors.bold(cut(title, width)), ...lines.map((line) => (line === '' ? line : ' '.repeat(gap) + line))];
}
