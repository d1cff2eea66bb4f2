import { describe, expect, test } from 'vitest';
import { type Circumstances, failureOf, type Happening } from '../../src/client/failure.ts';
import { operations } from '../../src/contract/operations.ts';
import { exitOf } from '../../src/exit.ts';

const { checkHealth, deletePeopleList, getPerson, resolvePeople } = operations;
const status = (code: number, outOfCredits = false): Happening => ({ kind: 'status', status: code, outOfCredits });
const failed = (happening: Happening, more: Partial<Circumstances> = {}) =>
  failureOf(happening, { endpoint: getPerson, item: 'per_1', ...more });

test.each([
  [status(400), 'usage', 2],
  [status(401), 'auth', 3],
  [status(402), 'unavailable', 5],
  [status(403), 'auth', 3],
  [status(404), 'not_found', 4],
  [status(418), 'unavailable', 5],
  [status(422), 'usage', 2],
  [status(429), 'rate_limited', 6],
  [status(500), 'unavailable', 5],
  [status(503), 'unavailable', 5],
  [status(301), 'unavailable', 5],
  [status(402, true), 'credits', 7],
  [status(429, true), 'credits', 7],
  [{ kind: 'refused' }, 'unavailable', 5],
  [{ kind: 'unreachable' }, 'unavailable', 5],
  [{ kind: 'lost' }, 'unavailable', 5],
  [{ kind: 'misshapen' }, 'unavailable', 5],
] as const)('%j is %s', (happening, code, exit) => {
  const failure = failed(happening);
  expect(failure.code).toBe(code);
  expect(exitOf(failure.code)).toBe(exit);
  expect(failure.details.item).toBe('per_1');
  expect(failure.message).toMatch(/^Get person by id, per_1: [^\n]+$/);
  expect(failure.details.hint ?? failure.details.rerun).toMatch(/\S/);
});

describe('words', () => {
  test.each([
    [status(404), { refusal: { message: 'no such person' } }, 'Get person by id, per_1: not found (404): no such person'],
    [status(404), {}, 'Get person by id, per_1: not found (404)'],
    [status(429), {}, 'Get person by id, per_1: still rate limited (429)'],
    [status(507), {}, 'Get person by id, per_1: the service failed (507)'],
    [status(402, true), { item: undefined }, 'Get person by id: out of credits (402)'],
    [{ kind: 'lost' }, { reason: 'the connection was reset' }, 'Get person by id, per_1: the connection was reset'],
    [{ kind: 'lost' }, {}, 'Get person by id, per_1: no answer'],
  ] as const)('%j', (happening, more, message) => {
    expect(failed(happening, more).message).toBe(message);
  });
});

describe('details', () => {
  test('what may have been billed says so, and how to find out', () => {
    const { details } = failed({ kind: 'lost' });
    expect(details).toMatchObject({ billed: 'unknown', retryable: false, status: undefined });
    expect(details.hint).toContain('pdi spend');
  });

  test('a free call never costs anything', () => {
    expect(failureOf({ kind: 'lost' }, { endpoint: resolvePeople }).details).toMatchObject({ billed: 'no', retryable: true });
  });

  test("the service's own code and status go along", () => {
    const { details } = failed(status(401), { refusal: { errorCode: 'API_KEY_NOT_VALID' } });
    expect(details).toMatchObject({ status: 401, errorCode: 'API_KEY_NOT_VALID', billed: 'no' });
    expect(details.hint).toContain('pdi config check');
  });

  test('404 of a deletion after a lost attempt may be the work of that attempt, but no reading makes a 404', () => {
    const afterLoss = { lostBefore: true, namesResource: true };
    expect(failed(status(404), { ...afterLoss, endpoint: deletePeopleList }).details.hint).toContain('may have been carried out');
    expect(failed(status(404), afterLoss).details.hint).toMatch(/^check the id/);
  });

  test('404 of an id: the message says what may be wrong, the hint what to do', () => {
    expect(failed(status(404), { namesResource: true }).details.hint).toBe('check the id, or have it shared with the API (Share to API)');
  });

  test('404 where nothing was named: the address is wrong, nothing needs to be shared', () => {
    expect(failed(status(404)).details.hint).toMatch(/^check that the base URL/);
  });

  test.each([status(503), status(500), { kind: 'lost' }, { kind: 'refused' }] as const)(
    'health sends nobody to health: %j',
    (happening) => {
      const { hint } = failureOf(happening, { endpoint: checkHealth }).details;
      expect(hint).toBe('try again later, or poll with `pdi health --wait SECONDS`');
      expect(failureOf(happening, { endpoint: resolvePeople }).details.hint).toContain('`pdi health` tells');
    },
  );
});
