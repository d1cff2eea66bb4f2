/** `--accept`: what a job may end with and still exit 0. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { it, itWith } from '../support/it.ts';
import { idIn, personIds, profile } from '../support/records.ts';
import { errorOf, expectRefused, linesFile, newFile, origin, saidBy, statusesOf, summaryOf } from '../support/service.ts';

/** One row of each status that a job can go on after. */
const mixed = ['per_ok', 'per_none', 'two words', 'per_lost', 'per_down'];

/** A service of which each of these has an answer of its own. */
const itOfEach = itWith(() =>
  origin(({ path }, response) => {
    const id = idIn(path);
    if (id === 'per_ok') return profile(path);
    if (id === 'per_none') return { status: 404 };
    if (id === 'per_down') return { status: 503 };
    return void response.destroy();
  }),
);

const job = (ids: readonly string[], ...more: readonly string[]) => {
  const line = `person -i ${linesFile(ids)} -o csv --errors json --retries 0 --max-age 0`;
  return [...line.split(' '), ...more];
};

describe('a job with rows that are not ok', () => {
  itOfEach.for([
    ['not_found', 'per_none', { not_found: 1 }],
    ['invalid', 'two words', { invalid: 1 }],
    ['unknown', 'per_lost', { unknown: 1 }],
    ['failed', 'per_down', { failed: 1 }],
  ] as const)('exits 0 where %s is accepted, 8 where it is not, and says the same', async ([status, id, counts], { pdi }) => {
    const rows = ['per_ok', id];
    const rest = ['not_found', 'invalid', 'unknown', 'failed'].filter((one) => one !== status);
    const plain = await pdi(job(rows));
    const accepting = await pdi(job(rows, '--accept', status));
    const others = await pdi(job(rows, '--accept', rest.join(',')));
    expect([plain.code, accepting.code, others.code]).toEqual([8, 0, 8]);
    for (const result of [plain, accepting, others]) {
      expect(statusesOf(result.stdout)).toEqual(['ok', status]);
      expect(summaryOf(result)).toMatchObject({ rows: 2, ok: 1, ...counts });
    }
    const wayOut = `with --accept ${status} it would end with exit code 0`;
    expect(errorOf(plain)).toMatchObject({ code: 'partial', hint: expect.stringContaining(wayOut) });
    expect(saidBy(accepting).filter((line) => 'error' in line)).toEqual([]);
  });

  itOfEach('says what would make it 0 also where no row is ok', async ({ pdi }) => {
    const none = ['per_none', 'two words'];
    expect(errorOf(await pdi(job(none))).hint).toContain('with --accept not_found,invalid it would end with exit code 0');
    expect((await pdi(job(none, '--accept', 'not_found,invalid'))).code).toBe(0);
  });

  itOfEach('takes several at once', async ({ pdi }) => {
    expect((await pdi(job(mixed, '--accept', 'not_found, invalid,unknown,failed'))).code).toBe(0);
    const result = await pdi(job(mixed, '--accept', 'not_found,invalid,unknown'));
    expect(result.code).toBe(8);
    expect(errorOf(result).hint).toContain('with --accept not_found,invalid,unknown,failed it would');
  });

  itOfEach('keeps the journal of what may still be asked', async ({ pdi }) => {
    const out = newFile('people.csv');
    const result = await pdi(job(['per_ok', 'per_down'], '--out', out, '--accept', 'failed'));
    const resume = 'run the same command again: it asks only for the rest';
    expect([result.code, existsSync(`${out}.journal`), summaryOf(result).resume]).toEqual([0, true, resume]);
  });

  it('of resolve needs no word for what is not found', async ({ pdi }) => {
    expect((await pdi('resolve ada-sample-1 nobody-at-all -o csv')).code).toBe(0);
    const broken = ['resolve', '-i', linesFile(['ada-sample-1', '1.23E+15']), '-o', 'csv'];
    expect([(await pdi(broken)).code, (await pdi([...broken, '--accept', 'invalid'])).code]).toEqual([8, 0]);
  });
});

describe('what --accept does not change', () => {
  const all = ['--accept', 'not_found,invalid,failed,unknown'];

  it.each([
    ['credits run out', { status: 402, json: { errorCode: 'OUT_OF_CREDITS' } }, 7],
    ['the key is refused', { status: 401 }, 3],
    ['the limit stays', { status: 429, headers: { 'x-ratelimit-reset': '0' } }, 6],
    ['the service is down', { status: 503 }, 5],
  ])('%s', async (_what, answer, code) => {
    const { pdi } = await origin(({ path }, _response, count) => (count === 1 ? profile(path) : answer));
    expect((await pdi(job(personIds(20), '--concurrency', '1', ...all))).code).toBe(code);
  });

  itOfEach('rows that were not reached: --on-error stop', async ({ pdi }) => {
    const result = await pdi(job(['per_ok', 'per_down', 'per_other'], '--concurrency', '1', '--on-error', 'stop', ...all));
    expect([result.code, summaryOf(result)]).toEqual([8, expect.objectContaining({ ok: 1, failed: 1, skipped: 1 })]);
    expect(errorOf(result).hint).not.toContain('--accept');
  });

  itOfEach('a single id, whose failure is its own', async ({ pdi }) => {
    expect((await pdi(['person', 'per_none', ...all])).code).toBe(4);
    expect((await pdi(['person', 'per_none', 'per_ok', '-o', 'csv', ...all])).code).toBe(0);
  });

  it('a FILE that stays as it was, because no row has data', async () => {
    const { pdi } = await origin(() => ({ status: 404 }));
    const out = newFile('people.csv');
    writeFileSync(out, 'mine');
    const result = await pdi(job(personIds(2), '--out', out, '--force', '--accept', 'not_found'));
    expect([result.code, readFileSync(out, 'utf8')]).toEqual([8, 'mine']);
    expect(errorOf(result).hint).toContain('stays as it was');
  });

  it.each(['skipped', 'ok', 'not_found,skipped', '', 'credits'])('%j is refused, with what is allowed', (words) =>
    expectRefused(`person per_sample1 --accept=${words}`, '--accept: expected not_found, invalid, failed, unknown'),
  );
});
