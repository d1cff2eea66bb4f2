import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { personIds, profile } from '../support/records.ts';
import { signalling } from '../support/run.ts';
import {
  closing,
  errorOf,
  expectMistake,
  linesFile,
  newFile,
  origin,
  statusesIn,
} from '../support/service.ts';

/** What an earlier run left, paid for; its journal has gone. */
const paidFor = 'input,person_id,pdi_status,pdi_error\r\nper_sample1,per_sample1,ok,\r\n';

function jobOf(count: number, ...more: string[]) {
  const out = newFile();
  const argv = [
    'person',
    '-i',
    linesFile(personIds(count)),
    '-o',
    'csv',
    '--out',
    out,
    '--retries',
    '0',
    ...more,
  ];
  const state = () => [
    existsSync(out) ? readFileSync(out, 'utf8') : undefined,
    existsSync(`${out}.journal`),
  ];
  return { out, argv, state };
}

describe('--force over a file that no journal calls ours', () => {
  it.each([
    [
      'a refused key',
      { status: 401, json: { errorCode: 'API_KEY_NOT_VALID' } },
      3,
      'refused (401)',
    ],
    ['exhausted credits', { status: 402, json: { errorCode: 'OUT_OF_CREDITS' } }, 7, ''],
    [
      'a service that is down',
      { status: 503 },
      5,
      'no call got an answer: the service is unavailable (503)',
    ],
    [
      'a wrong root',
      { status: 404 },
      8,
      '4 of 4 rows are not ok; the first error: not found (404)',
    ],
  ] as const)(
    '%s leaves it as it was, and says so; the next run asks before it replaces it',
    async (_what, answer, code, words) => {
      const { out, argv, state } = jobOf(4);
      writeFileSync(out, paidFor);
      let refusing = true;
      const { service, pdi } = await origin(({ path }) => (refusing ? answer : profile(path)));
      const first = await pdi([...argv, '--force']);
      expect([first.code, ...state()]).toEqual([code, paidFor, false]);
      expect(first.stderr).toContain(words);
      expect(first.stderr).toContain(`; ${out} stays as it was: no row has data to put there`);
      expect(first.stderr).toContain('; 0 calls billed');
      expect(first.stderr).not.toContain('pdi_status');
      const asked = service.requests.length;
      expectMistake(await pdi([...argv, '-o', 'json']), 2, 'the file exists');
      expect([service.requests.length, ...state()]).toEqual([asked, paidFor, false]);
      refusing = false;
      expect((await pdi([...argv, '--force'])).code).toBe(0);
      expect(statusesIn(out)).toEqual(Array(4).fill('ok'));
    },
  );

  it('so does a Ctrl-C before the first answer', async () => {
    const { out, argv, state } = jobOf(4, '--force', '-o', 'json', '--retries', '3');
    writeFileSync(out, paidFor);
    const { send, withSignal } = signalling();
    const { pdi } = await origin(() => {
      send('SIGINT');
      return { status: 429, headers: { 'x-ratelimit-reset': '0.05' } };
    });
    const result = await pdi(argv, { withSignal });
    expect([result.code, ...state()]).toEqual([130, paidFor, false]);
    expect(errorOf(result).hint).toContain(`${out} stays as it was`);
  });

  it('so does a Ctrl-C between the header of a pipe and its first row', async () => {
    const out = newFile();
    writeFileSync(out, paidFor);
    const { send, withSignal } = signalling();
    let text: string | undefined = 'person_id,name\n';
    const stdin = new Readable({
      read() {
        if (text === undefined) setImmediate(() => send('SIGINT'));
        else this.push(text);
        text = undefined;
      },
    });
    const { pdi } = await origin(({ path }) => profile(path));
    const result = await pdi(`person -i - --out ${out} --force`, { stdin, withSignal });
    expect([result.code, readFileSync(out, 'utf8')]).toEqual([130, paidFor]);
  });

  it('so do rows that are all malformed, and one that is found among them does not', async () => {
    const { pdi } = await origin(({ path }) => profile(path));
    for (const [ids, isKept] of [
      [['bad one', 'bad two'], true],
      [['bad one', 'bad two', 'per_sample2'], false],
    ] as const) {
      const out = newFile();
      writeFileSync(out, paidFor);
      const result = await pdi(
        `person -i ${linesFile(ids)} -o csv --out ${out} --force --accept invalid`,
      );
      expect([result.code, readFileSync(out, 'utf8') === paidFor]).toEqual([
        isKept ? 8 : 0,
        isKept,
      ]);
    }
  });

  it('a job of no rows and a resolve without a match replace it: that is their answer', async () => {
    const { pdi } = await origin(({ body }) => ({
      json: [{ query: JSON.parse(body).to_resolve[0], matches: [] }],
    }));
    for (const words of ['person -i -', `resolve -i ${linesFile(['x'])}`]) {
      const out = newFile();
      writeFileSync(out, paidFor);
      expect((await pdi(`${words} -o csv --out ${out} --force`)).code).toBe(0);
      expect(readFileSync(out, 'utf8')).not.toContain('per_sample1');
    }
  });
});

it('a job without data writes FILE with its skipped rows where there was none, and again where it is as we left it', async () => {
  const { out, argv } = jobOf(4);
  const { pdi } = await origin(() => ({ status: 401 }));
  const first = await pdi(argv);
  expect([first.code, statusesIn(out), existsSync(`${out}.journal`)]).toEqual([
    3,
    Array(4).fill('skipped'),
    true,
  ]);
  const again = await pdi(argv);
  expect([again.code, statusesIn(out), existsSync(`${out}.journal`)]).toEqual([
    3,
    Array(4).fill('skipped'),
    true,
  ]);
  writeFileSync(out, paidFor);
  const forced = await pdi([...argv, '--force']);
  expect([forced.code, readFileSync(out, 'utf8')]).toEqual([3, paidFor]);
});

it('a FILE that stays as it is because no row has data keeps its journal', async () => {
  const { out, argv } = jobOf(10, '--force', '--concurrency', '1');
  const { pdi, asked, open, close } = await closing(4, { status: 401 });
  await pdi(argv);
  appendFileSync(out, 'a note of mine\r\n');
  close();
  const unlucky = await pdi(argv.with(2, linesFile(['per_other'])));
  expect([unlucky.code, readFileSync(out, 'utf8').endsWith('a note of mine\r\n')]).toEqual([
    3,
    true,
  ]);
  open();
  const last = await pdi(argv);
  // The call that was refused is made again, and no other.
  expect([last.code, asked().filter((id) => id !== 'per_other')]).toEqual([
    0,
    expect.objectContaining({ length: 11 }),
  ]);
});
