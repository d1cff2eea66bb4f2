/** The cards of records that have sections of their own. A card is data: each part names the columns that it says, and writes their fields. */
import type { Colors } from 'picocolors/types.js';
import type { CardName } from '../contract/endpoint.ts';
import type { FieldKind } from '../contract/fields.ts';
import { isNumber } from '../json/parse.ts';
import { cleanLine } from './clean.ts';
import { bar, beginningOf, figure } from './display.ts';
import { valueAt } from './read.ts';

/** `whole`: the texts are never wrapped. `name` is the column that it shows, if it shows one. */
export interface Field {
  readonly label: string;
  readonly texts: readonly string[];
  readonly whole?: boolean;
  readonly paint?: ((text: string) => string) | undefined;
  readonly name?: string;
}

/** The columns that a part says need no line of their own. */
interface CardPart {
  readonly says: readonly string[];
  readonly fields: (record: unknown, colors: Colors, width: number) => readonly Field[];
}

/** A section without fields is left out of the card, and only the first has no title. */
type Section = readonly [title: string, ...parts: readonly CardPart[]];

function textAt(record: unknown, path: string): string {
  const value = valueAt(record, path);
  return typeof value === 'string' ? cleanLine(beginningOf(value)) : '';
}

function itemsAt(record: unknown, path: string): readonly unknown[] {
  const value = valueAt(record, path);
  return Array.isArray(value) ? value : [];
}

const joined = (texts: readonly string[], separator: string): string => texts.filter((text) => text !== '').join(separator);

const joinedAt = (record: unknown, paths: readonly string[], separator: string): string =>
  joined(
    paths.map((path) => textAt(record, path)),
    separator,
  );

function fieldOf(label: string, texts: readonly string[], style: Pick<Field, 'whole' | 'paint'> = {}): readonly Field[] {
  const filled = texts.filter((text) => text !== '');
  return filled.length === 0 ? [] : [{ label, texts: filled, ...style }];
}

const part = (says: readonly string[], fields: CardPart['fields']): CardPart => ({ says, fields });

/** A line of these columns without a label. */
const line = (says: readonly string[], look?: 'bold' | 'dim', whole = false): CardPart =>
  part(says, (record, colors) => fieldOf('', [joinedAt(record, says, ', ')], { whole, paint: look && colors[look] }));

/** A line, or several, for each element of a list. */
const each = (list: string, texts: (item: unknown) => readonly string[]): CardPart =>
  part([list], (record) => itemsAt(record, list).flatMap((item) => fieldOf(period(item), texts(item))));

const names = ['first_name', 'last_name'];
const addresses = ['profnet_url', 'twitter_url', 'github_url', 'profile_picture_url'];

const person: readonly Section[] = [
  [
    '',
    part(['full_name', ...names], (record, { bold }) =>
      fieldOf('', [textAt(record, 'full_name') || joinedAt(record, names, ' ')], { paint: bold }),
    ),
    line(['tagline']),
    line(['location'], 'dim'),
    line(['person_id'], 'dim', true),
  ],
  ['Current position', line(['current_position_title', 'current_position_company_name']), line(['current_position_company_website'])],
  ['Experience', each('experience', (item) => [joinedAt(item, ['title', 'company_name'], ', ') || 'no title given'])],
  [
    'Education',
    each('education', (item) => [
      joined([joinedAt(item, ['degree_title', 'field_of_study'], ' '), textAt(item, 'name')], ', '),
      cleanLine(withoutMarkup(textAt(item, 'description'))),
    ]),
  ],
  ['Skills', part(['skills'], (record) => fieldOf('', [cleanLine(itemsAt(record, 'skills').map(String).join(', '))]))],
  [
    'Links',
    ...addresses.map((name) => part([name], (record) => fieldOf(name.replace(/_url$/, '').replace('_', ' '), [textAt(record, name)]))),
  ],
];

/** An open end is `now` only if the service says that the position is current. */
function period(item: unknown): string {
  const [start, end] = [textAt(item, 'start_date'), textAt(item, 'end_date')];
  const until = end === '' && valueAt(item, 'is_current') === true ? 'now' : end;
  if (start === '') return until === '' || until === 'now' ? until : `until ${until}`;
  return until === '' ? `from ${start}` : `${start} – ${until}`;
}

/** The content of these elements is never shown. An element that is not closed goes on to the end of the text. */
const unseen = /<(script|style)\b[^<>]*>.*?(?:<\/\1\s*>|$)/gis;
const tags = /<(?:[a-z/][^<>]*|!--[^<>]*--)>/gi;
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function character(whole: string, name: string): string {
  const [, base, digits = ''] = /^#(x?)(\w+)$/i.exec(name) ?? [];
  if (base === undefined) return entities[name.toLowerCase()] ?? whole;
  const code = Number.parseInt(digits, base === '' ? 10 : 16);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}

/** Removes tags and decodes character references. The result is not yet safe for a terminal and must be cleaned. */
export function withoutMarkup(text: string): string {
  const plain = text.replace(unseen, ' ').replace(tags, ' ');
  return plain.replace(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,6});/gi, character);
}

const minBarCells = 45;

const growthPeriods = [
  ['1 month', 'est_revenue_growth_1m_pct'],
  ['3 months', 'est_revenue_growth_3m_pct'],
  ['6 months', 'est_revenue_growth_6m_pct'],
  ['1 year', 'est_revenue_growth_1y_pct'],
  ['2 years', 'est_revenue_growth_2y_pct'],
] as const;

const growthNames = growthPeriods.map(([, name]) => name);
const figureNames = ['est_revenue_usd', 'latest_revenue_reported_usd', ...growthNames];

function figureAt(record: unknown, name: string, kind: FieldKind): string {
  const value = valueAt(record, name);
  return isNumber(value) ? figure(value, kind) : '';
}

const withoutFigures: CardPart['fields'] = (record, { dim }) =>
  figureNames.some((name) => isNumber(valueAt(record, name))) ? [] : fieldOf('', ['no revenue data'], { paint: dim });

const reportedNames = ['revenue_type', 'latest_revenue_reported_date'];

function reported(record: unknown): string {
  const amount = figureAt(record, 'latest_revenue_reported_usd', 'usd');
  const about = joinedAt(record, reportedNames, ', ');
  return joined([amount, amount === '' || about === '' ? about : `(${about})`], ' ');
}

function growthFields(record: unknown, { green, red }: Colors, width: number): readonly Field[] {
  const all = growthPeriods.flatMap(([label, name]) => {
    const text = figureAt(record, name, 'percent');
    return text === '' ? [] : [{ label, text, percent: Number(valueAt(record, name)) }];
  });
  const widest = Math.max(0, ...all.map(({ text }) => text.length));
  const percents = all.map(({ percent }) => percent);
  const scale = { least: Math.min(0, ...percents), most: Math.max(0, ...percents) };
  return all.map(({ label, text, percent }) => ({
    label,
    texts: [width < minBarCells ? text : `${text.padStart(widest)}  ${bar(percent, scale)}`.trimEnd()],
    ...(percent !== 0 && { paint: percent > 0 ? green : red }),
    whole: width >= minBarCells && widest < minBarCells / 2,
  }));
}

const revenue: readonly Section[] = [
  ['', line(['company_name'], 'bold'), line(['domain']), line(['id'], 'dim', true), part([], withoutFigures)],
  [
    'Revenue',
    part(['est_revenue_usd'], (record) => fieldOf('estimated', [figureAt(record, 'est_revenue_usd', 'usd')])),
    part([...reportedNames, 'latest_revenue_reported_usd'], (record) => fieldOf('reported', [reported(record)])),
  ],
  ['Estimated growth', part(growthNames, growthFields)],
];

/** The sections of a card by its name in the contract. */
export const cards: Readonly<Record<CardName, readonly Section[]>> = { person, revenue };
