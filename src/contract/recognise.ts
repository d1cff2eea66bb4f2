import * as z from 'zod/mini';
import type { JsonObject } from '../json/exact.ts';
import { isAtOrBelow, recordSchema, topFields, topOf } from './columns.ts';
import type { Endpoint } from './endpoint.ts';
import { misfitsIn } from './misfits.ts';
import { type OperationName, operationNames, operations } from './operations.ts';

/** Several only where they fit alike. A field may be of another type than documented, so where names alone explain more, they tell. */
export function operationsOfRecords(records: readonly JsonObject[]): readonly OperationName[] {
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  const whole = best(names, (endpoint) =>
    isOf(recordSchema(endpoint), records) ? topFields(recordSchema(endpoint)) : [],
  );
  // `--fields` may have left out what every record of an operation has, and the members of a list are records of their own.
  const parts = best(names, (endpoint) => (isPartOf(endpoint, records) ? partNames(endpoint) : []));
  const found = [whole, parts, best(names, partNames)].reduce((one, other) =>
    other.hits > one.hits ? other : one,
  );
  return found.hits * 2 >= names.size ? found.operations : [];
}

const isOf = (schema: z.ZodMiniType, records: readonly JsonObject[]): boolean =>
  records.every((record) => z.safeParse(schema, record).success);

function isPartOf(endpoint: Endpoint, records: readonly JsonObject[]): boolean {
  const schema = recordSchema(endpoint);
  return isOf(schema instanceof z.ZodMiniObject ? z.partial(schema) : schema, records);
}

const partNames = (endpoint: Endpoint): readonly string[] => [
  ...topFields(recordSchema(endpoint)),
  ...memberNames(endpoint),
];

const memberNames = ({ members }: Endpoint): readonly string[] =>
  members?.columns.map(({ name }) => name) ?? [];

/** Lists whose elements records hold (`--explode`): the element fits as a list, not as it stands, in more records than for another list. */
export function explodedOperations(
  records: readonly JsonObject[],
  from: OperationName | undefined,
  asList: (record: JsonObject, list: string) => JsonObject,
) {
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  const fits = best(names, (endpoint) => topFields(recordSchema(endpoint)));
  const candidates = from === undefined ? fits.operations : [from];
  const found = candidates.flatMap((name) => {
    const schema = recordSchema(operations[name]);
    const fitsAt = (record: JsonObject, list: string) =>
      !misfitsIn(schema, record).some(
        ({ path, isMissing }) => !isMissing && isAtOrBelow(path, list),
      );
    return operations[name].columns.flatMap(({ name: list, element }) => {
      if (element === undefined || !names.has(topOf(list))) return [];
      const told = records.map(
        (record) => [fitsAt(record, list), fitsAt(asList(record, list), list)] as const,
      );
      const isRefuted = told.some(([asItStands, asElement]) => asItStands && !asElement);
      const elements = told.filter(([asItStands, asElement]) => asElement && !asItStands).length;
      return isRefuted || elements === 0 ? [] : [{ name, list, elements }];
    });
  });
  const most = Math.max(...found.map(({ elements }) => elements));
  return found.filter(({ elements }) => elements === most);
}

export function operationsOfNames(
  names: readonly string[],
  isJob: boolean,
): readonly OperationName[] {
  // `--fields` may reach into lists, as in `experience.0.title`.
  const paths = names.flatMap((name) => [name, name.replace(/\.\d+(?=\.|$)/g, '')]);
  const endpoints = isJob ? jobsThatWrote(names) : Object.values<Endpoint>(operations);
  return best(new Set(paths), (endpoint) => {
    if (!endpoints.includes(endpoint)) return [];
    const { columns } = endpoint;
    const all = columns
      .flatMap((column) => [column, ...(column.element ?? [])])
      .map(({ name }) => name);
    return [...all, ...memberNames(endpoint), ...columns.map(({ name }) => topOf(name))];
  }).operations;
}

/** A job writes its columns behind those of its input, where a job before it may have left more of them. */
function jobsThatWrote(names: readonly string[]): readonly Endpoint[] {
  const jobs = Object.values<Endpoint>(operations).filter(({ askedBy }) => askedBy !== undefined);
  const last = names.findLast((name) =>
    jobs.some(({ columns }) => columns.some((column) => column.name === name)),
  );
  const wrote = wholeJobs(names)
    .map((name): Endpoint => operations[name])
    .filter(({ columns }) => columns.at(-1)?.name === last);
  return wrote.length > 0 ? wrote : jobs;
}

/** Jobs all of whose columns are there; in place of a list, those of its elements may be. */
export function wholeJobs(names: readonly string[]): readonly OperationName[] {
  return operationNames.filter((operation) => {
    const { askedBy, columns }: Endpoint = operations[operation];
    return (
      askedBy !== undefined &&
      columns.every(({ name, element }) => element !== undefined || names.includes(name))
    );
  });
}

function best(names: ReadonlySet<string>, explained: (endpoint: Endpoint) => readonly string[]) {
  const fits = operationNames.map((name) => {
    const known = [...new Set(explained(operations[name]))];
    const hits = known.filter((field) => names.has(field)).length;
    return { name, hits, missing: known.length - hits };
  });
  const most = Math.max(...fits.map(({ hits }) => hits));
  const found = fits.filter(({ hits }) => hits === most && most > 0);
  // A profile has the three columns of a resolve too, but only a resolve has no others.
  const whole = found.filter(({ missing }) => missing === 0);
  return { hits: most, operations: (whole.length > 0 ? whole : found).map(({ name }) => name) };
}
