/** Tells lines, CSV, TSV, NDJSON and JSON apart, and finds a CSV's delimiter, by the name and the first bytes. */
import type { InputKind, OwnTable } from '../rows/row.ts';
import {
  type Beginning,
  beginsJson,
  type ColumnWish,
  firstSign,
  type HeadRow,
  hasShape,
  headerAt,
  isHeaderTold,
  isJsonKind,
  roughCells,
  rowsSearched,
  wantedBy,
} from './header.ts';
import { mistakeIn } from './lines.ts';
import { refuseOtherText } from './other-formats.ts';
import type { Cut } from './separated.ts';

const kindByExtension: ReadonlyMap<string, InputKind> = new Map(
  Object.entries<InputKind>({
    csv: 'csv',
    tsv: 'tsv',
    tab: 'tsv',
    xlsx: 'xlsx',
    ndjson: 'ndjson',
    jsonl: 'ndjson',
    json: 'json',
    txt: 'lines',
    list: 'lines',
  }),
);

/** Gives the kind that the file's extension, but for `.gz`, promises; undefined for others and for standard input. */
export function kindByName(name: string): InputKind | undefined {
  const extension = /\.([^./\\]+?)(?:\.gz)?$/i.exec(name)?.[1];
  return extension === undefined ? undefined : kindByExtension.get(extension.toLowerCase());
}

export interface Format extends Pick<OwnTable, 'lineEnd'>, Cut {
  readonly kind: InputKind;
  readonly mayBeEmpty: boolean;
  readonly head: Pick<Beginning, 'line' | 'rows'>;
}

interface RawRow {
  readonly raw: string;
  /** So many characters come after it. */
  readonly left: number;
  /** Its quotes do not close. */
  readonly isOpen: boolean;
}

/**
 * Gives the beginning of a pipe that tells what it is, in whole rows and as few as may be, so that it is the same however the bytes arrive;
 * undefined where a header may stand further down.
 */
export function tellingPart(beginning: string, wish: ColumnWish): string | undefined {
  const text = beginning.slice(0, beginning.lastIndexOf('\n') + 1);
  const { inputFormat: format } = wish;
  const { line, rows } = lookAt(text, wish);
  if ((format === undefined || isJsonKind(format)) && beginsJson(line, undefined))
    // An array in one line may be all there is, or the first row of NDJSON. What comes after it tells.
    return /^\s*\[[^\n]*\n\s*$/.test(text) ? undefined : text;
  const open = rows.findIndex(({ isOpen }) => isOpen);
  const whole = open < 0 ? rows : rows.slice(0, open);
  const last = whole.find(
    (_row, at) => at + 1 === rowsSearched || isTold(whole.slice(0, at + 1), wish),
  );
  return last && text.slice(0, text.length - last.left + 1);
}

/** A list is told by its first row where that has the shape of an identifier, because any other word may be a title. */
function isTold(rows: readonly HeadRow[], wish: ColumnWish): boolean {
  const { inputFormat: format, candidates } = wish;
  if (isHeaderTold(rows, wish)) return true;
  if (isTable(format) || namesColumns(wish)) return false;
  const [text = '', ...others] = rows.flatMap(({ cells }) => cells);
  return format !== undefined || (others.length === 0 && hasShape(text, candidates));
}

const isTable = (kind: InputKind | undefined): boolean => kind === 'csv' || kind === 'tsv';

const namesColumns = ({ column, headerRow }: ColumnWish): boolean =>
  column !== undefined || headerRow !== undefined;

/** What stands above the line of `--header-row` says nothing about the rows. */
export function lookAt(text: string, wish: ColumnWish) {
  const line = text.trimStart().split('\n', 1)[0]?.trim() ?? '';
  const below = text
    .split('\n')
    .slice((wish.headerRow ?? 1) - 1)
    .join('\n');
  const isWanted = wantedBy(wish);
  return {
    text,
    line,
    rows: firstRowsOf(below).map((row) => ({ ...row, ...cut(row.raw, isWanted) })),
  };
}

const delimiters = [',', ';', '\t', '|'] as const;

/** The delimiter that yields a wanted column wins, else the most frequent outside quotes, else a comma. Spreadsheets may write `;`. */
function cut(
  raw: string,
  isWanted: (cell: string) => boolean,
): Pick<HeadRow, 'delimiter' | 'cells'> {
  const cuts = delimiters.map((delimiter) => ({ delimiter, cells: roughCells(raw, delimiter) }));
  const score = ({ cells }: { readonly cells: readonly string[] }): number =>
    cells.length + (cells.some(isWanted) ? raw.length : 0);
  return cuts.reduce((best, one) => (score(one) > score(best) ? one : best));
}

/** Tells the format by the beginning of a text. @throws UsageError where it is no list or its name says another, and for an unknown separator */
export async function formatOf(
  text: string,
  separator: string | undefined,
  wish: ColumnWish,
  name: string,
): Promise<Format> {
  const head = lookAt(text, wish);
  const { line, rows } = head;
  const { inputFormat: format, candidates } = wish;
  refuseOtherText(text, headerAt(rows, wish) !== undefined, name);
  const promised = format ?? kindByName(name);
  if (format === undefined && isTable(promised) && isJsonText(line))
    throw mistakeIn(
      name,
      'is JSON, not a table',
      'Say --input-format ndjson where each line is a record, else --input-format json.',
    );
  const hasColumns = separator !== undefined || namesColumns(wish);
  const given = format ?? (isTable(promised) ? promised : undefined);
  // Most files tell their kind by their name, and to load the columns of all commands takes a tenth of a start.
  const isKnown = given !== undefined || hasColumns || beginsJson(line, promised);
  const known = (isKnown ? undefined : await wish.loadKnown?.()) ?? [];
  const found = firstSign({ ...head, wish, facts: known, promised, hasColumns });
  const kind = given ?? found.kind;
  if (kind === 'lines' && format === undefined && beginsWithColumn(line, candidates))
    throw mistakeIn(
      name,
      'is a table whose columns are not told apart by commas, semicolons, tabs or bars',
      nameSeparator,
    );
  const delimiter = separator ?? delimiterOf(kind, format, head, found.header);
  return {
    kind,
    delimiter,
    ...(hasQuotesBehindBlanks(found.header ?? rows[0], delimiter) && { quotesBehindBlanks: true }),
    lineEnd: rows[0]?.raw.endsWith('\r') === true ? '\r\n' : '\n',
    // An empty NDJSON and `[]` are what a run that found nothing writes.
    mayBeEmpty: line === '' ? promised === 'ndjson' : kind === 'json',
    head,
  };
}

const nameSeparator =
  'Save it as CSV, or name its separator in a line above the header, such as sep=:; a plain list needs --input-format lines.';

function hasQuotesBehindBlanks(header: HeadRow | undefined, delimiter: string): boolean {
  const separator = delimiter === '\t' ? '\t' : `\\${delimiter}`;
  return (
    header !== undefined &&
    new RegExp(`${separator} +"(?:[^"]|"")*" *\r*(?:${separator}|$)`).test(header.raw)
  );
}

/** No header of a table is JSON by itself. */
const isJsonText = (line: string): boolean => /^[[{](?:\s*["[{]|$)/.test(line);

/** Tells whether the first line goes on behind a field's name, as in `company_id:name`. No identifier does. */
const beginsWithColumn = (line: string, columnNames: readonly string[]): boolean =>
  columnNames.some(
    (name) =>
      name.includes('_') &&
      line.toLowerCase().startsWith(name) &&
      /^[^\w.-].*\p{L}/u.test(line.slice(name.length)),
  );

/** A quoted name of a header may go over several lines. A quote within a name is an ordinary character. */
const wholeRow = /^(?:(?:"(?:[^"]|"")*"(?!")|(?!"))[^,;\t|\n]*(?:[,;\t|]|(?=\n|$)))+?(?=\n|$)/;

/** Gives the first row that is not blank, without its line end; undefined where its quotes do not close. */
export const firstRow = (head: string): string | undefined => wholeRow.exec(head.trimStart())?.[0];

function firstRowsOf(text: string): readonly RawRow[] {
  const rows: RawRow[] = [];
  for (let rest = withoutBlankLines(text); rest.trim() !== '' && rows.length < rowsSearched; ) {
    const whole = wholeRow.exec(rest)?.[0];
    const raw = whole ?? rest.split('\n', 1)[0] ?? '';
    rest = rest.slice(raw.length);
    rows.push({ raw, left: rest.length, isOpen: whole === undefined });
    rest = withoutBlankLines(rest);
  }
  return rows;
}

const withoutBlankLines = (text: string): string => text.replace(/^(?:[^\S\n]*\n)+/, '');

/** A file may be called .tsv and have no tab; `--input-format tsv` decides. */
function delimiterOf(
  kind: InputKind,
  format: InputKind | undefined,
  { rows, text }: Pick<Beginning, 'rows' | 'text'>,
  header: HeadRow | undefined,
): string {
  if (kind === 'tsv' && (format === 'tsv' || text.includes('\t'))) return '\t';
  // Below a header of one column, semicolons and commas are parts of its cells.
  if (header !== undefined)
    return kind === 'tsv' && header.cells.length === 1 ? '\t' : header.delimiter;
  return (rows.find(({ cells }) => cells.length > 1) ?? rows[0])?.delimiter ?? ',';
}
