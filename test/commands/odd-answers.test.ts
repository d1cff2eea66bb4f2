import { describe, expect, it } from 'vitest';
import type { Answer } from '../support/origin.ts';
import { idIn, itemsIn, personIds } from '../support/records.ts';
import { cellsOf, fileOf, keeping, linesFile, newFile, origin, recordsOf, rowsOf, statusesOf } from '../support/service.ts';

/** A service whose profiles have these fields. */
const profiles = (fields: Readonly<Record<string, unknown>>) => origin(({ path }) => ({ json: { person_id: idIn(path), ...fields } }));

const three = ['per_1', 'per_2', 'per_3'];

describe('a field of another type', () => {
  const odd = { full_name: 'Ada', years_of_experience: '12', profnet_followers: [1], skills: 'go', languages: 7, last_updated: 20260101 };

  it('costs no answer: one call each, every row ok, one notice a field', async () => {
    const { service, pdi } = await profiles(odd);
    const { code, stdout, stderr } = await pdi(['person', '-i', linesFile(three), '-o', 'ndjson']);
    expect(code).toBe(0);
    expect(service.requests).toHaveLength(3);
    expect(recordsOf(stdout)).toEqual(three.map((person_id) => ({ person_id, ...odd })));
    expect(stderr.match(/years_of_experience should be a number, and is a string/g)).toHaveLength(1);
    expect(stderr).toContain('in 3 records');
    expect(stderr).toContain('"ok":3');
  });

  it('leaves a typed column of csv empty, shows other columns as they came, and pdi_error says which', async () => {
    const { pdi } = await profiles(odd);
    const file = fileOf('people.csv', 'person_id,note\nper_1,mine\n');
    const fields = 'full_name,years_of_experience,profnet_followers,skills,languages,last_updated';
    const { stdout } = await pdi(['person', '-i', file, '-o', 'csv', '--fields', fields]);
    expect(cellsOf(stdout, 'note', ...fields.split(','), 'pdi_status')).toEqual(['mine | Ada |  |  | go | 7 |  | ok']);
    const [row] = rowsOf(stdout);
    expect(row?.pdi_error).toContain('years_of_experience should be a number, and is a string: "12"');
    expect(row?.pdi_error).toContain('2 more fields differ');
  });

  it('leaves a typed column empty also within a list, which --fields and --explode show, and in the sheet of one', async () => {
    const experience = [
      { title: 'T', job_order: 'first', start_date: 2020 },
      { title: 'U', job_order: 2, is_current: 'yes' },
    ];
    const { pdi } = await profiles({ experience });
    const job = ['person', 'per_1', '-o', 'csv'];
    const paths = ['experience.0.title', 'experience.0.job_order', 'experience.1.job_order'];
    const chosen = await pdi([...job, '--fields', paths.join()]);
    expect(cellsOf(chosen.stdout, ...paths)).toEqual(['T |  | 2']);
    const shown = ['experience.title', 'experience.job_order', 'experience.start_date', 'experience.is_current'];
    const exploded = await pdi([...job, '--explode', 'experience', '--fields', shown.join()]);
    expect(cellsOf(exploded.stdout, 'input', ...shown, 'pdi_status')).toEqual(['per_1 | T |  |  |  | ok', 'per_1 | U | 2 |  |  | ok']);
    expect(rowsOf(exploded.stdout)[1]?.pdi_error).toContain('experience.job_order should be a number, and is a string: "first"');
    const book = newFile('people.xlsx');
    await pdi(['person', 'per_1', '--explode', 'experience,skills', '--out', book]);
    const sheet = await pdi(['convert', book, '--sheet', 'experience', '-o', 'csv']);
    expect(cellsOf(sheet.stdout, ...shown)).toEqual(['T |  |  | ', 'U | 2 |  | ']);
  });

  it('stays in its row where a list that --explode names is none', async () => {
    const { pdi } = await profiles({ skills: 'go' });
    const job = ['person', '-i', linesFile(['per_1']), '--explode', 'skills', '--fields', 'skills,pdi_item'];
    expect(recordsOf((await pdi([...job, '-o', 'ndjson'])).stdout)).toEqual([{ skills: 'go', pdi_item: null }]);
    expect(cellsOf((await pdi([...job, '-o', 'csv'])).stdout, 'skills', 'pdi_item')).toEqual(['go | ']);
  });

  it('is named once in pdi_error, however many matches or elements of a list have it', async () => {
    const matches = ['1', '2', '3', '4', '5'].map((at) => ({ investor_id: `inv_${at}`, founded_year: at, domain: 7 }));
    const { pdi } = await origin(() => ({ json: matches }));
    const [row] = rowsOf((await pdi(['investors', '-i', linesFile(['Acme']), '-o', 'csv', '--fields', 'founded_year'])).stdout);
    const words = 'domain should be a string, and is a number: 7; founded_year should be a number, and is a string: "1"';
    expect(row?.pdi_error?.split('; ').sort().join('; ')).toBe(words);
  });

  it('does not keep a bought answer from being taken again', async () => {
    const { service, pdi } = await keeping(profiles(odd));
    await pdi('person per_1 -o json');
    const again = await pdi('person per_1 -o json');
    expect([again.code, service.requests.length]).toEqual([0, 1]);
    expect(JSON.parse(again.stdout)).toMatchObject({ years_of_experience: '12' });
    expect(again.stderr).toContain('years_of_experience');
  });

  it('a person_id that is a number costs no answer either', async () => {
    const { service, pdi } = await origin(() => ({ json: { full_name: 'Ada', person_id: 7 } }));
    const { code, stdout } = await pdi('person per_1 -o json');
    expect([code, JSON.parse(stdout).full_name, service.requests.length]).toEqual([0, 'Ada', 1]);
  });

  it('one odd signal of a page loses none of the others', async () => {
    const signals: unknown[] = Array.from({ length: 20 }, (_, at) => ({
      signal_id: `00000000-0000-4000-8000-0000000000${at + 10}`,
      signal_date: '2026-07-01',
    }));
    signals[3] = { signal_id: 'x', signal_score: 'high', company: 'Acme', source_types: [null, { a: 1 }] };
    signals[4] = null;
    signals[5] = 'a signal';
    signals[6] = [];
    const { service, pdi } = await origin(() => ({ json: signals }));
    for (const format of ['json', 'ndjson', 'csv', 'table']) {
      const { code, stdout, stderr } = await pdi(['feed', '-o', format]);
      expect([format, code]).toEqual([format, 0]);
      expect(stdout.match(/2026-07-01/g)).toHaveLength(16);
      expect(stderr).toContain('signal_score should be a number, and is a string');
    }
    expect(JSON.parse((await pdi('feed -o json')).stdout)).toEqual(signals);
    expect(service.requests).toHaveLength(5);
  });

  it.each(['csv', 'ndjson', 'table'])(
    'of a list, or of a member that is none, is told where members are the rows, too: %s',
    async (format) => {
      const list = { id: 'd0000000-0000-4000-8000-000000000001', investors: [{ investor_id: 'inv_1', created_at: 7 }, 'inv_2'] };
      const { pdi } = await origin(() => ({ json: list }));
      const { code, stdout, stderr } = await pdi(['lists', 'investors', 'get', list.id, '-o', format]);
      expect([code, stdout.includes('inv_1')]).toEqual([0, true]);
      expect(stderr).toContain('investors.created_at should be a string, and is a number');
      expect(stderr.match(/investors should be an object, and is a string/g)).toHaveLength(1);
    },
  );

  it('a list whose members are no array is one row without a member, and gives none of its own days for a member’s', async () => {
    const list = { id: 'd0000000-0000-4000-8000-000000000001', name: 'Ours', created_at: '2026-01-01T00:00:00Z', investors: 'none' };
    const { pdi } = await origin(() => ({ json: list }));
    const { code, stdout, stderr } = await pdi(['lists', 'investors', 'get', list.id, '-o', 'csv']);
    expect([code, rowsOf(stdout)]).toEqual([0, [{ list_id: list.id, list_name: 'Ours', investor_id: '', created_at: '' }]]);
    expect(stderr).toContain('investors should be an array, and is a string');
  });

  it('a signal whose id is a number is delivered once, by a page and by a bookmark', async () => {
    const signal_date = new Date().toISOString().slice(0, 10);
    const signals = [7, 8, 9].map((signal_id) => ({ signal_id, signal_date }));
    const { pdi } = await origin(() => ({ json: signals }));
    const argv = ['feed', '--since-last', '-o', 'ndjson'];
    expect((await pdi(argv)).stdout.trimEnd().split('\n')).toHaveLength(3);
    expect((await pdi(argv)).stdout).toBe('');
  });

  it('one odd name of a batch fails no row of resolve', async () => {
    const match = (at: number) => ({ person_id: `per_${at}`, full_name: at === 1 ? 7 : 'Ada' });
    const { pdi } = await origin(({ body }) => ({ json: itemsIn(body).map((query, at) => ({ query, matches: [match(at)] })) }));
    const { code, stdout, stderr } = await pdi(['resolve', '-i', linesFile(['a-one', 'b-two', 'c-three']), '-o', 'csv']);
    expect(code).toBe(0);
    const told = cellsOf(stdout, 'person_id', 'full_name', 'pdi_status');
    expect(told).toEqual(['per_0 | Ada | ok', 'per_1 | 7 | ok', 'per_2 | Ada | ok']);
    expect(stderr).toContain('full_name should be a string, and is a number');
  });

  it.each<readonly [words: string, json: unknown]>([
    ['revenue company-1', { id: 'company-1', est_revenue_usd: 'n/a', est_revenue_growth_1y_pct: { v: 1 } }],
    ['investors --name acme', [{ investor_id: 'inv_1', investor_types: 'vc', fund_details: null, portfolio_companies: 3 }]],
    ['network', [{ person_id: 'per_1', connected_at: 5, connected_teammates: 'u1' }]],
    ['searches talent 12', { id: 'twelve', full_count: '9' }],
    ['lists companies list', [{ id: 3, shared_with: 'u', company_count: [] }]],
    ['lists investors get 00000000-0000-4000-8000-000000000000', { id: 1, investors: { a: 1 } }],
  ])('%s: every command gives what came', async (words, json) => {
    const { pdi } = await origin(() => ({ json }));
    const { code, stdout } = await pdi([...words.split(' '), '-o', 'json']);
    expect([code, JSON.parse(stdout)]).toEqual([0, json]);
    for (const format of ['csv', 'ndjson', 'table']) expect((await pdi([...words.split(' '), '-o', format])).code).toBe(0);
  });

  it('an object with a field `toString` in place of a day is written as it came', async () => {
    const odd = { toString: 3 };
    const { pdi } = await origin(() => ({ json: [{ signal_id: 's1', signal_date: odd }] }));
    for (const words of ['feed --all', 'feed --since-last']) {
      const { code, stdout } = await pdi(`${words} -o ndjson`);
      expect([code, recordsOf(stdout)]).toEqual([0, [{ signal_id: 's1', signal_date: odd }]]);
    }
  });

  it('health alone must say what the document says', async () => {
    const { pdi } = await origin(() => ({ json: { status: true } }));
    expect((await pdi('health')).code).toBe(5);
  });
});

describe('a charged answer about another id', () => {
  it('is joined, told in pdi_error, counted, and noticed', async () => {
    const { pdi, service } = await origin(({ path }) => ({
      json: { person_id: idIn(path) === 'per_2' ? 'per_9' : idIn(path), full_name: 'Ada' },
    }));
    const argv = ['person', '-i', linesFile(three), '-o', 'csv', '--fields', 'person_id', '--errors', 'json'];
    const { code, stdout, stderr } = await pdi(argv);
    const rows = ['per_1,per_1,ok,', 'per_2,per_9,ok,the answer is about another id: person_id is per_9', 'per_3,per_3,ok,'];
    expect(stdout).toBe(['input,person_id,pdi_status,pdi_error', ...rows, ''].join('\r\n'));
    expect([code, service.requests.length]).toEqual([0, 3]);
    expect(stderr).toContain('"about_another_id":1');
    expect(stderr).toContain('1 answer is about another id than the one asked for');
  });

  it('is told again where it comes from FILE.journal or was kept', async () => {
    const { pdi, service } = await keeping(origin(({ path }) => ({ json: { id: 'company-7', company_name: idIn(path) } })));
    for (let time = 0; time < 2; time += 1) {
      const { stdout, stderr } = await pdi('revenue company-1 company-1 -o csv');
      expect(rowsOf(stdout).map(({ pdi_error }) => pdi_error)).toEqual(Array(2).fill('the answer is about another id: id is company-7'));
      expect(stderr).toContain('2 about another id');
    }
    expect(service.requests).toHaveLength(1);
    const alone = await pdi('revenue company-1');
    expect([alone.code, alone.stderr]).toEqual([0, expect.stringContaining('the answer is about another id than the one asked for')]);
  });

  it('is none where the answer has no id', async () => {
    const { pdi } = await origin(() => ({ json: { id: null, company_name: 'Acme' } }));
    expect((await pdi('revenue company-1 company-2')).stderr).not.toContain('another id');
  });
});

describe('a page of HTML', () => {
  const page = '<!DOCTYPE html><html><head><title>Sign in to the  proxy</title></head><body></body></html>';
  const html = (status: number): Answer => ({ status, text: page, headers: { 'content-type': 'text/html' } });

  it.each([
    ['person per_1', 200, 5, 'unknown'],
    ['person per_1', 403, 3, 'no'],
    ['person per_1', 401, 3, 'no'],
    ['person per_1', 404, 5, 'no'],
    ['resolve ada', 200, 5, 'no'],
    ['resolve ada', 403, 3, 'no'],
    ['feed', 404, 5, 'no'],
    ['health', 200, 5, 'no'],
  ])('%s, %i: exit %i, named with its title, and what stands between', async (words, status, code, billed) => {
    const { pdi } = await origin(() => html(status));
    const result = await pdi(`${words} -o json`);
    const { error } = JSON.parse(result.stderr.trim().split('\n').at(-1) ?? '');
    expect([result.code, error.billed]).toEqual([code, billed]);
    expect(error.message).toContain('a page of HTML ("Sign in to the proxy")');
    expect(error.hint).toContain('something stands between pdi and the service');
    expect(error.hint).not.toContain('check the key');
  });

  it('with 404 is not the word of the service about a row, and is not kept', async () => {
    const { pdi, service } = await keeping(origin(() => html(404)));
    const { stdout } = await pdi(['person', '-i', linesFile(three), '-o', 'csv']);
    expect(statusesOf(stdout)).toEqual(['failed', 'failed', 'failed']);
    await pdi('person per_1');
    expect(service.requests).toHaveLength(4);
  });
});

it('an error body with status 200 is no row of data: it may have been billed, is not kept, and ten in a row end the run', async () => {
  const { pdi, service } = await keeping(origin(() => ({ json: { errorCode: 'RATE_LIMITED', message: 'slow down' } })));
  const { code, stdout } = await pdi(['person', '-i', linesFile(personIds(40)), '-o', 'csv', '--concurrency', '1']);
  const statuses = [...Array(10).fill('unknown'), ...Array(30).fill('skipped')];
  expect([code, service.requests.length, statusesOf(stdout)]).toEqual([5, 10, statuses]);
  expect(rowsOf(stdout)[0]?.pdi_error).toBe('an error came as an answer: RATE_LIMITED: slow down');
  const again = await pdi('person per_sample1 -o json');
  expect([again.code, again.stdout, service.requests.length]).toEqual([5, '', 10]);
});
