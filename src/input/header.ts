/** The signs by which the first rows of a file tell what it is, and which of them is the header. */
import { isBlankCell, nameKey } from '../contract/identifier.ts';
import { attempt } from '../errors.ts';
import { parseJson } from '../json/exact.ts';
import { type FileForm, type InputKind, startingWith } from '../rows/row.ts';
import { isPlainId, type SeparatedRow } from './separated.ts';

export interface ColumnWish extends FileForm {
  readonly candidates: readonly string[];
  readonly notice?: ((remark: string) => void) | undefined;
  /** Loads the columns that pdi writes: they show a CSV by its header, also one without a column for this command. */
  readonly loadKnown?: () => Promise<readonly string[]>;
  readonly isSheet?: boolean;
  readonly keepsValues?: boolean;
}

/** So many rows are looked at. */
export const rowsSearched = 20;

export interface RowOfCells {
  readonly cells: readonly string[];
}

/** Cut by the delimiter that suits it. */
export interface HeadRow extends RowOfCells {
  readonly raw: string;
  readonly delimiter: string;
}

/** What the signs look at: the first rows, what is looked for, and what was said of the file. */
export interface Beginning {
  readonly text: string;
  readonly line: string;
  readonly rows: readonly HeadRow[];
  readonly wish: ColumnWish;
  readonly facts: readonly string[];
  readonly promised: InputKind | undefined;
  readonly hasColumns: boolean;
}

type Sign = readonly [
  sign: string,
  /** A table has tabs where its header has some, else its first row. */
  says: 'table' | 'json' | 'ndjson' | 'csv',
  /** Gives the header where that is the sign. */
  seen: (beginning: Beginning) => HeadRow | boolean | undefined,
  /** It is told by this sign alone, as the test of the table checks. */
  example: string,
];

/** The first that is seen tells what a file is, and where there is none, it is lines. To ask for the lines of a table may be billed. */
export const signs: readonly Sign[] = [
  ['a wanted name', 'table', wantedRow, 'Customers\ncompany_id\nc-1'],
  ['the name of a column that pdi writes', 'table', knownRow, 'type,x'],
  ['a bracket', 'json', ({ line }) => /^[[{]/.test(line), '["c-1"]'],
  ['a file called .json', 'ndjson', ({ promised }) => isJsonKind(promised), 'c-1'],
  ['a tab', 'table', ({ rows: [first] }) => first?.raw.trim().includes('\t'), 'c-1\tAcme'],
  // No identifier holds one.
  [
    'as many semicolons or bars in each row',
    'table',
    (beginning) => [';', '|'].some((mark) => isEven(beginning, mark, 2)),
    'c-1;Acme\nc-2;Beta',
  ],
  // A slug may hold one comma.
  [
    'two commas in each row, or one beside names, and no blank behind any',
    'table',
    (beginning) => !isProse(beginning) && isEven(beginning, ',', areNames(beginning) ? 2 : 3),
    'c-1,Acme,1\nc-2,Beta,2',
  ],
  ['words above values, and a comma in each row', 'table', isHeaded, 'Firm,Tel\nAcme,030'],
  ['three words, or two of which one is a field', 'table', looksLikeHeader, 'Firm,City,Size'],
  // `jq '.id'` prints one a line.
  [
    'a JSON string',
    'ndjson',
    ({ line, promised }) => promised !== 'lines' && /^"[^"]+"$/.test(line),
    '"c-1"',
  ],
  [
    'a column that is named, or its separator or line',
    'csv',
    ({ hasColumns }) => hasColumns,
    'c-1',
  ],
];

/** What a file is by the first sign that is seen, and its header where that is the sign. */
export function firstSign(
  beginning: Beginning,
  among = signs,
): { kind: InputKind; header?: HeadRow | undefined } {
  for (const [, says, seen] of among) {
    const found = seen(beginning);
    if (!found) continue;
    const header = found === true ? undefined : found;
    const hasTabs = (header ?? beginning.rows[0])?.raw.trimEnd().includes('\t');
    if (says === 'json') return { kind: jsonKind(beginning) };
    return { header, kind: says !== 'table' ? says : hasTabs ? 'tsv' : 'csv' };
  }
  return { kind: 'lines' };
}

export const isJsonKind = (kind: InputKind | undefined): boolean =>
  kind === 'json' || kind === 'ndjson';

/** A column may be called `[Account]`, as databases write it, and in JSON no plain word comes after the first bracket. */
export const beginsJson = (line: string, promised: InputKind | undefined): boolean =>
  (isJsonKind(promised) ? /^[[{]/ : /^[[{](?!\s*\p{L})/u).test(line);

/** A record of NDJSON is whole in its line. */
function jsonKind({ line, text, promised }: Beginning): 'json' | 'ndjson' {
  const isRecord = line.startsWith('{') || text.trim().includes('\n');
  const isWhole = isRecord && attempt(() => parseJson(line)) !== undefined;
  return isWhole || promised === 'ndjson' ? 'ndjson' : 'json';
}

const quotedPart = /"[^"]*"?/g;

/** It is for guessing only: delimiters between quotes do not count, and quotes are dropped, also behind a blank, where CSV has none. */
export const roughCells = (raw: string, delimiter: string): readonly string[] =>
  raw
    .replace(quotedPart, (quoted) => quoted.replace(/[",;\t|]/g, ''))
    .split(delimiter)
    .map((cell) => cell.trim());

/** Below the first row, where lines may stand as well, one plain word is no name. */
function wantedRow({ line, rows, wish, promised }: Beginning): HeadRow | undefined {
  const isWanted = wantedBy(wish);
  return beginsJson(line, promised)
    ? undefined
    : rows.find(
        (row, at) => (at === 0 || isWide(row) || isFieldName(row.raw)) && row.cells.some(isWanted),
      );
}

/** A plain word such as `location` may be an identifier by itself, and is a column beside others. `--fields` also reaches into lists. */
function knownRow({ rows, facts }: Beginning): HeadRow | undefined {
  return rows.find(
    (row, at) =>
      (at === 0 || (isWide(row) && row.cells.every(isWord))) &&
      row.cells.some(
        (cell) =>
          facts.includes(cell.replace(/\.\d+(?:\..*)?$/, '')) &&
          (row.cells.length > 1 || isFieldName(cell)),
      ),
  );
}

/** Tabs at the end of a line are no further cells. */
const isWide = ({ cells }: HeadRow): boolean => cells.slice(1).join('') !== '';

const isWord = (cell: string): boolean => /^\p{L}[\p{L}_.\d ]*$/u.test(cell);

/** What may stand above a table, and is no identifier. */
export const isNote = (text: string): boolean => /\s|^#|:$/.test(text.trim());

/** To ask for whole rows of a table as names may be billed: there any word is a title. */
const areNames = ({ wish, rows }: Beginning): boolean =>
  wish.candidates.includes('name') && rows.every(({ raw }) => !/^\s*https?:/i.test(raw));

const isProse = ({ rows }: Beginning): boolean =>
  rows.some(({ raw }) => /,\s/.test(raw.replace(quotedPart, '')));

/** Whether all rows are as wide as the first that has so many cells. Above it notes may stand, as many as there are rows below. */
function isEven(beginning: Beginning, delimiter: string, least: number): boolean {
  const { rows } = beginning;
  const counts = rows.map(({ raw }) => roughCells(raw, delimiter).length);
  const above = counts.findIndex((count) => count >= least);
  const [count, ...others] = counts.slice(above);
  return (
    others.length >= Math.max(1, above) &&
    others.every((other) => other === count) &&
    (areNames(beginning) || rows.slice(0, above).every(({ raw }) => isNote(raw)))
  );
}

/** In a list of identifiers no comma would be usable. */
function isHeaded(beginning: Beginning): boolean {
  const [names = [], ...below] = beginning.rows.map(({ raw }) => roughCells(raw, ','));
  return (
    names.length > 1 &&
    names.every(isWord) &&
    isEven(beginning, ',', 2) &&
    names.some((_, at) => below.every((row) => row[at] === '' || isValue(row[at] ?? '')))
  );
}

function looksLikeHeader({ rows: [first, second], promised }: Beginning): boolean {
  const { cells, delimiter } = first ?? { cells: [], delimiter: '' };
  const isAsWide = second && roughCells(second.raw, delimiter).length === cells.length;
  return (
    cells.every((cell) => /^\p{L}[^\d]*$/u.test(cell)) &&
    cells.length + (cells.some((cell) => /^\p{L}+[_.]\p{L}+/u.test(cell)) ? 1 : 0) > 2 &&
    (promised !== 'lines' || isAsWide === true)
  );
}

/** Tells the names of the column that was named, else of those that the command looks for. A dotted name may begin with that of a column. */
export function wantedBy({ column, candidates }: ColumnWish): (cell: string) => boolean {
  const names =
    column === undefined
      ? candidates
      : [column, ...column.split(',')].flatMap((name) =>
          name.split('.').map((_part, at, parts) => parts.slice(0, at + 1).join('.')),
        );
  const keys = new Set(names.map(nameKey).filter((key) => key !== ''));
  return (cell) => keys.has(nameKey(cell));
}

export const isFieldName = (cell: string): boolean => /[_.]/.test(cell);

/** A wanted word, and the rows around its own. */
interface Word {
  readonly key: string;
  readonly index: number;
  readonly row: RowOfCells;
  readonly above: readonly RowOfCells[];
  readonly below: readonly RowOfCells[];
  readonly isNamed: boolean;
}

/** Why a wanted word may be a value of a table whose header stands above, and whose rows must not be lost. */
export const doubts: readonly (readonly [
  doubt: string,
  holds: (word: Word) => boolean,
  example: string,
])[] = [
  // `ID` is Idaho and Indonesia too, and `id` Indonesian.
  [
    'codes of two letters below it',
    ({ isNamed, key, index, below }) => !isNamed && isOfCodes(key, index, below),
    'Firm,Land\nacme,ID\nbeta,DE',
  ],
  // A word such as `Website` may say where a lead came from.
  ['below it nothing of its shape', isOtherShape, 'Firm,Source\nAcme,Website\nBeta,Event'],
  ['above it a row of words, as wide as its own of values', isOfValues, 'Firm,City\nc-1,Name'],
];

/** The place of the header, if a row holds a wanted name. One that is written as a field is no value. */
export function headerAt(
  rows: readonly RowOfCells[],
  wish: ColumnWish,
  among = doubts,
): number | undefined {
  const isWanted = wantedBy(wish);
  const isNamed = wish.column !== undefined;
  const at = rows.findIndex((row, place) => {
    const around = { row, above: rows.slice(0, place), below: rows.slice(place + 1), isNamed };
    const isName = (cell: string, index: number): boolean =>
      isFieldName(cell) ||
      !among.some(([, holds]) => holds({ ...around, key: nameKey(cell), index }));
    return row.cells.some((cell, index) => isWanted(cell) && isName(cell, index));
  });
  return at < 0 ? undefined : at;
}

/** Whether no row further down makes another one the header. Below two letters there may be codes, and a plain word may be a value. */
export function isHeaderTold(rows: readonly RowOfCells[], wish: ColumnWish): boolean {
  const at = headerAt(rows, wish);
  const names = at === undefined ? [] : (rows[at]?.cells ?? []).filter(wantedBy(wish));
  return names.some(
    (name) =>
      wish.column !== undefined || isFieldName(name) || (at === 0 && nameKey(name).length > 2),
  );
}

/** Ids of companies and vanity ids look like any word, so they have no shape here. */
export const shapes: ReadonlyMap<string, RegExp> = new Map([
  ['person_id', /^per_\w/],
  ['profnet_url', /\/in\/[^/]/i],
  ['profnet_urn', /^urn:/i],
  ['website', /^(?:https?:\/\/)?(?:[\p{L}\d_-]+\.)+(?:\p{L}{2,}|xn--[a-z\d-]+)(?:[/?#]|$)/iu],
  ['search_id', /^\d+$/],
]);

/** A domain alone may also be a title, such as `export.csv`. */
export const hasShape = (text: string, candidates: readonly string[]): boolean =>
  candidates.some(
    (name) => shapes.get(name)?.test(text) === true && (name !== 'website' || isPlainId(text)),
  );

function isOtherShape({ isNamed, key, index, above, below }: Word): boolean {
  const shape = shapes.get(key);
  const cells =
    isNamed || shape === undefined || above.length === 0 ? [] : filledBelow(below, index);
  return cells.length > 0 && !cells.some((cell) => shape?.test(cell));
}

export const sampled = 200;

/** Codes of countries, states or languages, the first of which was taken for a name. */
export function isOfCodes(key: string, index: number, rows: readonly RowOfCells[]): boolean {
  const cells = key.length === 2 ? filledBelow(rows.slice(0, sampled), index) : [];
  return cells.length > 0 && cells.every((cell) => /^[a-z]{2}$/i.test(cell));
}

export const filledBelow = (rows: readonly RowOfCells[], index: number): readonly string[] =>
  rows.map(({ cells }) => cells[index]?.trim() ?? '').filter((cell) => !isBlankCell(cell));

function isOfValues({ row, above }: Word): boolean {
  const filled = filledIn(row);
  const [first, ...others] = above.filter(
    (other) => filledIn(other) >= filled && !other.cells.some((cell) => /^\s/.test(cell)),
  );
  return (
    filled > 1 &&
    first !== undefined &&
    !first.cells.some(isValue) &&
    (others.length > 0 || row.cells.some(isValue))
  );
}

const isValue = (cell: string): boolean => /[\d@]|:\/\//.test(cell);

/**
 * Reads no further than the header, if it is found, so that a slow pipe does not have to wait. What is decided by the `others` among the
 * first rows is the same however these arrive; `below` has all rows.
 */
export async function findHeader(
  source: AsyncGenerator<readonly SeparatedRow[]>,
  wish: ColumnWish,
) {
  const { headerRow, candidates } = wish;
  let rows: readonly SeparatedRow[] = [];
  let first = rows;
  const isTold = (_row: SeparatedRow, at: number): boolean =>
    at + 1 === rowsSearched ||
    candidates.length === 0 ||
    isHeaderTold(first.slice(0, at + 1), wish);
  let last = -1;
  while (last < 0) {
    const next = await source.next();
    if (next.done) break;
    rows = [...rows, ...next.value];
    first = rows.filter(({ line, raw }) => line >= (headerRow ?? 1) && raw.trim() !== '');
    last = first.findIndex(isTold);
  }
  if (last >= 0) first = first.slice(0, last + 1);
  const found = (headerRow === undefined ? headerAt(first, wish) : 0) ?? likelyHeaderAt(first);
  const [header, ...others] = first.slice(found);
  const below = header === undefined ? [] : rows.slice(rows.indexOf(header) + 1);
  return { above: first.slice(0, found), header, others, below: startingWith([below], source) };
}

/** Where no row holds a wanted column, the header may still be told from a title by its cells, so that an error can list them. */
function likelyHeaderAt(rows: readonly RowOfCells[]): number {
  const filled = rows.map(filledIn);
  const most = Math.max(...filled);
  return filled[0] === 1 && most > 1 ? filled.findIndex((count) => count > most / 2) : 0;
}

export const filledIn = ({ cells }: RowOfCells): number =>
  cells.filter((cell) => cell.trim() !== '').length;
