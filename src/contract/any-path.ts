/** METHOD and PATH of `pdi api`: parts of a path below the base URL, ids among them lifted out as parameters. Pure. */
import * as z from 'zod/mini';
import { attempt } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';
import { lostCharacterIn, notSent } from './identifier.ts';
import { type OperationName, operationNames, operations } from './operations.ts';

/** No object of JSON is like this. */
const placeholder = /\{([^\s{}":,[\]][^{}":,[\]]*)\}/g;

export const namesIn = (text: string): readonly string[] => [
  ...new Set(Array.from(text.matchAll(placeholder), ([, name = '']) => name)),
];

export const withValues = (
  template: string,
  values: ReadonlyMap<string, string>,
  written = (value: string) => value,
): string => template.replace(placeholder, (_, name: string) => written(values.get(name) ?? ''));

/** Gives the parts, decoded, and the query. `base` is the path of the base URL. @throws UsageError for what may lead elsewhere */
export function readPath(written: string, base: string) {
  const text = written.trim();
  const refused = (why: string, hint: string) =>
    notSent(`PATH ${JSON.stringify(written)}: ${why}`, hint, written);
  if (/^\w+:|#/.test(text))
    throw refused('a place of its own, or a #', 'give the path below the base URL; %23 is a #');
  const [path = '', query = ''] = text.split(/\?(.*)/s);
  const parts = path.replace(/^\/|\/$/g, '').split('/');
  const decoded = parts.map((part) => {
    const read = attempt(() => decodeURIComponent(part)) ?? '%';
    const isWhole = !/[{}]|^%$/.test(read.replace(placeholder, ''));
    const fault = isWhole ? faultOfPart(read) : 'has a lone % or brace (%25, {NAME})';
    if (fault !== undefined) throw refused(`the part "${part}" ${fault}`, 'correct it');
    return read;
  });
  const below = `/${decoded.join('/')}/`.toLowerCase();
  const repeated = [base, base.slice(base.lastIndexOf('/'))].find((end) =>
    below.startsWith(`${end.toLowerCase()}/`),
  );
  if (repeated !== undefined) throw refused(`the base URL ends in ${repeated}`, 'leave that out');
  return { parts: decoded, query: [...new URLSearchParams(query)] };
}

/** What a server, or a proxy on the way, may read as another path, however often it is encoded. */
export function faultOfPart(text: string): string | undefined {
  const decoded = attempt(() => decodeURIComponent(text)) ?? text;
  if (decoded !== text) return faultOfPart(decoded);
  if (text === '') return 'is empty';
  if (/[\p{Cc}/\\]/u.test(text)) return 'holds a slash or a control character';
  return /^\.\.?(?:;|$)/.test(text) ? 'leads to another path' : lostCharacterIn(text);
}

/** The documented operation at this path, however its words are written. A plain word is no id that has a shape: `/people/search` is another. */
export const documentedAt = (
  method: Endpoint['method'],
  parts: readonly string[],
): OperationName | undefined =>
  operationNames.find((name) => {
    const { method: own, path, pathParameters }: Endpoint = operations[name];
    const words = path.slice(1).split('/');
    const isAt = (word: string, at: number): boolean => {
      const [part = '', { shape } = {}] = [parts[at], pathParameters?.[word.slice(1, -1)]];
      if (shape === undefined) return word === part.toLowerCase();
      return shape === 'company' || !/^[a-z]+$/.test(part);
    };
    return own === method && words.length === parts.length && words.every(isAt);
  });

/** Words of a path are plain; ids have digits, capitals or marks. */
const word = /^[a-z]{1,20}(?:-[a-z]{1,20})*$/;

/** The parts with a name in the place of each id. A path begins with a word. */
export function pathOf(parts: readonly string[]): string {
  let ids = 0;
  return parts
    .map((part, at) => {
      if ((at === 0 ? /^[a-z][\w.-]*$/i : word).test(part)) return `/${part}`;
      ids += 1;
      return ids === 1 ? '/{id}' : `/{id_${ids}}`;
    })
    .join('');
}

/** An operation that no document has. Charged reads are bought once, as the documented ones are. */
export const madeOperation = (
  facts: Pick<Endpoint, 'method' | 'path' | 'billing' | 'result' | 'asks'>,
): Endpoint => ({
  ...facts,
  title: `${facts.method} ${facts.path}`,
  records: 'answers',
  response: z.unknown(),
  successBody: 'any',
  isMade: true,
  columns: [],
  ...(facts.billing === 'charged' && /GET|POST/.test(facts.method) && { stored: true }),
});
