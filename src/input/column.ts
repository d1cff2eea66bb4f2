/** Which column of a CSV holds the identifier. Pure. */
import { UsageError } from '../errors.ts';

export interface InputColumn {
  readonly index: number;
  /** The header as written, trimmed. */
  readonly field: string;
}

export interface ColumnWish {
  /** `--column`. */
  readonly column?: string | undefined;
  /** The command's own field names, in order of preference. */
  readonly candidates: readonly string[];
}

/**
 * The columns to look into, in order: the one that was named, else the first candidate there is, in any case. A person's identifiers
 * (`profnet_*`) are alternatives to each other, as are an investor's website and name: all of them are returned and each
 * row uses the first it fills.
 * @throws UsageError listing the columns found, or naming the one that the header has twice.
 */
export function chooseInputColumns(header: readonly string[], wish: ColumnWish, name: string): readonly [InputColumn, ...InputColumn[]] {
  const names = header.map((cell) => cell.trim());
  if (wish.column !== undefined) return [namedColumn(names, wish.column, name)];
  const present = wish.candidates.filter((candidate) => spellings(names, candidate).length > 0);
  const [first, ...others] = present;
  if (first === undefined) throw noColumn(names, `none of the columns ${wish.candidates.join(', ')}`, name);
  const alternatives = others.filter((other) => subjectOf(other) !== undefined && subjectOf(other) === subjectOf(first));
  return [columnOf(names, first, name), ...alternatives.map((other) => columnOf(names, other, name))];
}

/** Whom a column tells apart, where several columns do. An empty company_id must never fall back to some other id. */
function subjectOf(field: string): 'person' | 'investor' | undefined {
  if (field.startsWith('profnet_')) return 'person';
  return field === 'website' || field === 'name' ? 'investor' : undefined;
}

/** The headers that answer to a name: written just so, else in any case. */
function spellings(names: readonly string[], wanted: string): readonly string[] {
  if (names.includes(wanted)) return [wanted];
  return [...new Set(names.filter((cell) => isAlike(cell, wanted)))];
}

/** Whether two names differ in nothing but case. */
export const isAlike = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

function namedColumn(names: readonly string[], wanted: string, name: string): InputColumn {
  if (spellings(names, wanted.trim()).length === 0) throw noColumn(names, `no column "${wanted}"`, name);
  return columnOf(names, wanted.trim(), name);
}

/** @throws UsageError where several columns answer to the name, which one does at least */
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

function noColumn(names: readonly string[], lack: string, name: string): UsageError {
  const hint = 'Name the column that holds the identifier with --column; a plain list of identifiers needs --input-format lines.';
  const more = names.length > 1 ? '' : ' Columns are told apart by commas, semicolons or tabs.';
  return new UsageError(`${name} has ${lack}; it has: ${listed(names)}`, { item: name, hint: hint + more });
}

/** Names for a message of one line, whatever line ends and tabs are in them. */
export const listed = (names: readonly string[]): string =>
  names.map((name) => name.replace(/\s+/g, ' ') || '(empty)').join(', ') || 'none';
