import { type Column, lastRank } from '../contract/columns.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { nameKey } from '../contract/identifier.ts';
import { type OperationName, operationNames, operations } from '../contract/operations.ts';
import { operationsOfNames } from '../contract/recognise.ts';
import { namesBehind, objectColumn } from '../output/layout.ts';
import { itemColumn, statusNames } from '../output/read.ts';
import type { OwnTable } from '../rows/row.ts';
import { type Earlier, matchedByColumn, matchesColumn, originColumns } from './shape.ts';

interface NamedColumns {
  readonly columns: readonly Column[];
  readonly operation: OperationName | undefined;
  /** Tells whether a column is the operation's or pdi's. Others are the user's own. */
  readonly isKnown: (column: Pick<Column, 'name'>) => boolean;
}

/** The columns of pdi itself that a record may have. */
export const besideRecords: readonly Column[] = [
  itemColumn,
  matchesColumn,
  matchedByColumn,
  ...originColumns,
];

const besideNames: ReadonlySet<string> = new Set([
  ...besideRecords.map(({ name }) => name),
  ...statusNames,
]);

const added: readonly Column[] = [
  { name: 'input', kind: 'text', inTable: true },
  ...besideRecords,
  { name: 'pdi_status', kind: 'text', inTable: true, rank: lastRank },
  { name: 'pdi_error', kind: 'text', inTable: true, rank: lastRank },
];

/** Where a list was exploded, its column is gone, or holds an element. */
const columnsIn = ({ columns, members }: Endpoint): readonly Column[] => [
  ...columns.flatMap(({ element = [], beside = [] }) => [element, beside].flat()),
  ...columns,
  ...(members?.columns ?? []),
];

export const knownNames: readonly string[] = [
  ...new Set([...added, ...Object.values(operations).flatMap(columnsIn)].map(({ name }) => name)),
];

/** A job writes a status; what answers no rows writes all columns of its operation. */
const isWrittenByPdi = (keys: readonly string[]): boolean =>
  keys.includes('pdi_status') ||
  operationNames.some((name) => {
    const columns: readonly Column[] = operations[name].columns;
    return columns.every((column) => column.onlyInTable === true || keys.includes(column.name));
  });

/** Titles of a join begin with them. */
const jobs = [
  ['resolve', operations.resolvePeople],
  ['person', operations.getPerson],
  ['revenue', operations.getCompanyLatestRevenue],
  ['investors', operations.findInvestors],
  ['funding-rounds', operations.getFundingRoundsSearch],
  ['talent', operations.getTalentSearch],
] as const satisfies readonly (readonly [string, Endpoint])[];

/** A path into a list is a result too, as is an object whole. */
function resultsOf(endpoint: Endpoint): (name: string) => boolean {
  const names = columnsIn(endpoint).map(({ name }) => name);
  return (name) => {
    const path = nameKey(name).replace(/\.(?:\d+|current)(?=\.|$)/g, '');
    return names.some((known) => known === path || known.startsWith(`${path}.`));
  };
}

/** What a job may have written into a table: of two columns of a name, the second. An object whole is only where `--fields` chose it. */
function resultsIn(keys: readonly string[], endpoint: Endpoint) {
  const isResult = resultsOf(endpoint);
  const names = new Set(columnsIn(endpoint).map(({ name }) => name));
  const isOurs = (at: number): boolean =>
    isResult(keys[at] ?? '') && keys.lastIndexOf(keys[at] ?? '') === at;
  const isWhole = endpoint.columns.every(
    ({ name, element, onlyInTable }) =>
      (element ?? onlyInTable) !== undefined || keys.includes(name),
  );
  return {
    endpoint,
    isOurs,
    isWhole,
    places: [...keys.keys()].filter((at) => names.has(keys[at] ?? '') && isOurs(at)),
  };
}

/** Where `--fields` chose, nothing but their place tells columns: they stand before the status, the first of an operation before the others. */
function chosenBefore(
  keys: readonly string[],
  { endpoint, isOurs }: ReturnType<typeof resultsIn>,
  isKnown: (at: number) => boolean,
) {
  const places: number[] = [];
  const isAlone = keys[0] === 'input';
  for (let at = keys.lastIndexOf('pdi_status') - 1; at >= 0; at -= 1) {
    if (besideNames.has(keys[at] ?? '')) continue;
    if (isKnown(at) || !isOurs(at)) break;
    places.push(at);
    if (!isAlone && keys[at] === endpoint.columns[0]?.name) break;
  }
  return places;
}

function writtenColumns(header: readonly string[], endpoint: Endpoint): Earlier['columns'] {
  const keys = jobs
    .reduce((names, [word, job]) => namesBehind(names, word, resultsOf(job)), header)
    .map(nameKey);
  const all = jobs.map(([, job]) => resultsIn(keys, job));
  const whole = all.filter(({ isWhole }) => isWhole);
  const ofWhole = new Set(whole.flatMap(({ places }) => places));
  const chosen = all.map((results) => ({
    ...results,
    places: chosenBefore(keys, results, (at) => ofWhole.has(at)),
  }));
  const longest = largest(
    chosen,
    ({ places, endpoint: job }) => places.length + (job === endpoint ? 0.5 : 0),
  );
  // Some jobs have all the columns of another, and more.
  const latest = largest(whole, ({ places }) => (places.at(-1) ?? 0) + places.length / keys.length);
  const last = longest === undefined || longest.places.length === 0 ? latest : longest;
  const isOfLast = (at: number): boolean =>
    besideNames.has(keys[at] ?? '') || last?.places.includes(at) === true;
  const written = [...keys.keys()].filter(
    (at) =>
      ofWhole.has(at) || longest?.places.includes(at) === true || besideNames.has(keys[at] ?? ''),
  );
  return new Map(
    written.map((at) => [
      at,
      { name: keys[at] ?? '', isOfThis: last?.endpoint === endpoint && isOfLast(at) },
    ]),
  );
}

const largest = <T>(all: readonly T[], sizeOf: (one: T) => number): T | undefined =>
  all.reduce<T | undefined>(
    (most, one) => (most === undefined || sizeOf(one) > sizeOf(most) ? one : most),
    undefined,
  );

/** What pdi wrote into a table that has its status. A table without one is the user's own, but for the id that another command gave. */
export function earlierColumns({ header, read = [] }: OwnTable, endpoint: Endpoint): Earlier {
  const titles = header.map(nameKey);
  const isOfJob = titles.includes('pdi_status');
  const columns = isOfJob ? writtenColumns(header, endpoint) : new Map<number, never>();
  const [id] = endpoint.askedBy ?? [];
  const others = [...columns].flatMap(([at, { name }]) => (read.includes(at) ? [] : [name]));
  const isId =
    id !== undefined &&
    read.some((at) => titles[at] === id) &&
    isWrittenByPdi(titles) &&
    !others.includes(id);
  const repeated = read.flatMap((at) => columns.get(at)?.name ?? []);
  return { columns, repeated: isId ? [...repeated, id] : repeated };
}

/** Operations with the same columns are one here. It is undefined where several differ. */
export function onlyOne(found: readonly OperationName[]): OperationName | undefined {
  const shapes = new Set(found.map((name) => JSON.stringify(operations[name].columns)));
  return shapes.size === 1 ? found[0] : undefined;
}

/** The list of which each row holds an element, where that stands whole under the list's name, as do the lists that were not exploded. */
function explodedWhole(names: readonly string[], columns: readonly Column[]): Column | undefined {
  const item = names.indexOf(itemColumn.name);
  const lists = columns.filter(
    ({ name, element }) => item >= 0 && names.includes(name) && element !== undefined,
  );
  const next = lists.find(({ name }) => name === names[item + 1]);
  const hasFields = columns.some(({ element = [] }) =>
    element.some(({ name }, at) => (at > 0 || element.length > 1) && names.includes(name)),
  );
  const list = hasFields ? undefined : (next ?? (lists.length === 1 ? lists[0] : undefined));
  if (list === undefined) return undefined;
  const [only] = list.element ?? [];
  return only?.name === list.name
    ? only
    : { ...objectColumn(list.name, list.element ?? []), inTable: true };
}

/** Names are unique. Without `from`, they tell the operation; if none is told, all but the added ones are text. */
export function namedColumns(
  names: readonly string[],
  { from, isJob }: { readonly from?: OperationName | undefined; readonly isJob: boolean },
): NamedColumns {
  const operation = from ?? onlyOne(operationsOfNames(names, isJob));
  const endpoint = operation && operations[operation];
  const ours: readonly Column[] = [
    ...added,
    ...(endpoint === undefined ? [] : columnsIn(endpoint)),
  ];
  // What a file holds is shown, also where it sums up other columns.
  const byName = new Map(ours.map(({ onlyInTable: _, ...column }) => [column.name, column]));
  const exploded = endpoint && explodedWhole(names, endpoint.columns);
  if (exploded !== undefined) byName.set(exploded.name, exploded);
  const isContainer = (path: string) => ours.some((column) => column.name.startsWith(`${path}.`));
  const columns = names.map((wanted): Column => {
    const found = byName.get(wanted);
    if (found !== undefined) return found;
    return {
      ...(isContainer(wanted)
        ? objectColumn(wanted, endpoint?.columns ?? [])
        : { name: wanted, kind: 'text' }),
      inTable: true,
    };
  });
  return {
    columns,
    operation,
    isKnown: (column) => byName.has(column.name) || isContainer(column.name),
  };
}
