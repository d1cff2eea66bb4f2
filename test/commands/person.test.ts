import { stripVTControlCharacters } from 'node:util';
import { describe, expect } from 'vitest';
import { landmarks } from '../sandbox/landmarks.ts';
import { it } from '../support/it.ts';
import {
  arrayOf,
  billedBy,
  errorOf,
  expectRefused,
  origin,
  summaryOf,
} from '../support/service.ts';

const { person } = landmarks;

describe('person', () => {
  it('several give one array in their order; an id that comes twice is bought once', async ({
    service,
    pdi,
  }) => {
    const result = await pdi(['person', 'per_sample3', person.id, 'per_sample3', 'per_sample2']);
    expect(result.code).toBe(0);
    expect(arrayOf(result).map(({ person_id }) => person_id)).toEqual([
      'per_sample3',
      person.id,
      'per_sample3',
      'per_sample2',
    ]);
    expect(billedBy(service)).toEqual([person.id, 'per_sample2', 'per_sample3']);
    expect(summaryOf(result)).toMatchObject({
      rows: 4,
      ok: 4,
      calls_billed: 3,
      calls_unknown: 0,
      resume: null,
    });
  });

  it.each(['', '.', '..'])('an id %j that would lead to another path is not sent', (id) =>
    expectRefused(['person', id], ''),
  );

  it('resolve is advised so that it takes an id which begins like a flag', async () => {
    const { pdi } = await origin(() => ({ json: [] }));
    const { hint } = errorOf(await pdi('person -- -abc'));
    expect(hint).toContain('`pdi resolve -- -abc` (free)');
  });

  it('no message of the service reaches a terminal unclean', async () => {
    const { pdi } = await origin(() => ({
      status: 404,
      json: { message: 'gone\u001b[2J\u001b]0;title\u0007\u202e\nsecond line' },
    }));
    for (const terminal of [true, false]) {
      const { stderr } = await pdi('person per_1', { terminal });
      expect(stderr).toMatch(/^[^\n]*gone second line/);
      expect(stripVTControlCharacters(stderr).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
    }
  });
});
