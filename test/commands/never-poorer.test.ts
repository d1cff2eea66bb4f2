/** A finished FILE is replaced only by a run that leaves no row to ask. The origin's bill is the judge of what was bought twice. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Answer } from '../support/origin.ts';
import { groupOf, idIn, itemsIn, personIds } from '../support/records.ts';
import { signalling } from '../support/run.ts';
import { linesFile, newFile, origin, statusesIn } from '../support/service.ts';

const rows = 14;
const allOk = Array(rows).fill('ok');

/** Ends a run at the answer of this number, or as the flags say; `lost` answers are asked for again only with --retry-unknown. */
interface Stop {
  readonly flags?: string;
  readonly answer?: Answer | 'lost' | 'SIGINT';
  /** All answers from there on are so. */
  readonly lasts?: true;
  readonly code: number;
  /** Where that is the only call of a run. */
  readonly again?: number;
}
const stops: Readonly<Record<string, Stop>> = {
  budget: { flags: '--budget 3/day', code: 7 },
  cap: { flags: '--max-billable 3 -i -', code: 7 },
  credits: { answer: { status: 402, json: { errorCode: 'OUT_OF_CREDITS' } }, code: 7 },
  'a refused key': { answer: { status: 401 }, code: 3 },
  'the rate limit': { flags: '--max-wait 0', answer: { status: 429 }, lasts: true, code: 6 },
  'Ctrl-C': { answer: 'SIGINT', code: 130 },
  'ten failures': { answer: { status: 503 }, lasts: true, code: 5 },
  'a failed row': { answer: { status: 418 }, code: 8, again: 5 },
  'a failed row that is accepted': {
    flags: '--accept failed',
    answer: { status: 418 },
    code: 8,
    again: 5,
  },
  'a row that may have been billed': { answer: 'lost', code: 8 },
  'an answer that is none': { answer: { json: { message: 'busy' } }, code: 8 },
  'the first error': { flags: '--on-error stop', answer: { status: 418 }, code: 8, again: 5 },
  'a trial': { flags: '--first 3', code: 0 },
};
const formats = ['csv', 'ndjson', 'json', 'xlsx', 'parquet'] as const;

async function service() {
  let stop: Stop | undefined;
  let left = Number.POSITIVE_INFINITY;
  const { send, withSignal } = signalling();
  const billed: string[] = [];
  const { pdi } = await origin(({ path }, response) => {
    left -= 1;
    if (left === 0 || (left < 0 && stop?.lasts === true)) {
      if (stop?.answer === 'SIGINT') send('SIGINT');
      else if (stop?.answer === 'lost') return void response.destroy();
      else if (stop?.answer !== undefined) return stop.answer;
    }
    billed.push(idIn(path));
    return { json: { person_id: idIn(path), full_name: `answer ${billed.length}` } };
  });
  const stopAt = (given?: Stop, at = Number.POSITIVE_INFINITY) => {
    stop = given;
    left = at;
  };
  return { pdi, withSignal, billed, stopAt };
}

/** Stops a run over FILE after some answers, twice, then lets one end. */
async function tried(
  name: string,
  format: string,
  before: 'a finished job' | 'somebody',
  at: number,
  restarts: boolean,
) {
  const { pdi, withSignal, billed, stopAt } = await service();
  const [stop, out, ids] = [stops[name], newFile(`people.${format}`), personIds(rows)];
  const job = [
    'person',
    '-i',
    linesFile(ids),
    '--out',
    out,
    '--concurrency',
    '1',
    '--retries',
    '0',
    '--errors',
    'json',
  ];
  if (before === 'somebody') writeFileSync(out, 'of somebody');
  else expect((await pdi(job)).code).toBe(0);
  const [bytes, bought] = [readFileSync(out), billed.length];
  for (const [round, restart] of [restarts ? ['--restart'] : [], []].entries()) {
    stopAt(stop, round === 0 ? at : 1);
    const [known, options] = [billed.length, { withSignal, stdin: ids.join('\n') }];
    const flags = (stop?.flags?.split(' ') ?? []).map((flag) =>
      flag === '3/day' ? `${known + 2}/day` : flag,
    );
    const input = flags.includes('-i') ? [...job.slice(0, 1), ...job.slice(3)] : job;
    const { code, stderr } = await pdi([...input, '--force', ...flags, ...restart], options);
    expect([code, readFileSync(out).equals(bytes), existsSync(`${out}.journal`)], stderr).toEqual([
      round === 0 ? stop?.code : (stop?.again ?? stop?.code),
      true,
      true,
    ]);
    expect(stderr.split('stays as it was')).toHaveLength(2);
  }
  stopAt();
  const { code, stderr } = await pdi([...job, '--force', '--retry-unknown']);
  expect([code, existsSync(`${out}.journal`), readFileSync(out).equals(bytes)], stderr).toEqual([
    0,
    false,
    false,
  ]);
  if (format === 'csv') expect(statusesIn(out)).toEqual(allOk);
  expect(billed.slice(bought).sort()).toEqual([...ids].sort());
}

it.each(Object.keys(stops))(
  'by %s: FILE stays, the journal keeps what was bought, and the run that ends replaces it',
  (name) =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...formats),
        fc.constantFrom('a finished job', 'somebody'),
        fc.integer({ min: 2, max: 3 }),
        fc.boolean(),
        (format, before, at, restarts) => tried(name, format, before, at, restarts),
      ),
      { numRuns: 1, endOnFailure: true },
    ),
);

it('a FILE that a run left with rows to ask is replaced by one that has more of them, and by no other', async () => {
  const { pdi, billed, stopAt } = await service();
  const out = newFile('people.csv');
  const job = [
    'person',
    '-i',
    linesFile(personIds(rows)),
    '--out',
    out,
    '--concurrency',
    '1',
    '--retries',
    '0',
  ];
  const found = async (at: number) => {
    stopAt(stops.credits, at);
    await pdi(job);
    return statusesIn(out).filter((status) => status === 'ok').length;
  };
  expect([await found(6), await found(4), await found(99)]).toEqual([5, 8, rows]);
  expect(billed).toHaveLength(rows);
  let left = 1;
  const directory = await origin(({ body }) => {
    left -= 1;
    return left >= 0 ? { json: itemsIn(body).map(groupOf) } : { status: 503 };
  });
  const free = [
    'resolve',
    '-i',
    linesFile(personIds(120).map((id) => id.slice(4))),
    '--out',
    newFile('free.json'),
    '--retries',
    '0',
    '-q',
    '--concurrency',
    '1',
  ];
  const matches = async () => {
    await directory.pdi(free);
    return readFileSync(free[4] ?? '', 'utf8').split('"person_id"').length - 1;
  };
  expect([await matches(), await matches()]).toEqual([50, 50]);
  left = 9;
  expect(await matches()).toBe(120);
});

it.each(['is stopped by Ctrl-C', 'breaks'])(
  'a FILE stays where the pipe %s, though all rows that came of it are ok',
  async (how) => {
    const { pdi, withSignal, stopAt } = await service();
    const out = newFile('people.csv');
    const job = ['person', '--out', out, '--concurrency', '1', '--force'];
    await pdi([...job, '-i', linesFile(personIds(rows))]);
    const bytes = readFileSync(out);
    const breaks = how === 'breaks';
    stopAt(stops['Ctrl-C'], breaks ? undefined : 2);
    const pieces = ['per_1\nper_2\n'];
    const stdin = new Readable({
      highWaterMark: 1,
      read() {
        if (pieces.length > 0) this.push(pieces.pop());
        else if (breaks)
          this.destroy(Object.assign(new Error('read EIO'), { code: 'EIO', syscall: 'read' }));
      },
    });
    const { code, stderr } = await pdi([...job, '-i', '-'], { stdin, withSignal });
    expect([code, readFileSync(out).equals(bytes), existsSync(`${out}.journal`)], stderr).toEqual([
      breaks ? 1 : 130,
      true,
      true,
    ]);
  },
);

it('a FILE that another job finished, beside answers of this one, is replaced by no run that leaves rows', async () => {
  const { pdi, stopAt } = await service();
  const out = newFile('people.csv');
  const jobOf = (ids: readonly string[]) => [
    'person',
    '-i',
    linesFile(ids),
    '--out',
    out,
    '--concurrency',
    '1',
  ];
  const ids = personIds(rows);
  for (const [job, at, code, found] of [
    [ids, 4, 7, 3],
    [ids.slice(-2), undefined, 0, 2],
    [ids, 3, 7, 2],
    [ids, undefined, 0, rows],
  ] as const) {
    stopAt(stops.credits, at);
    expect([
      (await pdi(jobOf(job))).code,
      statusesIn(out).filter((status) => status === 'ok').length,
    ]).toEqual([code, found]);
  }
});
