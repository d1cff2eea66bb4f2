import { describe, expect, it } from 'vitest';
import { dated, feedPage, idsIn, numbered, pageOf } from '../support/records.ts';
import { callsOf, linesOf, origin, saidBy, sandbox } from '../support/service.ts';

/** Every page full, for ever. */
const endless = () => origin(({ path }) => ({ json: numbered(pageOf(path) * 50, 50) }));

describe('paging', () => {
  it('stops where ten full pages in a row hold nothing new: they may be billed, for ever', async () => {
    const { service, pdi } = await origin(({ path }) => ({ json: numbered(pageOf(path) < 9 ? 0 : 50, 50) }));
    const result = await pdi(['feed', '--all', '-o', 'ndjson', '--max-billable', '60']);
    expect([result.code, idsIn(result.stdout).length, service.requests.length]).toEqual([5, 100, 20]);
    expect(saidBy(result)).toContainEqual({ error: expect.objectContaining({ code: 'unavailable', billed: 'yes' }) });
  });

  it('goes on where records have no ids, and nobody can tell whether they are new', async () => {
    const unnamed = (count: number) => Array.from({ length: count }, () => ({ signal_score: 5 }));
    const { service, pdi } = await origin(({ path }) => ({ json: unnamed(pageOf(path) < 14 ? 50 : 3) }));
    const result = await pdi(['feed', '--all', '-o', 'ndjson']);
    expect([result.code, linesOf(result.stdout).length, service.requests.length]).toEqual([0, 703, 15]);
  });

  it('goes on where all that is old was delivered by an earlier run', async () => {
    const { service, pdi } = await origin(({ path }) => ({ json: numbered(pageOf(path) * 50, pageOf(path) < 14 ? 50 : 3) }));
    const first = await pdi(['feed', '--all', '--since-last', '-o', 'ndjson']);
    const second = await pdi(['feed', '--all', '--since-last', '-o', 'ndjson']);
    expect([first.code, second.code, second.stdout, service.requests.length]).toEqual([0, 0, '', 30]);
  });

  it.each([
    ['one page', ['--page', '3'], ['page:3']],
    ['some pages', ['--page', '2', '--max-pages', '2', '--limit', '5'], ['page:2', 'page:3']],
    ['all pages from one on', ['--page', '10', '--all', '--limit', '40'], ['page:10', 'page:11']],
  ])('leaves the pages in the ledger that are on the bill: %s', async (_what, flags, expected) => {
    const { service, pdi } = await sandbox();
    const result = await pdi(['feed', ...flags, '-o', 'ndjson']);
    const billed = (await callsOf(result)).filter(([, outcome]) => outcome === 'billed').map(([item]) => item);
    expect([result.code, billed]).toEqual([0, expected]);
    const onBill = service.bill().map(({ item }) => `page:${new URLSearchParams(item).get('page')}`);
    expect(billed).toEqual(onBill);
  });

  it.each([0, 1, 3])('whose reader goes away after %i pages: one more is bought, whose rows are written together', async (pagesRead) => {
    const { service, pdi } = await endless();
    const written: string[] = [];
    const onStdout = (text: string) => {
      written.push(text);
      if (written.length > pagesRead) throw Object.assign(new Error('broken pipe'), { code: 'EPIPE' });
    };
    const { code } = await pdi(['feed', '--all', '-o', 'ndjson'], { onStdout });
    expect([code, service.requests.length]).toEqual([0, pagesRead + 1]);
    expect(written.map((text) => linesOf(text).length)).toEqual(Array(pagesRead + 1).fill(50));
  });
});

it('--since-last keeps what could not be written: the next run delivers it without a call, and goes on', async () => {
  const { service, pdi } = await origin(({ path }) => ({ json: feedPage(path, dated(0, 500)) }));
  const argv = ['feed', '--since-last', '--after', '0001-01-01', '-o', 'ndjson'];
  const failed = await pdi([...argv, '--out', '/dev/full']);
  expect([failed.code, service.requests.length]).toEqual([1, 1]);
  const nothing = await pdi([...argv, '--max-billable', '0']);
  expect([idsIn(nothing.stdout).length, service.requests.length]).toEqual([50, 1]);
  const { stdout, code } = await pdi(argv);
  expect([code, idsIn(stdout).toSorted()]).toEqual([
    0,
    dated(50, 450)
      .map(({ signal_id }) => signal_id)
      .sort(),
  ]);
});
