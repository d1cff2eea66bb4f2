/** Records that an origin of the tests answers with, and what it was asked for. */
import { isObject } from '../../src/json/exact.ts';
import { addDays } from '../../src/rows/days.ts';
import { resources } from '../contract/resources.ts';
import type { Answer } from './origin.ts';

/** `per_sample1` and so on: persons that the sandbox has, in its default size up to 120. */
export const personIds = (count: number, from = 1): string[] =>
  Array.from({ length: count }, (_, index) => `per_sample${index + from}`);

/** A profile as small as the document allows. */
export const profile = (path: string): Answer => ({
  json: { person_id: idIn(path), full_name: `Name of ${idIn(path)}` },
});

const requiredOfInvestor =
  resources.find(({ operation }) => operation === 'findInvestors')?.required ?? [];

/** An investor as small as the document allows: its lists are empty. */
export const investor = (name: string) => ({
  ...Object.fromEntries(requiredOfInvestor.map((field) => [field, []])),
  investor_id: name,
  investor_name: name,
});

/** The id at the end of a path. */
export const idIn = (path: string): string =>
  decodeURIComponent(path.slice(path.lastIndexOf('/') + 1));

/** The items of a resolve request. */
export function itemsIn(body: string): readonly Readonly<Record<string, unknown>>[] {
  const request: unknown = JSON.parse(body);
  return isObject(request) && Array.isArray(request.to_resolve) ? request.to_resolve : [];
}

/** The documented answer to one item: the person whose id is made of the value. */
export const groupOf = (query: Readonly<Record<string, unknown>>) => ({
  query,
  matches: [{ person_id: `per_${Object.values(query)[0]}` }],
});

export const malformed: Answer = {
  status: 422,
  json: { errorCode: 'VALIDATION_ERROR', message: 'an item is malformed' },
};

/** Records fit for the feed and for the network, by number. */
export const numbered = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => {
    const id = `s${from + index}`;
    return {
      signal_id: id,
      person_id: id,
      connected_on: 'profnet',
      connected_at: '2026-01-01T00:00:00Z',
      connected_teammates: [],
    };
  });

/** Signals by number with a day each, `perDay` on one, the newest day first. */
export const dated = (from: number, count: number, perDay = 20) =>
  numbered(from, count).map((record, index) => ({
    ...record,
    signal_date: addDays('2026-06-30', -Math.floor((from + index) / perDay)),
  }));

/** What the feed answers to a path that asks for days and a page of `signals`, which are in its order. */
export function feedPage<S extends { readonly signal_date: string }>(
  path: string,
  signals: readonly S[],
): readonly S[] {
  const asked = new URL(path, 'http://x').searchParams;
  const [after, before] = [
    asked.get('signal_date_after') ?? '',
    asked.get('signal_date_before') ?? '9999',
  ];
  const [page, limit] = [Number(asked.get('page') ?? 0), Number(asked.get('limit') ?? 50)];
  return signals
    .filter(({ signal_date: day }) => after <= day && day <= before)
    .slice(page * limit, (page + 1) * limit);
}

/** The page that a path asks for. */
export const pageOf = (path: string): number =>
  Number(new URL(path, 'http://x').searchParams.get('page') ?? 0);

/** The signals in JSON text, of whatever form. */
export const idsIn = (stdout: string): readonly string[] =>
  [...stdout.matchAll(/"signal_id": ?"([^"]+)"/g)].map(([, id]) => id ?? '');
