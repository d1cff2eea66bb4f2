import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { hiddenBeside } from '../../src/files/private.ts';
import { lockFile } from '../../src/road/job-journal.ts';
import type { Answer } from '../support/origin.ts';
import { groupOf, idIn, itemsIn, personIds, profile } from '../support/records.ts';
import { signalling } from '../support/run.ts';
import {
  arrayOf,
  callsOf,
  closing,
  errorOf,
  expectMistake,
  linesFile,
  newFile,
  origin,
  rowsIn,
  sandbox,
  sandboxed,
  statusesIn,
  summaryOf,
} from '../support/service.ts';

const repeat = (word: string, times: number): string[] => Array(times).fill(word);

/** A job over `count` persons into a new file, and where it goes. */
function jobOf(count: number, ...more: string[]) {
  const out = newFile();
  return {
    out,
    journal: `${out}.journal`,
    argv: ['person', '-i', linesFile(personIds(count)), '-o', 'csv', '--out', out, ...more],
  };
}

const outOfCredits: Answer = { status: 402, json: { errorCode: 'OUT_OF_CREDITS', message: 'no' } };

/** A service whose answers are lost, until it is mended: then it answers so. */
async function losing(answer: Answer) {
  let lost = true;
  const served = await origin((_request, response) => (lost ? void response.destroy() : answer));
  const mend = () => {
    lost = false;
  };
  return { ...served, mend };
}

it('a journal of which a kill left no more than the head says nothing of a FILE that is there', async () => {
  const { pdi } = await closing(1, { status: 500 });
  const { journal, argv } = jobOf(3);
  await pdi(argv);
  writeFileSync(journal, `${readFileSync(journal, 'utf8').split('\n', 1)}\n`);
  const result = await pdi(argv.with(4, 'json'));
  expectMistake(result, 2, /the file exists/);
  expect([result.stderr, existsSync(journal)]).toEqual([
    expect.not.stringContaining('is not bought again'),
    false,
  ]);
});

it('a free job that was cut off asks again, free: its journal has no answer, and says that FILE is its own', async () => {
  const { pdi, service } = await origin(({ body }, _response, count) =>
    count === 4 ? { status: 403 } : { json: itemsIn(body).map(groupOf) },
  );
  const out = newFile('out.csv');
  const ids = linesFile(personIds(400).map((id) => id.slice(4)));
  const flags = `--out ${out} --concurrency 1 --errors json`;
  const argv = `resolve -i ${ids} ${flags}`;
  const cut = await pdi(argv);
  const resume = 'run the same command again: it asks for all rows, which is free';
  expect([cut.code, summaryOf(cut)]).toEqual([
    3,
    expect.objectContaining({ ok: 150, skipped: 250, resume }),
  ]);
  expect(readFileSync(`${out}.journal`, 'utf8')).not.toContain('per_');
  expectMistake(await pdi(`person -i ${linesFile(personIds(3))} ${flags}`), 2, 'the file exists');
  const again = await pdi(argv);
  expect([again.code, summaryOf(again), service.requests.length]).toEqual([
    0,
    expect.objectContaining({ ok: 400 }),
    12,
  ]);
  expect([statusesIn(out), existsSync(`${out}.journal`)]).toEqual([repeat('ok', 400), false]);
});

it('a job over standard input that says nothing ends at the first Ctrl-C, and leaves no journal', async () => {
  const { pdi, asked } = await closing(0, { status: 500 });
  const { out, journal } = jobOf(1);
  const { send, withSignal } = signalling();
  const stdin = new Readable({
    read() {
      setImmediate(() => send('SIGINT'));
    },
  });
  const result = await pdi(`person -i - -o csv --out ${out}`, { stdin, withSignal });
  expect([result.code, result.stdout, asked(), existsSync(out), existsSync(journal)]).toEqual([
    130,
    '',
    [],
    false,
    false,
  ]);
});

it.each([
  ['fewer rows', [3, 4]],
  ['no rows', []],
])(
  'a job over another input than the one before keeps what was bought and is not asked for: %s',
  async (_what, rows) => {
    const { pdi, open, asked } = await closing(3, outOfCredits);
    const { out, journal, argv } = jobOf(6, '--concurrency', '1');
    expect((await pdi(argv)).code).toBe(7);
    open();
    const before = asked().length;
    const stdin = rows.map((row) => `${personIds(6)[row] ?? ''}\n`).join('');
    const other = await pdi(`person -i - -o csv --out ${out}`, { stdin });
    expect([other.code, statusesIn(out)]).toEqual([0, rows.map(() => 'ok')]);
    expect(other.stderr).toContain(
      `${journal} stays: it holds 3 answers that no row of this input asks for\n`,
    );
    expect(asked().length - before).toBe(rows.length);
    expect((await pdi(argv)).code).toBe(0);
    expect([statusesIn(out), existsSync(journal), asked().length - before]).toEqual([
      repeat('ok', 6),
      false,
      3,
    ]);
  },
);

describe('a job with --out', () => {
  it('of a FILE beside which nothing can be made is a mistake about FILE', async () => {
    const { pdi } = await origin(({ path }) => profile(path));
    for (const length of [248, 250]) {
      const out = newFile('a'.repeat(length));
      const argv = `person per_1 per_2 -o ndjson --out ${out}`;
      expectMistake(await pdi(argv), 2, /^--out .*: the name is too long$/);
    }
  });

  it('has its answers on disk as they were sent, whatever the format', async () => {
    const sent = '{"person_id":"per_1","b":1,"2":1,"1":2}';
    const { service, pdi } = await origin(({ path }) =>
      idIn(path) === 'per_1' ? { text: sent } : { status: 403 },
    );
    const out = newFile();
    const argv = ['person', 'per_1', 'per_2', '--out', out, '--concurrency', '1'];
    for (const format of ['csv', 'ndjson'])
      expect((await pdi([...argv, '-o', format])).code).toBe(3);
    expect(readFileSync(out, 'utf8').split('\n')[0]).toBe(sent);
    expect(service.requests.map(({ path }) => idIn(path))).toEqual(['per_1', 'per_2', 'per_2']);
  });

  it('has its answers on disk before they are in the file, privately', async () => {
    const { out, journal, argv } = jobOf(3, '--concurrency', '1');
    const seen: (readonly unknown[])[] = [];
    const { pdi } = await origin(({ path }) => {
      const lines = readFileSync(journal, 'utf8').trimEnd().split('\n').slice(1);
      seen.push([lines.length, existsSync(out), statSync(journal).mode & 0o777]);
      return profile(path);
    });
    expect((await pdi(argv)).code).toBe(0);
    expect(seen).toEqual([1, 3, 5].map((lines) => [lines, false, 0o600]));
  });

  it('resumes after a dead network', async () => {
    const { service: gone, pdi } = await sandbox();
    await gone.stop();
    const port = Number(new URL(gone.baseUrl).port);
    const { out, journal, argv } = jobOf(30, '--retries', '0');
    const first = await pdi(argv);
    expect([first.code, existsSync(journal)]).toEqual([5, true]);
    // Ten calls in a row without an answer end it; those under way beside the tenth fail as well.
    const failed = statusesIn(out).filter((status) => status === 'failed').length;
    expect([10, 11, 12, 13, 14]).toContain(failed);
    expect(statusesIn(out)).toEqual([
      ...repeat('failed', failed),
      ...repeat('skipped', 30 - failed),
    ]);
    const back = await sandboxed({ port });
    const second = await pdi(argv);
    expect([second.code, statusesIn(out), back.bill().length]).toEqual([0, repeat('ok', 30), 30]);
  });

  it('keeps its journal while rows are unknown, never asks for them again, and completes with --retry-unknown', async () => {
    const lost = new Set(['per_sample2', 'per_sample5']);
    const { service, pdi } = await sandbox({
      faultRule: ({ item }) => (lost.has(item) ? 'drop-after-billing' : undefined),
    });
    const { out, journal, argv } = jobOf(6, '--errors', 'json');
    const first = await pdi(argv);
    const expected = ['ok', 'unknown', 'ok', 'ok', 'unknown', 'ok'];
    expect(summaryOf(first)).toMatchObject({ calls_billed: 4, calls_unknown: 2 });
    expect([first.code, statusesIn(out), existsSync(journal)]).toEqual([8, expected, true]);
    expect(first.stderr).toContain('--retry-unknown');
    lost.clear();
    const second = await pdi(argv);
    expect([second.code, statusesIn(out), service.bill().length, existsSync(journal)]).toEqual([
      8,
      expected,
      6,
      true,
    ]);
    // What was never answered is not from the journal, and to run the same command again would do nothing.
    const resume =
      '--retry-unknown sends again what may have been billed: up to 2 calls, and more where answers are lost again';
    expect(summaryOf(second)).toMatchObject({ from_journal: 4, unknown: 2, resume });
    expect(errorOf(second).retryable).toBe(false);
    const third = await pdi([...argv, '--retry-unknown']);
    expect([third.code, statusesIn(out), service.bill().length, existsSync(journal)]).toEqual([
      0,
      repeat('ok', 6),
      8,
      false,
    ]);
    const ledger = await callsOf(first);
    expect(ledger.filter(([, outcome]) => outcome === 'billed')).toHaveLength(6);
    expect(ledger.filter(([, outcome]) => outcome === 'settled').map(([item]) => item)).toEqual([
      'per_sample2',
      'per_sample5',
    ]);
  });

  it.each([
    ['out of credits', ['--retries', '1'], outOfCredits, 7],
    ['rate limited', ['--retries', '0'], { status: 429 }, 6],
    ['the service is unavailable', ['--retries', '0'], { status: 503 }, 5],
    ['the cap of 1 call', ['--max-billable', '1', '--retries', '1'], undefined, 7],
  ])('leaves a row unknown that is sent again in vain: %s', async (words, flags, answer, code) => {
    const { out, journal, argv } = jobOf(1);
    let mode: 'lost' | 'refusing' | 'good' = 'lost';
    const { service, pdi } = await origin(({ path }, response) => {
      if (mode === 'good') return profile(path);
      if (mode === 'refusing' && answer !== undefined) return answer;
      response.destroy();
      return undefined;
    });
    await pdi(argv);
    mode = answer === undefined ? 'lost' : 'refusing';
    const again = await pdi([...argv, '--retry-unknown', ...flags]);
    expect([again.code, statusesIn(out)]).toEqual([code, ['unknown']]);
    expect(rowsIn(out)[0]?.pdi_error).toMatch(
      /; an earlier answer was lost and may have been billed$/,
    );
    expect(rowsIn(out)[0]?.pdi_error).toContain(words);
    const sent = service.requests.length;
    mode = 'good';
    const plain = await pdi(argv);
    expect([plain.code, statusesIn(out), service.requests.length, existsSync(journal)]).toEqual([
      8,
      ['unknown'],
      sent,
      true,
    ]);
    const last = await pdi([...argv, '--retry-unknown']);
    expect([last.code, statusesIn(out), existsSync(journal)]).toEqual([0, ['ok'], false]);
  });

  it('counts the calls of unknown rows, not the rows', async () => {
    const { service, pdi } = await sandbox({
      faultRule: ({ item }) => (item === 'per_sample2' ? 'drop-after-billing' : undefined),
    });
    const ids = linesFile(['per_sample2', 'per_sample1', 'per_sample2', 'per_sample2']);
    const result = await pdi(`person -i ${ids} --out ${newFile('people.csv')}`);
    expect([result.code, service.bill()]).toEqual([8, expect.objectContaining({ length: 2 })]);
    expect(result.stderr).toContain(
      '4 rows: 1 ok, 3 unknown; reasons: 3 the connection was closed; 1 call billed, 1 answer lost, which may have been billed',
    );
    expect(result.stderr).toContain(
      '; --retry-unknown sends again what may have been billed: up to 1 call, and more where answers are lost again\n',
    );
  });

  it('where no call got an answer: advises no run that would send nothing', async () => {
    const { argv } = jobOf(2, '-o', 'json');
    const { pdi } = await origin((_request, response) => void response.destroy());
    const result = await pdi(argv);
    expect(result.code).toBe(5);
    expect(errorOf(result)).toMatchObject({
      retryable: false,
      hint: '`pdi health` tells whether the service is up',
    });
  });

  it('leaves rows unknown that it does not come to send again', async () => {
    const { out, argv } = jobOf(4, '--concurrency', '1');
    const { service, pdi, mend } = await losing({
      status: 401,
      json: { errorCode: 'UNAUTHORIZED', message: 'no' },
    });
    await pdi(argv);
    mend();
    const again = await pdi([...argv, '--retry-unknown']);
    expect([again.code, statusesIn(out), service.requests.length]).toEqual([
      3,
      repeat('unknown', 4),
      5,
    ]);
  });

  it('stays where all that it holds is what was lost, and FILE is of somebody else', async () => {
    const { out, journal, argv } = jobOf(1);
    const { service, pdi, mend } = await losing(profile('/per_sample1'));
    await pdi(argv);
    mend();
    writeFileSync(out, 'of somebody else\n');
    expect([
      (await pdi([...argv, '--force'])).code,
      existsSync(journal),
      service.requests.length,
    ]).toEqual([8, true, 1]);
  });

  it('takes the service at its word on a row that is sent again', async () => {
    const { out, journal, argv } = jobOf(1);
    const { pdi, mend } = await losing({ status: 404 });
    await pdi(argv);
    mend();
    const again = await pdi([...argv, '--retry-unknown']);
    expect([again.code, statusesIn(out), existsSync(journal)]).toEqual([8, ['not_found'], false]);
  });

  it('joins a CSV on resume as well', async () => {
    const { pdi, open } = await closing(2, outOfCredits);
    const out = newFile();
    const input = newFile('in.csv');
    writeFileSync(input, 'person_id;note\r\nper_1;"a;b"\r\nper_2;c\r\nper_1;d\r\nper_3;e\r\n');
    const argv = `person -i ${input} -o csv --fields full_name --out ${out} --concurrency 1`;
    await pdi(argv);
    open();
    expect((await pdi(argv)).code).toBe(0);
    expect(readFileSync(out, 'utf8')).toBe(
      'person_id;note;full_name;pdi_status;pdi_error\r\nper_1;"a;b";Name of per_1;ok;\r\nper_2;c;Name of per_2;ok;\r\nper_1;d;Name of per_1;ok;\r\nper_3;e;Name of per_3;ok;\r\n',
    );
  });
});

describe("a journal that is not this run's", () => {
  /** A job that was broken off after 2 of 6 answers. */
  async function brokenOff(env: Readonly<Record<string, string>> = {}) {
    const job = jobOf(6, '--concurrency', '1');
    const closed = await closing(2, outOfCredits);
    await closed.pdi(job.argv, { env });
    const before = readFileSync(job.journal, 'utf8');
    return { ...job, ...closed, before };
  }

  it('is refused: of another command, base URL or key; --restart begins anew', async () => {
    const { argv, out, journal, before, pdi, open, asked } = await brokenOff();
    const other = await sandboxed();
    const text = readFileSync(out, 'utf8');
    const wrong = async (words: string, env: Record<string, string>, command = 'person') =>
      expectMistake(
        await pdi([command, ...argv.slice(1), '-o', 'json'], { env }),
        2,
        `belongs to another ${words}`,
      );
    await wrong('command: person, not revenue', {}, 'revenue');
    await wrong('base URL', { PDI_BASE_URL: other.baseUrl });
    await wrong('API key', { PDI_API_KEY: 'sandbox-key-no-credits' });
    expect([readFileSync(journal, 'utf8'), readFileSync(out, 'utf8'), other.requests()]).toEqual([
      before,
      text,
      {},
    ]);
    open();
    const asking = asked().length;
    const restarted = await pdi([...argv, '--restart', '--force']);
    expect([restarted.code, asked().length - asking, existsSync(journal)]).toEqual([0, 6, false]);
  });

  it('belongs to the account where one is named: a new key of it goes on, one of another account does not', async () => {
    const { argv, pdi, open, asked } = await brokenOff({ PDI_ACCOUNT: 'North' });
    const other = { PDI_ACCOUNT: 'South', PDI_API_KEY: 'a-new-key' };
    const words = 'belongs to another account: North, not South';
    expectMistake(await pdi([...argv, '-o', 'json'], { env: other }), 2, words);
    const unnamed = await pdi([...argv, '-o', 'json'], { env: { PDI_API_KEY: 'a-new-key' } });
    expectMistake(unnamed, 2, 'belongs to another API key');
    expect(errorOf(unnamed).hint).toContain('or with account North');
    open();
    const asking = asked().length;
    const plan = await pdi([...argv, '--dry-run', '-o', 'json'], {
      env: { ...other, PDI_ACCOUNT: 'North' },
    });
    const again = await pdi(argv, { env: { PDI_ACCOUNT: 'North', PDI_API_KEY: 'a-new-key' } });
    expect([again.code, asked().length - asking]).toEqual([
      0,
      JSON.parse(plan.stdout).job.billable,
    ]);
    expect(asked().length - asking).toBeLessThan(6);
  });

  it.each(['another key', 'another base URL'])(
    'is begun anew by %s where it holds nothing, and FILE is ours still',
    async (words) => {
      const { out, journal, argv } = jobOf(6);
      const { service, pdi, open } = await closing(0, { status: 401 });
      const first = await pdi(argv, {
        env: { PDI_API_KEY: words === 'another key' ? 'mistyped' : 'sandbox-key-full' },
      });
      expect([first.code, statusesIn(out), existsSync(journal)]).toEqual([
        3,
        repeat('skipped', 6),
        true,
      ]);
      open();
      const { baseUrl } = words === 'another key' ? service : await sandboxed();
      const right = { env: { PDI_BASE_URL: baseUrl, PDI_API_KEY: 'sandbox-key-full' } };
      const dry = await pdi([...argv, '--dry-run', '-o', 'json'], right);
      expect(JSON.parse(dry.stdout)).toMatchObject({ job: { in_journal: 0, requests: 6 } });
      const second = await pdi(argv, right);
      expect([second.code, statusesIn(out), existsSync(journal)]).toEqual([
        0,
        repeat('ok', 6),
        false,
      ]);
    },
  );

  it('is not discarded by a --restart that then may not write its file', async () => {
    const { argv, journal, before, pdi } = await brokenOff();
    const result = await pdi([...argv, '--restart', '-o', 'json']);
    expectMistake(result, 2, 'the file exists');
    const otherKey = await pdi([...argv, '-o', 'json'], { env: { PDI_API_KEY: 'another-key' } });
    expect(errorOf(otherKey).hint).toMatch(/--restart .* needs --force/);
    expect(readFileSync(journal, 'utf8')).toBe(before);
  });

  it.each(['new', 'resumed'])(
    'keeps what was bought where another program writes FILE during the run: %s',
    async (which) => {
      const { out, argv } = jobOf(6);
      let [last, write] = [which === 'new' ? 6 : 2, () => {}];
      const { service, pdi } = await origin(({ path }, _response, count) => {
        if (count > last) return { status: 401 };
        write();
        return profile(path);
      });
      if (which === 'resumed') expect((await pdi(argv)).code).toBe(3);
      last = Number.POSITIVE_INFINITY;
      write = () => writeFileSync(out, 'of somebody else\n');
      const refused = await pdi([...argv, '--errors', 'json']);
      expect([refused.code, errorOf(refused).message]).toEqual([
        2,
        expect.stringContaining('another program wrote the file during the run'),
      ]);
      expect(readFileSync(out, 'utf8')).toBe('of somebody else\n');
      const asked = service.requests.length;
      expect((await pdi([...argv, '--force'])).code).toBe(0);
      expect([service.requests.length, statusesIn(out)]).toEqual([asked, repeat('ok', 6)]);
    },
  );

  it('is not made beside the input, nor beside a device', async () => {
    const input = linesFile(personIds(2));
    const seen: boolean[] = [];
    const { pdi } = await origin(({ path }) => {
      seen.push(existsSync('/dev/stdout.journal') || existsSync('/dev/null.journal'));
      return profile(path);
    });
    for (const force of [[], ['--force']]) {
      expectMistake(
        await pdi(['person', '-i', input, '--out', input, '-o', 'json', ...force]),
        2,
        'it is the input file',
      );
    }
    expect(existsSync(`${input}.journal`)).toBe(false);
    const toStdout = await pdi(`person -i ${input} --out /dev/stdout -o csv`);
    expect([toStdout.code, toStdout.stdout.split('\n').length]).toEqual([0, 4]);
    expect((await pdi(`person -i ${input} --out /dev/null -o csv`)).code).toBe(0);
    expect(seen).toEqual([false, false, false, false]);
  });
});

it.each([
  ['no such file', ['-i', '/no/such/file']],
  ['no such column', ['-i', linesFile(['one', 'two']), '--column', 'nowhere']],
  ['no such field', ['-i', linesFile(['one', 'two']), '--fields', 'nope']],
])(
  'a FILE of skipped rows stays ours to complete, whatever goes wrong with the runs after it: %s',
  async (_what, wrong) => {
    let refused = true;
    const { pdi } = await origin(({ body }) =>
      refused ? { status: 401 } : { json: itemsIn(body).map(groupOf) },
    );
    const out = newFile();
    const right = ['resolve', '-i', linesFile(['one', 'two']), '-o', 'csv', '--out', out];
    expect([(await pdi(right)).code, statusesIn(out)]).toEqual([3, repeat('skipped', 2)]);
    // Nothing was ever sent that the journal would hold.
    for (const argv of [['resolve', ...wrong, '-o', 'csv', '--out', out], right])
      expect((await pdi(argv)).code).not.toBe(0);
    refused = false;
    const last = await pdi(right);
    expect([last.code, last.stderr.includes('the file exists'), statusesIn(out)]).toEqual([
      0,
      false,
      repeat('ok', 2),
    ]);
    expect(existsSync(`${out}.journal`)).toBe(false);
  },
);

const rewritten: readonly (readonly [how: string, rewrite: (text: string) => string | Buffer])[] = [
  [
    'blanks between its parts',
    (text) => text.replace(/,(?=")/g, ', ').replace(/":(?=["{])/g, '": '),
  ],
  [
    'its names in another order',
    (text) =>
      text.replace(
        /"item":("[^"]*"),(.*),"record":(.*)}\n/g,
        '{$2,"record":$3,"item":$1}\n'.slice(1),
      ),
  ],
  ['Latin-1', (text) => Buffer.from(text, 'latin1')],
];

it.each(rewritten)(
  'a journal that another program has written anew with %s is refused, as it is, and buys nothing twice',
  async (_how, rewrite) => {
    let left = 3;
    const { service, pdi } = await origin(({ path }) => {
      left -= 1;
      return left < 0 ? outOfCredits : { json: { person_id: idIn(path), full_name: 'Zoë' } };
    });
    const { out, journal, argv } = jobOf(5, '--concurrency', '1');
    expect((await pdi(argv)).code).toBe(7);
    const [before, asked, text] = [
      readFileSync(journal),
      service.requests.length,
      readFileSync(out),
    ];
    left = 100;
    writeFileSync(journal, rewrite(before.toString()));
    const changed = readFileSync(journal);
    expect(changed.equals(before)).toBe(false);
    expectMistake(
      await pdi([...argv, '--errors', 'json']),
      2,
      /line \d+: the line is damaged, and others follow it/,
    );
    expect([service.requests.length, readFileSync(out), readFileSync(journal)]).toEqual([
      asked,
      text,
      changed,
    ]);
    writeFileSync(journal, before);
    expect([(await pdi(argv)).code, service.requests.length, statusesIn(out)]).toEqual([
      0,
      asked + 2,
      repeat('ok', 5),
    ]);
  },
);

describe('a place where FILE cannot be written is left with the journal that lies there', () => {
  const copying = (journal: string) =>
    `copy ${journal} there first, as FILE.journal: what it holds is not bought again`;

  it('where FILE cannot be locked', async () => {
    const { pdi, mend } = await losing(outOfCredits);
    const { out, journal, argv } = jobOf(1);
    await pdi(argv);
    mkdirSync(await hiddenBeside(out, 'lock'));
    mend();
    const result = await pdi([...argv, '--errors', 'json']);
    expect([result.code, errorOf(result).hint]).toEqual([
      2,
      expect.stringContaining(`in a folder of your own; ${copying(journal)}`),
    ]);
  });

  it('where nothing can be created beside FILE', async () => {
    const path = newFile('out.csv.journal');
    const place = { out: 'out.csv', file: join(path, 'none', 'out.csv'), path };
    await expect(lockFile(place)).rejects.toHaveProperty(
      'details.hint',
      expect.not.stringContaining('copy'),
    );
    writeFileSync(path, '');
    await expect(lockFile(place)).rejects.toHaveProperty(
      'details.hint',
      expect.stringContaining(copying(path)),
    );
  });
});

it('settles in the book what a kill left there as under way', async () => {
  const [out, own, copy] = [newFile('people.csv'), newFile('own.db'), newFile('copy.db')];
  let count = 0;
  const { pdi } = await origin(async ({ path }) => {
    count += 1;
    if (count === 2) await pdi(['book', 'backup', copy], { env: { PDI_BOOK: own } });
    return count === 3 ? { status: 402, json: { errorCode: 'OUT_OF_CREDITS' } } : profile(path);
  });
  const ids = linesFile(personIds(3));
  const job = `person -i ${ids} --out ${out} --max-age 1h --concurrency 1`;
  expect((await pdi(job, { env: { PDI_BOOK: own } })).code).toBe(7);
  const told = async () => {
    const options = { env: { PDI_BOOK: copy } };
    const [{ billed, lost } = {}] = arrayOf(await pdi('spend', options));
    return [count, billed, lost, arrayOf(await pdi('store', options))[0]?.answers];
  };
  expect(await told()).toEqual([3, 1, 1, 1]);
  expect((await pdi(job, { env: { PDI_BOOK: copy } })).code).toBe(0);
  expect(await told()).toEqual([4, 3, 0, 3]);
});
