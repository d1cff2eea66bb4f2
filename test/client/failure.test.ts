import { describe, expect, test } from 'vitest';
import { type ErrorBody, failureOf, NoAnswer } from '../../src/client/failure.ts';
import { operations } from '../../src/contract/operations.ts';

const { getPerson } = operations;
const status = (code: number, refusal: ErrorBody = {}, outOfCredits = false): NoAnswer =>
  new NoAnswer('status', '', { status: code, outOfCredits, refusal });
const failed = (why: NoAnswer) => failureOf(why, { endpoint: getPerson, item: 'per_1' });

describe('words', () => {
  test.each([
    [status(404, { message: 'no such person' }), 'Get person by id, per_1: not found (404): no such person'],
    [status(404), 'Get person by id, per_1: not found (404)'],
    [status(429), 'Get person by id, per_1: still rate limited (429)'],
    [status(507), 'Get person by id, per_1: the service failed (507)'],
    [new NoAnswer('lost', 'the connection was reset'), 'Get person by id, per_1: the connection was reset'],
    [new NoAnswer('lost', ''), 'Get person by id, per_1: no answer'],
  ] as const)('%j', (why, message) => {
    expect(failed(why).message).toBe(message);
  });

  test('without an item', () => {
    const { message } = failureOf(status(402, {}, true), { endpoint: getPerson });
    expect(message).toBe('Get person by id: out of credits (402)');
  });
});

describe('details', () => {
  test('what may have been billed says so, and how to find out', () => {
    const { details } = failed(new NoAnswer('lost', ''));
    expect(details).toMatchObject({ billed: 'unknown', retryable: false, status: undefined });
    expect(details.hint).toContain('pdi spend');
  });

  test("the service's own code and status go along", () => {
    const { details } = failed(status(401, { errorCode: 'API_KEY_NOT_VALID' }));
    expect(details).toMatchObject({ status: 401, errorCode: 'API_KEY_NOT_VALID', billed: 'no' });
    expect(details.hint).toContain('pdi config check');
  });
});
