/** Chooses the column of a CSV that holds the identifier. Pure. */
import { UsageError } from '../errors.ts';
import { likelyColumns } from './likely-columns.ts';
import { isAlike, plainName } from './names.ts';

export interface InputColumn {
  readonly index: number;
  readonly field: string;
}

export interface ColumnWish {
  readonly column?: string | undefined;
  /** They are in order of preference. */
  readonly candidates: readonly string[];
  /** It is the line of the header, as `--header-row` says it. What is above is left out. */
  readonly headerRow?: number | undefined;
  /** It is told where rows above the header are passed over. */
  readonly notice?: ((remark: string) => void) | undefined;
  readonly isSheet?: boolean;
  readonly keepsValues?: boolean;
}

/** Gives the columns that a text names, separated by commas. A header that is the whole text is one column, commas included. */
export function columnsNamed(text: string, header: readonly string[] = []): readonly [string, ...string[]] {
  const whole = text.trim();
  const names = header.map((cell) => cell.trim());
  if (spellings(names, whole).length > 0) return [whole];
  const parts = whole.split(',').map((part) => part.trim());
  const [first = whole, ...others] = new Set(parts.filter((part) => part !== ''));
  return [first, ...others];
}

interface TableBeginning {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Gives the named columns, else the first candidate and its alternatives: each row uses the first it fills. @throws UsageError */
export function chooseInputColumns(
  { header, rows }: TableBeginning,
  wish: ColumnWish,
  name: string,
): readonly [InputColumn, ...InputColumn[]] {
  const names = header.map((cell) => cell.trim());
  if (wish.column !== undefined) {
    const [preferred, ...next] = columnsNamed(wish.column, header);
    const place = { names, rows, name };
    return [namedColumn(place, preferred, wish), ...next.map((one) => namedColumn(place, one, wish))];
  }
  const present = wish.candidates.filter((candidate) => spellings(names, candidate).length > 0);
  const [first, ...others] = present;
  if (first === undefined)
    throw noColumn({ names, rows, name }, `none of the columns ${wish.candidates.join(', ')}`, { ...wish, wanted: wish.candidates });
  const alternatives = others.filter((other) => subjectOf(other) !== undefined && subjectOf(other) === subjectOf(first));
  return [columnOf(names, first, name), ...alternatives.map((other) => columnOf(names, other, name))];
}

/** Only a person's identifiers and an investor's website and name are alternatives. An empty company_id must never use some other id. */
function subjectOf(field: string): 'person' | 'investor' | undefined {
  if (field.startsWith('profnet_')) return 'person';
  return field === 'website' || field === 'name' ? 'investor' : undefined;
}

/** A header that is written exactly like the name wins over headers that only look like it, and these over headers in another case. */
function spellings(names: readonly string[], wanted: string): readonly string[] {
  if (names.includes(wanted)) return [wanted];
  const seen = names.filter((cell) => plainName(cell) === plainName(wanted));
  return [...new Set(seen.length > 0 ? seen : names.filter((cell) => isAlike(cell, wanted)))];
}

interface Named {
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly name: string;
}

function namedColumn(table: Named, wanted: string, wish: ColumnWish): InputColumn {
  if (spellings(table.names, wanted.trim()).length === 0)
    throw noColumn(table, `no column "${wanted}"`, { ...wish, wanted: [wanted, ...wish.candidates] });
  return columnOf(table.names, wanted.trim(), table.name);
}

function columnOf(names: readonly string[], wanted: string, name: string): InputColumn {
  const [only = wanted, ...others] = spellings(names, wanted);
  if (others.length === 0) return onlyColumn(names, only, name);
  throw new UsageError(`${name}: the column ${wanted} could be ${[only, ...others].join(' or ')}`, {
    item: name,
    hint: 'Name one with --column, written as the header does.',
  });
}

function onlyColumn(names: readonly string[], field: string, name: string): InputColumn {
  const index = names.indexOf(field);
  const again = names.indexOf(field, index + 1);
  if (again < 0) return { index, field };
  throw new UsageError(`${name}: two columns are called "${field}" (columns ${index + 1} and ${again + 1})`, {
    item: name,
    hint: 'Rename one of them, or choose another with --column.',
  });
}

interface Sought extends ColumnWish {
  readonly wanted: readonly string[];
}

function noColumn({ names, rows, name }: Named, lack: string, { wanted, isSheet }: Sought): UsageError {
  const { names: ordered, likeliest, lacksHeader } = likelyColumns(names, rows, wanted);
  const message = `${name} has ${lack}; it has: ${listed(ordered)}`;
  const asLines = isSheet === true ? '' : '; a plain list of identifiers needs --input-format lines';
  if (lacksHeader) {
    return new UsageError(message, {
      item: name,
      hint: `Its first row holds an identifier: a table needs a row of column names first${asLines}.`,
    });
  }
  const column = likeliest === undefined ? '--column' : `--column ${/^[\w.-]+$/.test(likeliest) ? likeliest : JSON.stringify(likeliest)}`;
  const hint = `Name the column that holds the identifier with ${column}${asLines}.`;
  const more = names.length > 1 || isSheet === true ? '' : ' Columns are told apart by commas, semicolons, tabs or bars.';
  return new UsageError(message, { item: name, hint: hint + more });
}

const mostListed = 300;
const longestListed = 60;

/** Names that a person can read in one line: of a file in a wrong encoding, the first one may be the whole file. */
export function listed(names: readonly string[]): string {
  const more = names.length - mostListed;
  const shown = names.slice(0, mostListed).map((name) => {
    const line = name.replace(/\s+/g, ' ') || '(empty)';
    return line.length > longestListed ? `${line.slice(0, longestListed).replace(/[\ud800-\udbff]$/, '')}…` : line;
  });
  return `${shown.join(', ') || 'none'}${more > 0 ? ` and ${more} more` : ''}`;
}
