/** METHOD and PATH of `pdi api`: parts of a path below the base URL, ids among them lifted out as parameters. Pure. */
import * as z from 'zod/mini';
import { attempt, UsageError } from '../errors.ts';
import type { ApiMethod, Endpoint } from './endpoint.ts';
import { lostCharacterIn } from './identifier.ts';
import { type OperationName, operationNames, operations } from './operations.ts';
import type { Billing } from './price.ts';

/** No object of JSON is like this. */
const placeholder = /\{([^\s{}":,[\]][^{}":,[\]]*)\}/g;

export const namesIn = (templates: readonly string[]): readonly string[] => [
  ...new Set(
    templates.flatMap((text) => Array.from(text.matchAll(placeholder), ([, name = '']) => name)),
  ),
];

export const withValues = (
  template: string,
  values: ReadonlyMap<string, string>,
  written = (value: string) => value,
): string =>
  template.replace(placeholder, (_braces, name: string) => written(values.get(name) ?? ''));

export interface AnyPath {
  /** Decoded. */
  readonly parts: readonly string[];
  readonly query: readonly (readonly [name: string, value: string])[];
}

/** `base` is the path of the base URL, which the path must not repeat. @throws UsageError for what may lead elsewhere */
export function readPath(written: string, base: string): AnyPath {
  const text = written.trim();
  const refused = (why: string, hint: string): UsageError =>
    new UsageError(`PATH ${JSON.stringify(written)}: ${why}`, {
      item: written,
      hint: `nothing was sent; ${hint}`,
    });
  if (/\p{Cc}/u.test(text)) throw refused('it holds a control character', 'take it out');
  if (/^[a-z][\w+.-]*:|^[/\\]{2}/i.test(text))
    throw refused('it names a place of its own', 'give the path below the base URL alone');
  if (text.includes('#'))
    throw refused('a service never sees what follows a #', 'leave it out; %23 is a # in a value');
  const [path = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(text)?.slice(1) ?? [];
  const below = path.replace(/^\//, '').replace(/\/$/, '');
  if (below === '') throw refused('it names nothing', 'give a path such as /credits/balance');
  const parts = below.split('/').map((part) => {
    const decoded = attempt(() => decodeURIComponent(part));
    if (decoded === undefined)
      throw refused(`"${part}" holds a % that encodes nothing`, 'write %25 for it');
    const fault = faultOfPart(decoded);
    if (fault !== undefined) throw refused(`the part "${part}" ${fault}`, 'give a path without it');
    if (/[{}]/.test(decoded.replace(placeholder, '')))
      throw refused(`"${part}" holds a lone brace`, 'write {NAME} for what is to be filled in');
    return decoded;
  });
  const ofBase = base.split('/').filter((part) => part !== '');
  const repeated = ofBase.findIndex((_part, at) =>
    ofBase.slice(at).every((part, next) => part === parts[next]?.toLowerCase()),
  );
  if (repeated >= 0)
    throw refused(
      `the base URL ends in /${ofBase.slice(repeated).join('/')} already`,
      `give /${parts.slice(ofBase.length - repeated).join('/')}`,
    );
  return { parts, query: [...new URLSearchParams(query)] };
}

/** What a server, or a proxy on the way, may read as another path, however often it is encoded. */
export function faultOfPart(text: string): string | undefined {
  const decoded = attempt(() => decodeURIComponent(text)) ?? text;
  if (decoded !== text) return faultOfPart(decoded);
  if (text === '') return 'is empty';
  if (/\p{Cc}/u.test(text)) return 'holds a control character';
  if (/[/\\]/.test(text)) return 'holds a slash';
  if (/^\.\.?(?:;|$)/.test(text)) return 'leads to another path';
  return lostCharacterIn(text);
}

const documented = operationNames.map((name) => {
  const { method, path, pathParameters = {} }: Endpoint = operations[name];
  const words = path.slice(1).split('/');
  const shapes = words.map((word) => pathParameters[word.slice(1, -1)]?.shape);
  return { name, method, words, shapes };
});

/** The documented operation at this path, however its words are written. A plain word is no id that has a shape: `/people/search` is another. */
export const documentedAt = (
  method: ApiMethod,
  parts: readonly string[],
): OperationName | undefined =>
  documented.find(
    (one) =>
      one.method === method &&
      one.words.length === parts.length &&
      one.words.every((word, at) => {
        const [part = '', shape] = [parts[at], one.shapes[at]];
        if (shape === undefined) return word === part.toLowerCase();
        return shape === 'company' || !/^[a-z]+$/.test(part);
      }),
  )?.name;

/** Words of a path are plain; ids have digits, capitals or marks, or the beginning of one. */
const word = /^(?!per_|inv_)(?=.{1,40}$)[a-z]+(?:[-_][a-z]+|[A-Z][a-z]+)*$/;

/** A path begins with a word. `acme` in `/companies/acme/people` stands where documented paths have an id. */
function isIdAt(parts: readonly string[], at: number): boolean {
  const [part = '', next = ''] = parts.slice(at);
  if (!word.test(part)) return at > 0 || !/^[a-z][\w.-]*$/i.test(part);
  const isPlace = documented.some(
    ({ words, shapes }) =>
      shapes[at] !== undefined && words.slice(0, at).join() === parts.slice(0, at).join(),
  );
  return isPlace && word.test(next);
}

/** An operation that no document has. Charged reads are bought once, as the documented ones are. */
export function madeOperation(
  method: ApiMethod,
  parts: readonly string[],
  billing: Billing = 'unstated',
  isList = false,
  asks = '',
): Endpoint {
  let ids = 0;
  const words = parts.map((part, at) => {
    if (!isIdAt(parts, at)) return part;
    ids += 1;
    return ids === 1 ? '{id}' : `{id_${ids}}`;
  });
  const path = `/${words.join('/')}`;
  return {
    title: `${method} ${path}`,
    records: 'answers',
    method,
    path,
    billing,
    asks: ` ${asks}`,
    response: z.unknown(),
    successBody: 'any',
    isMade: true,
    result: isList ? 'list' : 'one',
    columns: [],
    ...(billing === 'charged' && /GET|POST/.test(method) && { stored: true }),
  };
}
