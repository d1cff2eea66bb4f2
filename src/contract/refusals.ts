/** Lists how an operation may refuse a call. Sections "Endpoints", "Authentication" and "Errors" of the API document. */
import type { Endpoint } from './endpoint.ts';
import { errorCodes } from './service.ts';

type Refused = readonly [status: number, codes: readonly string[]];

/** Section "Errors": every operation with a key may refuse with these. */
const keyed: readonly Refused[] = [
  [401, [errorCodes.apiKeyMissing, errorCodes.apiKeyNotValid]],
  [403, [errorCodes.notPermitted]],
  [429, [errorCodes.rateLimited]],
];

/** A malformed value has its own answer; a well-formed one may still name something that is missing or not visible. */
const pathRefusals = ({ pathParameters = {} }: Endpoint): readonly Refused[] =>
  Object.values(pathParameters).flatMap(({ malformed: { status, errorCode } }): Refused[] => [
    [404, []],
    [status, errorCode === undefined ? [] : [errorCode]],
  ]);

/** Returns error codes by ascending status. `OUT_OF_CREDITS` is left out, because its status is not documented. */
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
