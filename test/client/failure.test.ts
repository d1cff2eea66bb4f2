import { describe, expect, test } from 'vitest';
import { type Circumstances, failureOf, type Happening } from '../../src/client/failure.ts';
import { operations } from '../../src/contract/operations.ts';

const { getPerson } = operations;
const status = (code: number, outOfCredits = false): Happening => ({ kind: 'status', status: code, outOfCredits });
const failed = (happening: Happening, more: Partial<Circumstances> = {}) =>
  failureOf(happening, { endpoint: getPerson, item: 'per_1', ...more });

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

  test("the service's own code and status go along", () => {
    const { details } = failed(status(401), { refusal: { errorCode: 'API_KEY_NOT_VALID' } });
    expect(details).toMatchObject({ status: 401, errorCode: 'API_KEY_NOT_VALID', billed: 'no' });
    expect(details.hint).toContain('pdi config check');
  });
});
