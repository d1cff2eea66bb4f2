/** Writes a record as labelled lines: long values are wrapped, identifiers stay whole, nothing is cut. */
import type { Colors } from 'picocolors/types.js';
import type { Column } from '../contract/columns.ts';
import type { CardSection } from '../contract/endpoint.ts';
import { isNumber } from '../json/exact.ts';
import type { ResultRow } from '../rows/row.ts';
import { cleanLine } from './clean.ts';
import {
  bar,
  cardTexts,
  cellWidth,
  cut,
  elementText,
  gap,
  paintFigure,
  paintStatus,
  period,
  wrap,
} from './display.ts';
import type { Layout } from './layout.ts';
import { columnReader, columnsFrom, valueAt } from './read.ts';

interface Field {
  readonly label: string;
  readonly texts: readonly string[];
  readonly whole?: boolean;
  readonly paint?: (text: string) => string;
  readonly percent?: number;
  readonly labels?: Column['labels'];
}

/** A card shows only the beginning of a list longer than this, because the rest would bury the other fields. */
const longList = 20;
const beginning = 10;

function abridged(value: unknown, { kind }: Column): unknown {
  if (kind !== 'list' || !Array.isArray(value) || value.length <= longList) return value;
  return [
    ...value.slice(0, beginning),
    `… and ${value.length - beginning} more (all with --fields or -o json)`,
  ];
}

/** Gives what writes a row: the sections of its resource, if `card` has some, then all fields that they do not show. */
export function cardWriter(
  columns: readonly Column[],
  layout: Layout,
  colors: Colors,
): (row: ResultRow) => string {
  const { width, card } = layout;
  const fieldsOf = fieldsReader(columns, layout, colors);
  return (row) => {
    const fields = fieldsOf(row);
    const isWhole = card === undefined || layout.chosen || row.status !== 'ok';
    const sections = isWhole
      ? [{ title: '', fields }]
      : sectionsOf(card, withBars(fields, width), columnsFrom(row), colors);
    const filled = sections.filter((section) => section.fields.length > 0);
    return filled
      .map((section) => sectionText(section.title, section.fields, width, colors))
      .join('\n');
  };
}

/** Empty columns are left out unless `--fields` chose them; input, status and error of a job are added where they say more. */
function fieldsReader(
  columns: readonly Column[],
  { chosen, job }: Layout,
  colors: Colors,
): (row: ResultRow) => readonly Field[] {
  const shown = columns.filter(({ onlyInTable }) => chosen || onlyInTable !== true);
  const readers = shown.map((column) => ({ column, read: columnReader(column) }));
  const recordFields = (row: ResultRow): readonly Field[] => {
    const record = columnsFrom(row);
    return readers.flatMap(({ column, read }): readonly Field[] => {
      const { name, kind } = column;
      const value = read(record, row);
      const texts = cardTexts(chosen ? value : abridged(value, column), column);
      if (texts.length === 0 && !chosen) return [];
      const percent = kind === 'percent' && isNumber(value) ? { percent: Number(value) } : {};
      return [
        {
          label: cleanLine(name),
          texts,
          whole: kind === 'id',
          paint: paintFigure(value, column, colors),
          labels: column.labels,
          ...percent,
        },
      ];
    });
  };
  if (!job) return recordFields;
  return (row) => {
    const fields = row.record === undefined ? [] : recordFields(row);
    const input = cleanLine(row.input ?? '');
    const isRepeated = input === '' || fields.some(({ texts }) => texts[0] === input);
    const asked: readonly Field[] = isRepeated
      ? []
      : [{ label: 'input', texts: [input], whole: true }];
    const status: Field = {
      label: 'pdi_status',
      texts: [row.status],
      paint: paintStatus(row.status, colors),
    };
    const error: readonly Field[] =
      row.error === undefined ? [] : [{ label: 'pdi_error', texts: [cleanLine(row.error)] }];
    return [...asked, ...fields, ...(row.status === 'ok' ? [] : [status, ...error])];
  };
}

function sectionsOf(
  card: readonly CardSection[],
  all: readonly Field[],
  record: unknown,
  colors: Colors,
) {
  const said = new Set(
    card.flatMap(({ list, lines = [], fields = [] }) =>
      list === undefined ? [...lines.flat(), ...fields] : [list],
    ),
  );
  return [
    ...card.map((section) => ({
      title: section.title,
      fields: sectionFields(section, all, record, colors),
    })),
    { title: 'Other fields', fields: all.filter(({ label }) => !said.has(label)) },
  ];
}

function sectionFields(
  { title, list, lines = [], fields = [] }: CardSection,
  all: readonly Field[],
  record: unknown,
  colors: Colors,
) {
  if (list !== undefined)
    return elementFields(valueAt(record, list), all.find(({ label }) => label === list)?.labels);
  const lineOf = (names: readonly string[], at: number): readonly Field[] => {
    const parts = names.flatMap((name) => all.filter(({ label }) => label === name));
    const texts = parts.flatMap(({ texts }) => texts).join(', ');
    const paint = title === '' && (at === 0 ? colors.bold : colors.dim);
    return texts === ''
      ? []
      : [
          {
            label: '',
            texts: [texts],
            whole: parts.every(({ whole }) => whole),
            ...(paint && { paint }),
          },
        ];
  };
  return [...lines.flatMap(lineOf), ...all.filter(({ label }) => fields.includes(label))];
}

/** Each element of a list has its time as a label. */
const elementFields = (elements: unknown, labels: Column['labels']): readonly Field[] =>
  (Array.isArray(elements) ? elements : []).map((element: unknown): Field => {
    const texts = cardTexts(elementText(element, labels), {
      name: '',
      kind: 'text',
      inTable: false,
    });
    return { label: period(element, ' – '), texts };
  });

const minBarCells = 60;
const widestPercent = 20;

function withBars(fields: readonly Field[], width: number): readonly Field[] {
  const percents = fields.flatMap(({ percent = [] }) => percent);
  const widest = Math.max(
    0,
    ...fields.map(({ texts, percent }) => (percent === undefined ? 0 : (texts[0] ?? '').length)),
  );
  if (width < minBarCells || widest > widestPercent) return fields;
  const scale = { least: Math.min(0, ...percents), most: Math.max(0, ...percents) };
  return fields.map((field) => {
    const { percent, texts } = field;
    if (percent === undefined) return field;
    return {
      ...field,
      texts: [`${texts.join().padStart(widest)}  ${bar(percent, scale)}`.trimEnd()],
      whole: true,
    };
  });
}

/** Only a long identifier may make a line wider than `width` cells. */
function sectionText(
  title: string,
  fields: readonly Field[],
  width: number,
  colors: Colors,
): string {
  const [indent, paintLabel] = title === '' ? [0, colors.bold] : [gap, colors.dim];
  const labelWidth = Math.max(0, ...fields.map(({ label }) => cellWidth(label)));
  const lines = fields.flatMap((field) =>
    fieldLines(field, labelWidth, width - indent, paintLabel),
  );
  const indented = lines.map((line) => (line === '' ? line : ' '.repeat(indent) + line));
  return [...(title === '' ? [] : [colors.bold(title)]), ...indented]
    .map((line) => `${line}\n`)
    .join('');
}

const minValueWidth = 20;

function fieldLines(
  field: Field,
  labelWidth: number,
  width: number,
  paintLabel: Colors['bold'],
): readonly string[] {
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
  return [
    shownLabel + (first === '' ? '' : indent.slice(cellWidth(label)) + paint(first)),
    ...rest.map((line) => indent + paint(line)),
  ];
}

const linesOf = ({ texts, whole = false }: Field, width: number): readonly string[] =>
  whole ? texts : texts.flatMap((text) => wrap(text, Math.max(1, width)));

/** A value goes below its label if that keeps a word (an identifier, a URL) in one piece. */
function wantsBelow({ texts, whole = false }: Field, room: number, below: number): boolean {
  if (whole) return texts.some((text) => cellWidth(text) > room);
  const longest = texts
    .flatMap((text) => text.split(' '))
    .reduce((most, word) => Math.max(most, cellWidth(word)), 0);
  return longest > room && longest <= below;
}
