/** Finds the header of a table, which may stand below titles or notes, and the column that holds the identifier. */
import { nameKey, plainName } from '../contract/identifier.ts';
import { listed, pluralize, shellWord, UsageError, type Way } from '../errors.ts';
import { edits } from '../rows/nearest.ts';
import {
  type ColumnWish,
  filledBelow,
  isFieldName,
  isOfCodes,
  type RowOfCells,
  sampled,
  shapes,
} from './header.ts';

export const isAlike = (name: string, other: string): boolean => nameKey(name) === nameKey(other);

export interface InputColumn {
  readonly index: number;
  readonly field: string;
  /** The identifier stands there in the JSON of the cell. */
  readonly path?: string;
}

/** Gives the columns that a text names, separated by commas. A header that is the whole text is one column, commas included. */
export function columnsNamed(
  text: string,
  header: readonly string[] = [],
): readonly [string, ...string[]] {
  const whole = text.trim();
  const names = header.map((cell) => cell.trim());
  if (spellings(names, whole).length > 0) return [whole];
  const parts = whole.split(',').map((part) => part.trim());
  const [first = whole, ...others] = new Set(parts.filter((part) => part !== ''));
  return [first, ...others];
}

/** A list and a saved search have no website, and an `id` and a `name` that are not those of a company or an investor. */
export const candidatesIn = (
  candidates: readonly string[],
  has: (name: string) => boolean,
): readonly string[] =>
  candidates.length > 1 && isOfList(has) && !candidates.includes('search_id')
    ? candidates.filter((name) => name !== 'id' && name !== 'name')
    : candidates;

const isOfList = (has: (name: string) => boolean): boolean =>
  !has('website') &&
  (has('is_global') ||
    (['id', 'created_at', 'updated_at'].every(has) && (has('investors') || has('people'))));

/** Gives the named columns, else the first candidate and its alternatives: each row uses the first it fills. @throws UsageError */
export function chooseInputColumns(
  header: readonly string[],
  rows: readonly RowOfCells[],
  wish: ColumnWish,
  name: string,
): readonly [InputColumn, ...InputColumn[]] {
  const names = header.map((cell) => cell.trim());
  const table = { names, rows, name };
  const column = (columnName: string) => columnOf(table, columnName, wish);
  if (wish.column !== undefined) {
    const [preferred, ...next] = columnsNamed(wish.column, header);
    return [column(preferred), ...next.map(column)];
  }
  const candidates = candidatesIn(wish.candidates, (name) => names.includes(name));
  const known = candidates.filter(
    (candidate) => spellings(names, candidate).length > 0 || ofPosition(table, candidate),
  );
  const codesIn = (candidate: string) =>
    spellings(names, candidate).find((head) => isOfCodes(nameKey(head), names.indexOf(head), rows));
  const [first, ...others] = known.filter((candidate) => codesIn(candidate) === undefined);
  if (first !== undefined) {
    const subject = subjectOf(first);
    const alternatives = others.filter((other) => subject && subjectOf(other) === subject);
    return [column(first), ...alternatives.map(column)];
  }
  const [ending] = candidates.filter(isFieldName).flatMap((one) => endingIn(names, one) ?? []);
  if (ending !== undefined) {
    wish.notice?.(`${name}: the ids are taken from "${ending}"; --column names another`);
    return [column(ending)];
  }
  const [codes] = known.flatMap((candidate) => codesIn(candidate) ?? []);
  const lack = `no column has a name that pdi knows${codes === undefined ? '' : ` (${codes} holds codes of two letters)`}`;
  throw noColumn(table, lack, candidates, wish);
}

/** An `id` that nobody chose, beside what the service does not have, may be that of another program, which has ids of its own. */
export async function tellForeignId(
  field: string | undefined,
  names: readonly string[],
  wish: ColumnWish,
  name: string,
): Promise<void> {
  if (
    wish.column !== undefined ||
    wish.candidates.length === 1 ||
    wish.notice === undefined ||
    field === undefined ||
    nameKey(field) !== 'id' ||
    names.length < 2
  )
    return;
  const known = await wish.loadKnown?.();
  // A `name` alone may be anybody's.
  const ofService = names.filter((one) => known?.includes(one));
  if (
    known === undefined ||
    (ofService.length === names.length && ofService.some((one) => one !== 'id' && one !== 'name'))
  )
    return;
  wish.notice(
    `${name}: the ids are taken from "${field}"; other columns are not the service's, so check that these ids are, or name another with --column`,
  );
}

/** Only a person's identifiers and an investor's website and name are alternatives. An empty company_id must never use some other id. */
function subjectOf(field: string): 'person' | 'investor' | undefined {
  if (field.startsWith('profnet_')) return 'person';
  return field === 'website' || field === 'name' ? 'investor' : undefined;
}

/** A header that is written exactly like the name wins over headers that only look like it, and these over headers in another case. */
function spellings(names: readonly string[], columnName: string): readonly string[] {
  if (names.includes(columnName)) return [columnName];
  const seen = names.filter((cell) => plainName(cell) === plainName(columnName));
  return [...new Set(seen.length > 0 ? seen : names.filter((cell) => isAlike(cell, columnName)))];
}

/** pdi's own list of positions, which is called otherwise beside one of the user. */
function ofPosition({ names, rows }: Named, columnName: string) {
  if (columnName !== companyOfPosition || !names.some((cell) => isAlike(cell, 'person_id')))
    return undefined;
  const column = ['person_experience', 'experience'].find(
    (list) => spellings(names, list).length > 0,
  );
  const cells = filledBelow(
    rows,
    names.findIndex((cell) => column !== undefined && isAlike(cell, column)),
  );
  const isList =
    cells.length > 0
      ? cells.every((cell) => cell.startsWith('['))
      : names.some((cell) => isAlike(cell, 'pdi_status'));
  return column === undefined || !isList
    ? undefined
    : { column, path: columnName.slice('experience.'.length) };
}

/** A dotted name leads from the longest name of a column into the JSON of its cells. */
function inCell(names: readonly string[], columnName: string) {
  const parts = columnName.split('.');
  const count = parts.findLastIndex(
    (_part, at) => at > 0 && spellings(names, parts.slice(0, at).join('.')).length > 0,
  );
  return count < 1
    ? undefined
    : { column: parts.slice(0, count).join('.'), path: parts.slice(count).join('.') };
}

/** The only name whose last part is the wanted one. */
export function endingIn(names: readonly string[], columnName: string): string | undefined {
  const found = names.filter(
    (cell) => cell.includes('.') && isAlike(cell.slice(cell.lastIndexOf('.') + 1), columnName),
  );
  return found.length === 1 ? found[0] : undefined;
}

interface Named {
  readonly names: readonly string[];
  readonly rows: readonly RowOfCells[];
  readonly name: string;
}

function columnOf(table: Named, columnName: string, wish: ColumnWish): InputColumn {
  const { names, name } = table;
  const written = spellings(names, columnName);
  const within =
    written.length > 0 ? undefined : (ofPosition(table, columnName) ?? inCell(names, columnName));
  if (within !== undefined)
    return { ...columnOf(table, within.column, wish), ...within, field: columnName };
  const [field = endingIn(names, columnName), ...others] = written;
  if (field === undefined)
    throw noColumn(table, `no column "${columnName}"`, [columnName, ...wish.candidates], wish);
  if (others.length > 0) {
    const hint = 'Name one with --column, written as the header does.';
    throw new UsageError(
      `${name}: the column ${columnName} could be ${[field, ...others].join(' or ')}`,
      { item: name, hint },
    );
  }
  const index = names.indexOf(field);
  const again = names.indexOf(field, index + 1);
  if (again < 0) return { index, field };
  const hint = 'Rename one of them, or choose another with --column.';
  throw new UsageError(
    `${name}: two columns are called "${field}" (columns ${index + 1} and ${again + 1})`,
    { item: name, hint },
  );
}

/** Says how to name the likeliest column, in a form that any shell can give: without the line breaks that a header may have. */
export function columnFlag(likeliest: string | undefined): string {
  if (likeliest === undefined) return '--column';
  const name = plainName(likeliest);
  if (/^[\w.-]+$/.test(name)) return `--column ${name}`;
  // Windows knows only double quotes, in which other shells run some of what is there.
  return `--column ${/["$`!\\]/.test(name) ? shellWord(name) : `"${name}"`}`;
}

function noColumn(
  table: Named,
  lack: string,
  columnNames: readonly string[],
  { isSheet, column }: ColumnWish,
): UsageError {
  const { names, name } = table;
  const { names: ordered, likeliest, lacksHeader } = likelyColumns(table, columnNames);
  const all = ` (${pluralize(names.length, 'column')}: ${listed(ordered)})`;
  const refusal = (hint: string, way?: Way) =>
    new UsageError(
      `${name}${column === undefined ? ':' : ' has'} ${lack}${lacksHeader ? '' : all}`,
      {
        item: name,
        reason: lack,
        hint,
        way,
      },
    );
  const asLines =
    isSheet === true ? '' : '; a plain list of identifiers needs --input-format lines';
  if (lacksHeader)
    return refusal(
      `Its first row holds an identifier: a table needs a row of column names first${asLines}.`,
    );
  const asOneColumn =
    names.length > 1 || isSheet === true
      ? ''
      : '; columns are told apart by commas, semicolons, tabs or bars';
  if (likeliest !== undefined)
    return refusal(`nothing was sent; ${plainName(likeliest)} ${suchIds}${asOneColumn}`, {
      column: plainName(likeliest),
    });
  const toResolve = columnNames.includes('person_id')
    ? likelyColumns(table, identifiersToResolve).likeliest
    : undefined;
  if (toResolve !== undefined) {
    const { hint, way } = holdsProfiles(plainName(toResolve));
    return refusal(hint, way);
  }
  const called = column === undefined ? `, or call it ${columnNames[0]}` : '';
  return refusal(
    `Name the column that holds the identifier with --column NAME${called}${asLines}${asOneColumn}`,
  );
}

/** `current` is the position that is. */
export const companyOfPosition = 'experience.current.company_id';

export const tellPosition = (name: string): string =>
  `${name}: the companies are those of the current position in "experience" (a row without one is invalid); --column names another column`;

export const suchIds = 'holds such ids';

const identifiersToResolve = ['profnet_url', 'profnet_urn'];

/** The way from these to ids. */
export const holdsProfiles = (column: string | undefined) => ({
  hint: `nothing was sent; ${column ?? 'it'} holds profiles, which are resolved first, free`,
  way: { command: 'resolve', ...(column !== undefined && { column }), out: 'ids.csv' },
});

const leastShare = 0.3;

/** Gives likely names by their cells, then those spelled alike, as the command prefers them, then the others as they stand. Without a header, a name is an identifier itself. */
export function likelyColumns(
  { names: header, rows }: Omit<Named, 'name'>,
  columnNames: readonly string[],
) {
  const patterns = columnNames.flatMap((name) => shapes.get(name) ?? []);
  const columns = header.map((name, at) => ({
    name,
    share: shareOf(rows.slice(0, sampled), at, patterns),
  }));
  const likely = columns
    .filter(({ share }) => share >= leastShare)
    .sort((one, other) => other.share - one.share);
  const alike = columnNames.flatMap((name) =>
    columns.filter((column) => isNear(column.name, name)),
  );
  return {
    names: [...new Set([...likely, ...alike, ...columns])].map(({ name }) => name),
    likeliest: likely[0]?.name,
    lacksHeader: likely.some(({ name }) => patterns.some((pattern) => pattern.test(name))),
  };
}

function shareOf(rows: Named['rows'], at: number, patterns: readonly RegExp[]): number {
  const filled = filledBelow(rows, at);
  return filled.length === 0
    ? 0
    : filled.filter((cell) => patterns.some((pattern) => pattern.test(cell))).length /
        filled.length;
}

/** A longer name may end in it, as those of other commands do: experience.company_id, current_company_id. */
function isNear(name: string, columnName: string): boolean {
  const endsInIt = name
    .toLowerCase()
    .replace(/[\s.-]+/g, '_')
    .endsWith(`_${columnName}`);
  return endsInIt || edits(name, columnName) <= Math.max(1, Math.floor(columnName.length / 3));
}
