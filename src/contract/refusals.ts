/** What an operation may refuse a call with. Sections "Endpoints", "Authentication" and "Errors" of the API document. */
import type { Endpoint } from './endpoint.ts';
import { errorCodes } from './service.ts';

type Refused = readonly [status: number, codes: readonly string[]];

/** Section "Errors": every operation that needs a key. */
const keyed: readonly Refused[] = [
  [401, [errorCodes.apiKeyMissing, errorCodes.apiKeyNotValid]],
  [403, [errorCodes.notPermitted]],
  [429, [errorCodes.rateLimited]],
];

/** A malformed value has its own answer; a good one may still name what does not exist or is not visible. */
const pathRefusals = ({ pathParameters = {} }: Endpoint): readonly Refused[] =>
  Object.values(pathParameters).flatMap(({ malformed: { status, errorCode } }): Refused[] => [
    [404, []],
    [status, errorCode === undefined ? [] : [errorCode]],
  ]);

/**
 * Error codes by status, ascending; no codes where the document names none. `OUT_OF_CREDITS` is not among them: charged
 * operations refuse with it, but with which status is not documented.
 */
export function refusalsOf(endpoint: Endpoint): ReadonlyMap<number, readonly string[]> {
  const { key, query, body, refusals = {} } = endpoint;
  const all: readonly Refused[] = [
    ...(key === 'none' ? [] : keyed),
    ...pathRefusals(endpoint),
    ...(query === undefined && body === undefined ? [] : [[422, [errorCodes.validationError]] as const]),
    ...Object.entries(refusals).map(([status, codes]) => [Number(status), codes] as const),
  ];
  const byStatus = new Map<number, readonly string[]>();
  for (const [status, codes] of all.toSorted(([one], [other]) => one - other)) {
    byStatus.set(status, [...(byStatus.get(status) ?? []), ...codes]);
  }
  return byStatus;
}
