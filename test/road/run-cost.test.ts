import { describe, expect, it } from 'vitest';
import type { Handler } from '../support/origin.ts';
import { idIn, numbered, pageOf, personIds } from '../support/records.ts';
import { errorOf, linesFile, newFile, origin, saidBy, summaryOf } from '../support/service.ts';

const profile: Handler = ({ path }) => ({ json: { person_id: idIn(path) } });
const feed: Handler = ({ path }) => ({ json: numbered(pageOf(path) * 50, 50) });
const again = (calls: string) => `a new run may be billed again for what was bought: ${calls}`;
const perhaps = 'a new run may be billed for it a second time: 1 call';

const diskFull = () => {
  throw Object.assign(new Error('write ENOSPC'), { code: 'ENOSPC' });
};

describe('output that cannot be written', () => {
  it.each([
    ['person per_1', profile, 'yes', again('1 call')],
    ['person per_1 per_2', profile, 'yes', again('2 calls')],
    ['feed', feed, 'yes', again('1 call')],
    ['feed --max-pages 2', feed, 'yes', again('1 call')],
    ['network', feed, 'unknown', perhaps],
    ['investors --name x', { json: [] }, 'unknown', perhaps],
    ['feed', { json: [] }, 'no', undefined],
    ['lists companies list', { json: [] }, 'no', undefined],
  ] as const)('%s: the error tells what it cost', async (argv, answer, billed, cost) => {
    const { pdi } = await origin(typeof answer === 'function' ? answer : () => answer);
    const words = [...argv.split(' '), '-o', 'json'];
    for (const result of [
      await pdi(words, { onStdout: diskFull }),
      await pdi([...words, '--out', '/dev/full']),
    ]) {
      expect([result.code, errorOf(result).code, errorOf(result).billed]).toEqual([
        1,
        'internal',
        billed,
      ]);
      expect(errorOf(result).hint).toBe(`free some space; ${cost ?? 'run the same command again'}`);
    }
  });

  it('of a job: the summary comes before the error, and counts what was written and what was billed', async () => {
    const { service, pdi } = await origin(profile);
    const argv = ['person', '-i', linesFile(personIds(5)), '-o', 'ndjson', '--concurrency', '1'];
    let pieces = 0;
    const result = await pdi(argv, { onStdout: () => (++pieces > 2 ? diskFull() : undefined) });
    const resume = `${again(`${service.requests.length} calls`)}; with --out FILE, a file on a disk, a job goes on where it ended`;
    expect(saidBy(result).map((said) => Object.keys(said))).toEqual([['summary'], ['error']]);
    expect(summaryOf(result)).toMatchObject({
      rows: 2,
      ok: 2,
      calls_billed: service.requests.length,
      resume,
    });
  });

  it('of many pages: the same, and no page to go on with: they are gone', async () => {
    const { pdi } = await origin(feed);
    const result = await pdi('feed --all --max-billable 3 -o json', {
      onStdout: diskFull,
    });
    expect(summaryOf(result)).toMatchObject({ rows: 0, calls_billed: 1, resume: null });
    expect(saidBy(result)).toHaveLength(2);
  });
});

describe('--fresh', () => {
  const argv = ['person', ...personIds(4), '--fresh', '--max-billable', '4', '-o', 'ndjson'];
  const onward = argv.filter((word) => word !== '--fresh');
  const cost =
    'a new run may be billed again for what was bought: 2 calls; without --fresh it takes that from the book';
  const env = { PDI_MAX_AGE: '12h', PDI_BUDGET: '2/day' };

  it('without a journal: a new run buys again, and is told so', async () => {
    const { service, pdi } = await origin(profile);
    const stopped = await pdi(argv, { env });
    expect([stopped.code, service.requests.length]).toEqual([7, 2]);
    expect(errorOf(stopped).hint).toBe(cost);
    expect(summaryOf(stopped).resume).toBe(
      `${cost}; with --out FILE, a file on a disk, a job goes on where it ended`,
    );
    await pdi(argv, { env: { ...env, PDI_BUDGET: '4/day' } });
    expect(service.requests).toHaveLength(4);
    expect((await pdi(onward, { env: { ...env, PDI_BUDGET: '6/day' } })).code).toBe(0);
    expect(service.requests).toHaveLength(6);
  });

  it('without a journal and without --fresh says how long the book keeps what was bought, because the budget may begin anew later', async () => {
    const { pdi } = await origin(profile);
    const stopped = await pdi(onward, { env });
    const kept = 'the book keeps what was bought for 12h';
    expect(errorOf(stopped).hint).toBe(
      `raise it with --budget, or run the command again tomorrow (UTC); ${kept}`,
    );
    expect(summaryOf(stopped).resume).toBe(
      `run the same command again: it asks only for the rest; ${kept}`,
    );
  });

  it('with a journal goes on where it ended', async () => {
    const { service, pdi } = await origin(profile);
    const resumable = [...argv, '--out', newFile()];
    const stopped = await pdi(resumable, { env });
    expect(summaryOf(stopped).resume).toBe('run the same command again: it asks only for the rest');
    await pdi(resumable, { env: { ...env, PDI_BUDGET: '4/day' } });
    expect(service.requests).toHaveLength(4);
  });

  it('begun by --restart goes on without it, and is told so in all that advises the same command', async () => {
    const { service, pdi } = await origin(profile);
    const resumable = [...argv, '--out', newFile()];
    const begun = [...resumable, '--restart', '--force', '--on-error', 'stop'];
    const stopped = await pdi(begun, { env });
    const caution = 'leave --restart out, which discards the journal';
    expect(summaryOf(stopped).resume).toBe(
      `run the same command again: it asks only for the rest; ${caution}`,
    );
    expect(errorOf(stopped).hint).toContain(`; ${caution}`);
    await pdi(resumable, { env: { ...env, PDI_BUDGET: '4/day' } });
    expect(service.requests).toHaveLength(4);
  });

  it('with --retry-unknown says how many of the lost ones the same command sends again beside the rest', async () => {
    const { pdi } = await origin(({ path }) =>
      path.endsWith('1') ? { status: 500 } : { json: { person_id: idIn(path) } },
    );
    const once = await pdi([...argv, '--out', newFile(), '--retry-unknown', '--retries', '0'], {
      env,
    });
    expect(summaryOf(once)).toMatchObject({ unknown: 1, skipped: expect.any(Number) });
    expect(summaryOf(once).resume).toBe(
      'run the same command again: it asks only for the rest; --retry-unknown sends again what may have been billed: up to 1 call, and more where answers are lost again',
    );
  });
});

describe('a key that is refused amid a job', () => {
  const cost = '; another key may be billed again for what was bought: 2 calls';

  it.each([
    ['--max-age 12h', cost, 4, {}],
    ['--max-age 0', cost, 4, {}],
    [`--max-age 12h --out ${newFile()}`, cost, 4, {}],
    ['--max-age 12h', '', 2, { PDI_ACCOUNT: 'acme' }],
  ])('%s: the error says what another key costs%s', async (flags, words, calls, env) => {
    let refused = true;
    const { service, pdi } = await origin(({ path }, _response, count) =>
      refused && count > 2 ? { status: 401 } : { json: { person_id: idIn(path) } },
    );
    const argv = ['person', ...personIds(4), '-o', 'ndjson'];
    const first = await pdi([...argv, '--concurrency', '1', ...flags.split(' ')], { env });
    expect(first.code).toBe(3);
    expect(errorOf(first).hint).toBe(
      `check the key with \`pdi config check\`, or set another with \`pdi config set api-key\`${words}`,
    );
    refused = false;
    const asked = service.requests.length;
    await pdi([...argv, '--max-age', '12h'], {
      env: { ...env, PDI_API_KEY: 'another-key-of-theirs' },
      home: first.home,
    });
    expect(service.requests.length - asked).toBe(calls);
  });
});
