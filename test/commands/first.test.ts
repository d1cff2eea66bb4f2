/** `--first N`: the trial before the job, which costs no more than its rows, and which the job goes on from. */
import { existsSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect } from 'vitest';
import { it } from '../support/it.ts';
import type { Answer } from '../support/origin.ts';
import { itemsIn, personIds, profile } from '../support/records.ts';
import {
  billedBy,
  expectMistake,
  expectRefused,
  fileOf,
  linesFile,
  linesOf,
  newFile,
  objectOf,
  origin,
  rowsOf,
  statusesIn,
  summaryOf,
} from '../support/service.ts';

const json = ['--errors', 'json', '-o', 'csv'];
const onward = 'leave --first out to go on with all rows';

/** Bytes that come and then no more, without an end: a program that waits. */
function waiting(text: string): Readable & { closed: boolean } {
  return new Readable({
    read() {
      if (text !== '') this.push(text);
      text = '';
    },
  });
}

describe('a trial with --out', () => {
  it('asks for the first rows, and the same command without --first buys only the rest', async ({ service, pdi }) => {
    const out = newFile('people.csv');
    const argv = ['person', '-i', linesFile(personIds(8)), '--out', out, ...json];
    const trial = await pdi([...argv, '--first', '3']);
    expect([trial.code, trial.stdout, statusesIn(out), existsSync(`${out}.journal`)]).toEqual([0, '', ['ok', 'ok', 'ok'], true]);
    expect(summaryOf(trial)).toMatchObject({ rows: 3, first: 3, ok: 3, calls_billed: 3, resume: onward });
    expect(billedBy(service)).toEqual(personIds(3));
    const job = await pdi(argv, { home: trial.home });
    expect([job.code, job.stdout, statusesIn(out), existsSync(`${out}.journal`)]).toEqual([0, '', Array(8).fill('ok'), false]);
    expect(summaryOf(job)).toMatchObject({ rows: 8, from_journal: 3, calls_billed: 5, resume: null });
    expect(summaryOf(job)).not.toHaveProperty('first');
    expect(billedBy(service)).toEqual(personIds(8));
  });

  it('may grow step by step, and a smaller one after it keeps what was bought', async ({ service, pdi }) => {
    const out = newFile('people.csv');
    const argv = ['person', '-i', linesFile(personIds(8)), '--out', out, ...json];
    const { home } = await pdi([...argv, '--first', '2']);
    for (const first of [5, 1, 6]) {
      const step = await pdi([...argv, '--first', `${first}`], { home });
      expect([step.code, statusesIn(out).length, service.bill().length]).toEqual([0, first, Math.max(first, 5)]);
      expect(step.stderr).not.toContain('that no row of this input asks for');
    }
    expect((await pdi(argv, { home })).code).toBe(0);
    expect(billedBy(service)).toEqual(personIds(8));
  });

  it('of a free job is gone on from too, and asks for nothing twice', async () => {
    const { service, pdi } = await origin(({ body }) => ({ json: itemsIn(body).map((query) => ({ query, matches: [] })) }));
    const out = newFile('people.csv');
    const argv = ['resolve', '-i', linesFile(['ada', 'https://www.profnet.example/', 'bob', 'eve']), '--out', out, ...json];
    const trial = await pdi([...argv, '--first', '3', '--accept', 'invalid']);
    expect([trial.code, statusesIn(out)]).toEqual([0, ['not_found', 'invalid', 'not_found']]);
    const job = await pdi(argv, { home: trial.home });
    expect([job.code, statusesIn(out).length, existsSync(`${out}.journal`)]).toEqual([8, 4, false]);
    const asked = service.requests.map(({ body }) => JSON.parse(body).to_resolve);
    expect(asked).toEqual([[{ profnet_id: 'ada' }, { profnet_id: 'bob' }], [{ profnet_id: 'eve' }]]);
  });

  it('whose rows failed says both what to do; one that a fatal cause ended, how to repeat it', async () => {
    let answer: Answer = { status: 503 };
    const { pdi } = await origin(({ path }) => (path.endsWith('/per_sample1') ? profile(path) : answer));
    const out = newFile('people.csv');
    const argv = ['person', '-i', linesFile(personIds(4)), '--out', out, '--first', '2', '--retries', '0', ...json];
    const failed = await pdi(argv);
    const again = 'run the same command again: it asks only for the rest';
    expect([failed.code, summaryOf(failed)]).toEqual([8, expect.objectContaining({ first: 2, failed: 1, resume: `${onward}; ${again}` })]);
    answer = { status: 401 };
    const refused = await pdi(argv, { home: failed.home });
    expect([refused.code, summaryOf(refused)]).toEqual([3, expect.objectContaining({ skipped: 1, resume: again })]);
  });

  it('of an input that has no more rows is gone on from as well, and buys nothing', async ({ service, pdi }) => {
    const out = newFile('people.csv');
    const argv = ['person', '-i', linesFile(personIds(2)), '--out', out, ...json];
    const { code, home } = await pdi([...argv, '--first', '3']);
    const job = await pdi(argv, { home });
    expect([code, job.code, statusesIn(out), existsSync(`${out}.journal`)]).toEqual([0, 0, ['ok', 'ok'], false]);
    expect(billedBy(service)).toEqual(personIds(2));
  });

  it('without FILE, of an input that has no more rows, is the whole job', async ({ pdi }) => {
    const result = await pdi(['person', '-i', linesFile(personIds(2)), '--first', '3', ...json]);
    expect([result.code, summaryOf(result).resume]).toEqual([0, null]);
    expect(summaryOf(result)).not.toHaveProperty('first');
  });
});

describe('a trial', () => {
  it('says in words that these are the first rows, and what all of them cost', async ({ pdi }) => {
    const { code, stdout, stderr } = await pdi(['person', '-i', linesFile(personIds(5)), '-o', 'csv', '--first', '2']);
    expect([code, rowsOf(stdout).length]).toEqual([0, 2]);
    expect(stderr).toBe(
      `pdi: the first 2 rows: 2 ok; 2 calls billed; ${onward}, which may bill again what was bought: 2 calls; with --out FILE, a file on a disk, a job goes on where it ended\n`,
    );
    const free = await pdi(['resolve', '-i', linesFile(['ada-sample-1', 'x']), '-o', 'csv', '--first', '1']);
    expect(free.stderr).toBe(`pdi: the first 1 row: 1 ok; 0 calls billed; ${onward}\n`);
  });

  it('counts its rows alone for the plan and for the cap', async ({ service, pdi }) => {
    const argv = ['person', '-i', linesFile(personIds(200)), '-o', 'json'];
    expect((await pdi(argv)).code).toBe(7);
    expect(objectOf(await pdi([...argv, '--first', '4', '--dry-run'])).job).toMatchObject({ rows: 4, billable: 4 });
    expect(service.bill()).toEqual([]);
    expect((await pdi([...argv, '--first', '4'])).code).toBe(0);
    expect(service.bill()).toHaveLength(4);
  });

  it.for([
    ['lines', 'per_sample1\nper_sample2\nper_sample3\n', []],
    ['csv', 'person_id,note\nper_sample1,a\nper_sample2,"b"\nper_sample3,c\n', ['--input-format', 'csv']],
    ['ndjson', '{"person_id":"per_sample1"}\n{"person_id":"per_sample2"}\n{"person_id":"per_sample3"}\n', []],
  ] as const)('of a pipe of %s does not read the rest, nor wait for it', async ([_kind, text, more], { pdi }) => {
    const stdin = waiting(text);
    const { code, stdout } = await pdi(['person', '-i', '-', '-o', 'csv', '--first', '2', ...more], { stdin });
    expect([code, rowsOf(stdout).length, stdin.destroyed]).toEqual([0, 2, true]);
    const all = await pdi(['person', '-i', '-', '-o', 'csv', '--first', '3', ...more], { stdin: waiting(text) });
    expect([all.code, rowsOf(all.stdout).length]).toEqual([0, 3]);
  });

  it.for([['resolve'], ['person'], ['person', '--max-billable', 'unlimited']])(
    '%s: a mistake in its rows is told before anything is sent, and those below are not read',
    async (command, { service, pdi }) => {
      const id = command[0] === 'person' ? 'per_sample' : 'sample-';
      const file = fileOf('ids.txt', Buffer.concat([Buffer.from(`${id}1\n${id}2\n${id}`), Buffer.from([0xff, 0x0a])]));
      expectMistake(await pdi([...command, '-i', file, '-o', 'json', '--first', '3']), 2, /line 3/);
      expect([service.bill(), service.requests()]).toEqual([[], {}]);
      expect((await pdi([...command, '-i', file, '-o', 'json', '--first', '2'])).code).toBe(0);
    },
  );

  it.for([
    ['revenue', 'cmp_sample1'],
    ['investors', 'Sample Harbor Ventures 1'],
    ['searches talent', '101'],
    ['searches funding-rounds', '103'],
  ] as const)('is there for %s', async ([command, id], { pdi }) => {
    const { stdout } = await pdi([...command.split(' '), '-i', linesFile([id, id, id]), '-o', 'csv', '--first', '2']);
    expect(rowsOf(stdout)).toHaveLength(2);
  });

  it.each(['0', '-1', '1.5', 'many', ''])('of %j rows is refused', (count) =>
    expectRefused(`person -i ids.txt --first=${count}`, '--first'),
  );

  it.each(['person per_sample1 per_sample2', 'resolve x', 'investors --name x'])('without an input is refused: %s', (line) =>
    expectRefused(`${line} --first 1`, { message: '--first goes with --input', item: '--first', hint: 'name the file with --input FILE' }),
  );
});

describe('pdi convert --first', () => {
  it.for([
    ['people.ndjson', '{"person_id":"per_1"}\n{"person_id":"per_2"}\n{"person_id":"per_3"}\n'],
    ['people.json', '[{"person_id":"per_1"},{"person_id":"per_2"},{"person_id":"per_3"}]'],
    ['people.csv', 'person_id\nper_1\nper_2\nper_3\n'],
  ] as const)('writes the first rows of %s', async ([name, text], { pdi }) => {
    const file = fileOf(name, text);
    for (const format of ['ndjson', 'csv']) {
      const { code, stdout, stderr } = await pdi(`convert ${file} -o ${format} --first 2 --fields person_id`);
      const rows = linesOf(stdout).slice(format === 'csv' ? 1 : 0);
      expect([code, rows.map((row) => row.match(/per_\d/)?.[0]), stderr]).toEqual([0, ['per_1', 'per_2'], '']);
    }
  });

  it('of a list gives a list, also of one record', async ({ pdi }) => {
    const out = newFile('people.json');
    await pdi(['convert', fileOf('people.ndjson', '{"person_id":"per_1"}\n{"person_id":"per_2"}\n'), '--out', out, '--first', '1']);
    expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual([{ person_id: 'per_1' }]);
  });
});
