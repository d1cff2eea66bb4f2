/** What the output looks like before any row is known: which columns, and how rows came about. */
import type { Column } from '../contract/columns.ts';
import type { CardName, PictureName } from '../contract/endpoint.ts';
import { UsageError } from '../errors.ts';
import type { OwnTable } from '../rows/input-row.ts';
import { cleanLine } from './clean.ts';

export interface Layout {
  /** Those of `--fields`, in its order; else all of the resource. */
  readonly columns: readonly Column[];
  /** Whether `--fields` was given. */
  readonly chosen: boolean;
  /** One record was asked for: a JSON object instead of an array, a card instead of a table. */
  readonly one: boolean;
  /** Rows have an input and a status. */
  readonly job: boolean;
  readonly own?: OwnTable;
  /** A card of its own for a single record. */
  readonly card?: CardName;
  /** What a table ends with; only where a person sees it on a terminal. */
  readonly picture?: PictureName;
}

/** The names in a `--fields` list: trimmed, without blanks, the first of each. */
const namesIn = (fields: string): readonly string[] => [
  ...new Set(
    fields
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
];

/** The documented fields that hold columns, such as `company` and `company.hq` of `company.hq.city`, as one value each. */
const containersOf = (columns: readonly Column[]): readonly Column[] => {
  const paths = columns.map(({ name }) => name.split('.'));
  const names = new Set(paths.flatMap((steps) => steps.slice(1).map((_step, index) => steps.slice(0, index + 1).join('.'))));
  return [...names].map((name) => ({ name, kind: 'json', inTable: false }));
};

/**
 * The columns that `--fields` (undefined when not given) chooses from all of a resource: by their names, or by that of the
 * object or list they are in, which is then one column.
 * @throws UsageError naming every unknown name and, in its hint, the valid ones.
 */
export function chooseColumns(
  all: readonly Column[],
  fields: string | undefined,
): { readonly columns: readonly Column[]; readonly chosen: boolean } {
  if (fields === undefined) return { columns: all, chosen: false };
  const byName = new Map([...containersOf(all), ...all].map((column) => [column.name, column]));
  const hint = all.length === 0 ? 'this command has no fields to choose from' : `valid names: ${all.map(({ name }) => name).join(', ')}`;
  const names = namesIn(fields);
  if (names.length === 0) throw new UsageError('--fields names no field', { item: '--fields', hint });
  const unknown = names.filter((name) => !byName.has(name)).map((name) => `"${cleanLine(name)}"`);
  if (unknown.length > 0) throw new UsageError(`--fields: no field is called ${unknown.join(', ')}`, { item: '--fields', hint });
  return { columns: names.flatMap((name) => byName.get(name) ?? []), chosen: true };
}
