import { describe, expect, it } from 'vitest';
import type { Answer } from '../support/origin.ts';
import { dated, feedPage, idsIn, numbered, pageOf } from '../support/records.ts';
import { signalling } from '../support/run.ts';
import { errorOf, linesOf, newFile, origin, saidBy, summaryOf } from '../support/service.ts';

/** Every page full, for ever. */
const endless = () => origin(({ path }) => ({ json: numbered(pageOf(path) * 50, 50) }));

describe('paging', () => {
  it('stops where ten full pages in a row hold nothing new: they may be billed, for ever', async () => {
    const { service, pdi } = await origin(({ path }) => ({
      json: numbered(pageOf(path) < 9 ? 0 : 50, 50),
    }));
    const result = await pdi('feed --all -o ndjson --max-billable 60');
    expect([result.code, idsIn(result.stdout).length, service.requests.length]).toEqual([
      5, 100, 20,
    ]);
    expect(saidBy(result)).toContainEqual({
      error: expect.objectContaining({ code: 'unavailable', billed: 'yes' }),
    });
  });

  it('goes on where records have no ids, and nobody can tell whether they are new', async () => {
    const unnamed = (count: number) => Array.from({ length: count }, () => ({ signal_score: 5 }));
    const { service, pdi } = await origin(({ path }) => ({
      json: unnamed(pageOf(path) < 14 ? 50 : 3),
    }));
    const result = await pdi('feed --all -o ndjson');
    expect([result.code, linesOf(result.stdout).length, service.requests.length]).toEqual([
      0, 703, 15,
    ]);
  });

  it('goes on where all that is old was delivered by an earlier run', async () => {
    const { service, pdi } = await origin(({ path }) => ({
      json: numbered(pageOf(path) * 50, pageOf(path) < 14 ? 50 : 3),
    }));
    const first = await pdi('feed --all --since-last -o ndjson');
    const second = await pdi('feed --all --since-last -o ndjson');
    expect([first.code, second.code, second.stdout, service.requests.length]).toEqual([
      0,
      0,
      '',
      31,
    ]);
  });

  it.each([0, 1, 3])(
    'whose reader goes away after %i pages: one more is bought, whose rows are written together',
    async (pagesRead) => {
      const { service, pdi } = await endless();
      const written: string[] = [];
      const onStdout = (text: string) => {
        written.push(text);
        if (written.length > pagesRead)
          throw Object.assign(new Error('broken pipe'), { code: 'EPIPE' });
      };
      const { code } = await pdi('feed --all -o ndjson', { onStdout });
      expect([code, service.requests.length]).toEqual([0, pagesRead + 1]);
      expect(written.map((text) => linesOf(text).length)).toEqual(Array(pagesRead + 1).fill(50));
    },
  );
});

it('--since-last keeps what could not be written: the next run delivers it without a call, and goes on', async () => {
  const { service, pdi } = await origin(({ path }) => ({ json: feedPage(path, dated(0, 500)) }));
  const argv = 'feed --since-last --after 0001-01-01 -o ndjson';
  const failed = await pdi(`${argv} --out /dev/full`);
  expect([failed.code, service.requests.length]).toEqual([1, 1]);
  const nothing = await pdi(`${argv} --max-billable 0`);
  expect([idsIn(nothing.stdout).length, service.requests.length]).toEqual([50, 1]);
  const { stdout, code } = await pdi(argv);
  const rest = dated(50, 450).map(({ signal_id }) => signal_id);
  expect([code, idsIn(stdout).toSorted()]).toEqual([0, rest.toSorted()]);
});

const below =
  'older signals are left: run the same command again, it asks for what is new and goes on below';

describe('pages that end early', () => {
  const answers = {
    credits: { status: 402, json: { errorCode: 'OUT_OF_CREDITS' } },
    'a rate limit': { status: 429, headers: { 'x-ratelimit-reset': '0' } },
    'a dead service': { status: 503 },
    'a lost answer': { status: 500 },
    'a lost permission': { status: 403 },
  };

  it.each([
    ['feed --all', 'credits', 7, '2 pages were read; go on with --page 2'],
    ['feed --all --page 7', 'a rate limit', 6, '2 pages were read; go on with --page 9'],
    ['network --max-pages 4', 'a dead service', 5, '2 pages were read; go on with --page 2'],
    ['network --all --page 1', 'a lost permission', 3, '2 pages were read; go on with --page 3'],
    [
      'feed --all',
      'a lost answer',
      5,
      '2 pages were read; go on with --page 2, where 1 call may be billed a second time',
    ],
    [
      'feed --since-last --after 0001-01-01',
      'a lost answer',
      5,
      `${below}, where 1 call may be billed a second time`,
    ],
  ] as const)('%s, at %s: the summary says where to go on', async (argv, cause, code, resume) => {
    const { pdi } = await origin(({ path }, _response, count) =>
      count < 3 ? { json: dated(pageOf(path) * 50, 50) } : answers[cause],
    );
    const result = await pdi([
      ...argv.split(' '),
      '-o',
      'ndjson',
      '--retries',
      '0',
      '--max-wait',
      '0',
    ]);
    expect(result.code).toBe(code);
    expect(saidBy(result)).toContainEqual({
      summary: expect.objectContaining({ rows: 100, resume }),
    });
    expect(saidBy(result)).toHaveLength(2);
  });

  it.each([
    [
      '--all',
      '--page 2 --max-billable 2',
      '2 pages were read; go on with --page 2 and another --out',
    ],
    ['--since-last --after 0001-01-01', '--max-billable 100', below],
  ])(
    'feed %s, at the cap as well, and going on with %s reads every page once',
    async (flags, onward, words) => {
      const { pdi } = await origin(({ path }) => ({ json: feedPage(path, dated(0, 120)) }));
      const argv = ['feed', ...flags.split(' '), '-o', 'csv', '--fields', 'signal_id'];
      const first = await pdi([...argv, '--max-billable', '2', '--out', newFile('feed.csv')]);
      expect(first.stderr).toContain(`; ${words}\n`);
      const second = await pdi([...argv, ...onward.split(' ')]);
      expect([first.code, second.code]).toEqual([7, 0]);
      expect(second.stdout.trimEnd().split('\r\n')).toEqual([
        'signal_id',
        ...numbered(100, 20).map(({ signal_id }) => signal_id),
      ]);
    },
  );

  it('where signals have no day, or come in another order, a bookmark cannot go on below, and says so', async () => {
    const days = ['2026-06-01', '2026-06-30'];
    const disordered = numbered(0, 120).map((signal, at) => ({
      ...signal,
      signal_date: days[at % 2] ?? '',
    }));
    for (const [signals, more] of [
      [numbered(0, 120), []],
      [disordered, []],
      [dated(0, 120), ['--sort', 'signal_score_desc']],
    ] as const) {
      const { pdi } = await origin(({ path }) => ({
        json: signals.slice(pageOf(path) * 50, pageOf(path) * 50 + 50),
      }));
      const argv = ['feed', '--since-last', '--after', '0001-01-01', '-o', 'ndjson', ...more];
      const first = await pdi([...argv, '--max-billable', '2']);
      expect([first.code, summaryOf(first).resume]).toEqual([
        7,
        expect.stringMatching(
          /^signals are left: .*; it begins anew .*: up to 2 calls may be billed a second time$/,
        ),
      ]);
      const second = await pdi(argv);
      expect([second.code, idsIn(second.stdout)]).toEqual([
        0,
        numbered(100, 20).map(({ signal_id }) => signal_id),
      ]);
    }
  });

  it.each([
    ['feed --all', 1, '1 page was read; go on with --page 1'],
    ['network --all --page 3', 2, '2 pages were read; go on with --page 5'],
    ['feed --since-last --after 0001-01-01', 1, below],
  ] as const)(
    '%s, at Ctrl-C after %i: so do summary and error',
    async (argv, pagesRead, resume) => {
      const { send, withSignal } = signalling();
      const { service, pdi } = await origin(({ path }, _response, count) => {
        if (count === pagesRead) send('SIGINT');
        return { json: dated(pageOf(path) * 50, 50) };
      });
      const result = await pdi([...argv.split(' '), '-o', 'json'], { withSignal });
      expect([result.code, idsIn(result.stdout).length, service.requests.length]).toEqual([
        130,
        pagesRead * 50,
        pagesRead,
      ]);
      expect(saidBy(result)).toEqual([
        { notice: expect.stringMatching(/^stopping: waiting for 1 call under way/) },
        { summary: expect.objectContaining({ rows: pagesRead * 50, resume }) },
        {
          error: expect.objectContaining({
            code: 'interrupted',
            message: 'interrupted: not every page was read',
            hint: resume,
          }),
        },
      ]);
    },
  );

  it('where every page was read and --query fits none: nowhere', async () => {
    const { service, pdi } = await origin(({ path }) => ({
      json: numbered(pageOf(path) * 50, pageOf(path) < 2 ? 50 : 7),
    }));
    const result = await pdi('feed --all -o ndjson --query abs(signal_id)');
    expect([result.code, service.requests.length]).toEqual([2, 3]);
    const [summary] = saidBy(result);
    expect(summary).toEqual({ summary: expect.objectContaining({ rows: 107 }) });
    expect(JSON.stringify(summary)).not.toContain('--page');
  });

  it('before the first page was asked for: the same command again', async () => {
    const { send, withSignal } = signalling();
    const { pdi } = await origin((_request, _response, count) => {
      if (count === 1) send('SIGTERM');
      return { status: 429, headers: { 'x-ratelimit-reset': '0.05' } };
    });
    const result = await pdi('feed --all -o json', { withSignal });
    expect([result.code, result.stdout]).toEqual([143, '']);
    const error = {
      code: 'terminated',
      message: 'interrupted: no page was read',
      hint: 'run the same command again',
    };
    expect(saidBy(result)).toEqual([
      { notice: expect.stringMatching(/^stopping/) },
      { error: expect.objectContaining(error) },
    ]);
  });

  it('says nothing of it where all that was asked for was read', async () => {
    const { pdi } = await endless();
    const result = await pdi('feed --max-pages 2 -o ndjson');
    expect(saidBy(result)).toEqual([
      { summary: expect.objectContaining({ rows: 100, resume: null }) },
    ]);
  });
});

describe('counting that ends early', () => {
  /** A service whose signals an earlier run has delivered, and that may refuse to count them. */
  async function delivered(counting: (count: number) => Answer | undefined) {
    const { pdi } = await origin(
      ({ path }, _response, count) =>
        (/limit=1$/.test(path) ? counting(count) : undefined) ?? {
          json: feedPage(path, dated(0, 120)),
        },
    );
    return (...more: string[]) =>
      pdi([
        'feed',
        '--since-last',
        '--after',
        '0001-01-01',
        '--retries',
        '0',
        '-o',
        'json',
        ...more,
      ]);
  }

  it('at a failure: what is new is delivered, and the next run counts again', async () => {
    let isFailing = false;
    const next = await delivered(() => (isFailing ? { status: 503 } : undefined));
    await next();
    isFailing = true;
    const first = await next();
    expect([first.code, first.stdout, summaryOf(first).resume, errorOf(first).code]).toEqual([
      5,
      '[]\n',
      null,
      'unavailable',
    ]);
    isFailing = false;
    const second = await next();
    expect([second.code, second.stdout, summaryOf(second).calls_billed]).toEqual([0, '[]\n', 1]);
  });
});

const digits = ['1', '12345678901234567890', '5.0', '1e7'];
const field = 'signal_total_funding_usd';
const text = `[${digits.map((amount, id) => `{"signal_id":"${id}","${field}":${amount}}`).join(',')}]`;
const formats = [
  'ndjson',
  `ndjson --fields ${field}`,
  `ndjson --query ${field}`,
  'json',
  `csv --fields ${field}`,
];

it.each(formats)('numbers of a page keep the digits they were sent with: %s', async (format) => {
  const { pdi } = await origin(() => ({ text }));
  const { stdout } = await pdi(['feed', '-o', ...format.split(' ')]);
  const amounts = stdout.match(/(?<![\w"])\d[\d.e]*/g);
  // A query counts and compares: there a number is what it is worth.
  expect(amounts).toEqual(
    format.includes('--query') ? ['1', '12345678901234567890', '5', '10000000'] : digits,
  );
});
