/** Bought once: the answers in the book, as users meet it: what the service billed is the judge. */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import * as z from 'zod/mini';
import { sqliteEngine } from '../../src/files/sqlite.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { itWith } from '../support/it.ts';
import { anHourLater } from '../support/later.ts';
import { idIn, investor, personIds, profile } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import {
  arrayOf,
  booksAreClosed,
  cellsOf,
  closing,
  errorOf,
  fileOf,
  keeping,
  linesFile,
  newFile,
  objectOf,
  origin,
  remembered,
  rowsIn,
  rowsOf,
  saidBy,
  sandbox,
  slowAtFirst,
  spoilBook,
  statusesIn,
  statusesOf,
} from '../support/service.ts';
import { play } from '../support/transcript.ts';

const billedIds = (service: Pick<Sandbox, 'bill'>): readonly string[] =>
  service.bill().map(({ item }) => item);

const bookIn = (home: string): string => join(home, 'state', 'pdi', 'book.db');

const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);

const it = itWith(() => keeping(sandbox()));

play('test/commands/bought-once.txt');

describe('an answer that was bought', () => {
  const ids = personIds(3).join(' ');

  it.for([
    ['another format', `person ${ids} -o ndjson`],
    ['another FILE', `person ${ids} -o csv --out ${newFile()}`],
    ['other fields', `person ${ids} -o csv --fields full_name`],
    ['another concurrency', `person ${ids} -o csv --concurrency 1`],
    ['one id alone', 'person per_sample2'],
    ['a part of them, as a file', `person -i ${linesFile(['per_sample3', 'per_sample1'])} -o csv`],
  ] as const)('is not bought again for %s', async ([_what, again], { service, pdi }) => {
    expect((await pdi(`person ${ids} -o csv`)).code).toBe(0);
    const { code, stderr } = await pdi(again);
    expect([code, billedIds(service)]).toEqual([0, personIds(3)]);
    // It is said once.
    expect(
      stderr.match(/from the book, the oldest bought less than a minute ago|"from_book":3/g),
    ).toHaveLength(1);
  });

  it.for([
    ['investors --name', 'Sample Harbor Ventures 1', ' sample HARBOR ventures 1 '],
    ['investors --website', 'investor-1.example', 'https://www.Investor-1.example/'],
    ['person', 'per_sample1', '="per_sample1"'],
  ] as const)(
    'of %s %s is not bought again in another spelling: %s',
    async ([words, first, again], { service, pdi }) => {
      const ask = (text: string, ...more: readonly string[]) =>
        pdi([...words.split(' '), text, '-o', 'ndjson', ...more]);
      const bought = await ask(first);
      expect((await ask(again)).stdout).toBe(bought.stdout);
      expect((await ask(again, '--dry-run')).stdout).toMatch(/"in_book":(?:1|"answered")/);
      expect(Object.values(service.requests())).toEqual([1]);
      expect(arrayOf(await pdi(['store', 'forget', again]))).toMatchObject([{ forgotten: 1 }]);
    },
  );

  it('is revenue, and investors by name, by website and by file; a free answer is not kept', async () => {
    const { service, pdi } = await keeping(
      origin(({ path }) => ({
        json: path.includes('latest-revenue')
          ? { id: 'c1' }
          : path.includes('/investors')
            ? ['One', 'Two'].map(investor)
            : [],
      })),
    );
    const file = fileOf('firms.csv', 'name\nSample\n');
    const lines = [
      'revenue c1',
      'investors --name Sample',
      'investors --website a.example',
      `investors -i ${file} -o ndjson`,
    ];
    const first = [];
    for (const line of lines) first.push(await pdi(line));
    for (const [at, line] of lines.entries()) {
      const again = await pdi(line);
      expect([again.code, again.stdout], first[at]?.stderr).toEqual([0, first[at]?.stdout]);
    }
    const bought = [
      '/companies/c1/latest-revenue',
      '/investors?name=Sample',
      '/investors?website=a.example',
    ];
    expect(service.requests.map(({ path }) => path.replace('/api/v1', ''))).toEqual(bought);
    for (const _time of [1, 2]) await pdi('lists companies list');
    expect(service.requests).toHaveLength(5);
  });

  it('belongs to its base URL and its account', async () => {
    const { service, pdi } = await keeping(origin(() => ({ json: { person_id: 'per_1' } })));
    const bought = async (env: Record<string, string>) => {
      const before = service.requests.length;
      await pdi('person per_1', { env });
      return service.requests.length - before;
    };
    expect(await bought({})).toBe(1);
    expect(await bought({ PDI_API_KEY: 'another-key-of-the-tests-0001' })).toBe(1);
    expect(await bought({ PDI_BASE_URL: service.baseUrl.replace('127.0.0.1', 'localhost') })).toBe(
      1,
    );
    expect(await bought({ PDI_ACCOUNT: 'acme' })).toBe(1);
    expect(
      await bought({ PDI_ACCOUNT: 'acme', PDI_API_KEY: 'another-key-of-the-tests-0001' }),
    ).toBe(0);
    expect(
      await bought({
        PDI_ACCOUNT: 'acme',
        PDI_BASE_URL: service.baseUrl.replace('127.0.0.1', 'localhost'),
      }),
    ).toBe(1);
    expect(await bought({})).toBe(0);
  });

  it('shows where it is from and when it was bought, where asked for', async ({ pdi }) => {
    const out = newFile('people.csv');
    const fields = '--fields person_id,pdi_source,pdi_fetched_at';
    const first = rowsOf((await pdi(`person per_sample1 -o csv ${fields}`)).stdout);
    expect(first[0]).toMatchObject({
      pdi_source: 'service',
      pdi_fetched_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const second = objectOf(await pdi(`person per_sample1 ${fields}`));
    expect(second).toEqual({
      person_id: 'per_sample1',
      pdi_source: 'book',
      pdi_fetched_at: first[0]?.pdi_fetched_at,
    });
    // The last of them are asked for when the first have their answer.
    const again: readonly string[] = Array(100).fill('per_sample1');
    const file = linesFile(['per_sample1', 'per_nobody', ...again]);
    await pdi(`person -i ${file} --out ${out} ${fields} --max-billable 1`);
    expect(rowsIn(out).map(({ pdi_source }) => pdi_source)).toEqual([
      'book',
      'service',
      ...again.map(() => 'book'),
    ]);
  });

  it('shows neither of what was not sent or not answered', async () => {
    const { pdi } = await keeping(
      origin(({ path }) =>
        path.endsWith('/per_1') ? { json: { person_id: 'per_1' } } : { status: 500 },
      ),
    );
    const fields = '--fields person_id,pdi_source,pdi_fetched_at';
    const ids = linesFile(['per_1', 'per_2', 'per_3']);
    const result = await pdi(
      `person -i ${ids} -o csv ${fields} --budget 2/day --concurrency 1 --retries 0`,
      { home: newFolder() },
    );
    const told = cellsOf(result.stdout, 'pdi_source', 'pdi_fetched_at', 'pdi_status');
    expect(told).toEqual([
      expect.stringMatching(/^service \| \d{4}-.*Z \| ok$/),
      ' |  | unknown',
      ' |  | skipped',
    ]);
  });
});

describe('its age', () => {
  it('--max-age 0 keeps nothing and takes nothing', async ({ service, pdi, home }) => {
    await pdi('person per_sample1 per_sample2 --max-age 0 --concurrency 1');
    expect(await remembered({ home })).not.toMatch(/Sample-\d/);
    expect(arrayOf(await pdi('store'))).toEqual([]);
    await pdi('person per_sample1');
    const { stderr } = await pdi('person per_sample1 --max-age 0');
    expect([billedIds(service).length, stderr]).toEqual([4, '']);
  });

  it('a run takes nothing older than it allows, and the next run deletes what is past its age', async ({
    service,
    pdi,
    home,
  }) => {
    await pdi('person per_sample1 --max-age 1h');
    const { full_name } = objectOf(await pdi('person per_sample1'));
    expect(await remembered({ home })).toContain(full_name);
    anHourLater();
    await pdi('person per_sample2');
    expect(await remembered({ home })).not.toContain(full_name);
    await pdi('person per_sample2 --max-age 1h');
    await pdi('person per_sample1');
    expect(billedIds(service)).toEqual(['per_sample1', 'per_sample2', 'per_sample1']);
  });
});

describe('an answer that was lost', () => {
  const losing = () => keeping(closing(0, { status: 500, json: {} }));

  it('is not sent again by another run: exit 5, billed: unknown, and nothing sent', async () => {
    const { service, pdi, open: mend } = await losing();
    const first = await pdi('person per_1');
    expect([first.code, errorOf(first).billed]).toEqual([5, 'unknown']);
    mend();
    const hint = expect.stringContaining(
      '--retry-unknown sends it again: 1 call that may be billed a second time',
    );
    for (const line of ['person per_1', 'person per_1 --fresh']) {
      const marked = await pdi(line);
      expect([marked.code, marked.stdout, errorOf(marked)]).toMatchObject([
        5,
        '',
        { billed: 'unknown', hint },
      ]);
    }
    const plan = await pdi('person per_1 per_2 --dry-run -o table');
    const words = '2 different; 1 without an answer (--retry-unknown sends them again)';
    expect(plan.stdout).toContain(words);
    expect(objectOf(await pdi('person per_1 per_2 --dry-run -o json')).job).toMatchObject({
      lost: 1,
      in_book: 0,
      billable: 1,
    });
    const stopped = await pdi('person per_1 per_2 -o csv --concurrency 1 --on-error stop');
    expect([stopped.code, statusesOf(stopped.stdout)]).toEqual([8, ['unknown', 'skipped']]);
    // The same command would end at the same row.
    expect(stopped.stderr).toContain('--on-error continue goes past the row that ended this run');
    const job = await pdi(`person per_1 per_2 -o csv`);
    expect([job.code, statusesOf(job.stdout)]).toEqual([8, ['unknown', 'ok']]);
    expect(service.requests.map(({ path }) => idIn(path))).toEqual(['per_1', 'per_2']);
  });

  it('holds nobody up once it was answered, also without a stated price and after the answer is forgotten', async () => {
    const { pdi } = await keeping(
      sandbox({ faultRule: ({ number }) => (number === 1 ? 'drop-after-billing' : undefined) }),
    );
    const find = 'investors --website investor-1.example';
    const codes: number[] = [];
    for (const line of [find, `${find} --retry-unknown`, 'store forget investor-1.example', find])
      codes.push((await pdi(line)).code);
    expect(codes).toEqual([5, 0, 0, 0]);
  });

  it('of a job is taken from the book where another run bought it since', async () => {
    const { service, pdi, open: mend } = await losing();
    const out = newFile('people.csv');
    const line = `person -i ${linesFile(['per_1'])} --out ${out} --retries 0`;
    await pdi(line);
    mend();
    await pdi('person per_1 --retry-unknown');
    expect((await pdi(`${line} --dry-run`)).stdout).toContain('1 in the book\n0 requests');
    expect((await pdi(line)).code).toBe(0);
    expect([statusesIn(out), service.requests.length]).toEqual([['ok'], 2]);
  });

  it('of a job whose book cannot be read any more stays unknown, and every row is written', async () => {
    const { pdi, home, open: mend } = await losing();
    const out = newFile('people.csv');
    const line = (ids: readonly string[]) =>
      `person -i ${linesFile(ids)} --out ${out} --max-billable unlimited`;
    await pdi(line(['per_1']));
    mend();
    await pdi(line(['per_2', 'per_1']));
    await spoilBook({ home }, 'PRAGMA user_version=99');
    const result = await pdi(line(['per_2', 'per_1', 'per_3', 'per_2']));
    expect([result.code, statusesIn(out)]).toEqual([1, ['ok', 'unknown', 'skipped', 'ok']]);
    expect(result.stderr).toContain('written by a newer pdi');
  });
});

describe('the book', () => {
  it('says where it is, how long, and how to turn it off, the first time that anything is kept', async ({
    pdi,
    home,
  }) => {
    const said = saidBy(await pdi('person per_sample1'));
    expect(said).toEqual([
      { notice: expect.stringContaining(`bought answers are kept in ${bookIn(home)} for 12h`) },
    ]);
    expect((await pdi('person per_sample2')).stderr).toBe('');
  });

  it('is for nobody else: files 0600 in a folder 0700, also while a run goes on', async () => {
    const modes = new Map<string, string>();
    const { pdi, home } = await keeping(
      origin(({ path }) => {
        for (const name of readdirSync(dirname(bookIn(home))))
          modes.set(name, modeOf(join(dirname(bookIn(home)), name)));
        return { json: { person_id: idIn(path) } };
      }),
    );
    await pdi('person per_1 per_2');
    expect(modeOf(dirname(bookIn(home)))).toBe('700');
    expect(modes.size).toBeGreaterThan(3);
    for (const [name, mode] of modes) expect([name, mode]).toEqual([name, '600']);
    await booksAreClosed();
    expect(readdirSync(dirname(bookIn(home)))).toEqual(['book.db']);
  });

  it('that PDI_BOOK names by a link is for nobody else, and leaves its folder to whoever may use it', async ({
    pdi,
  }) => {
    const folder = newFolder();
    chmodSync(folder, 0o1777);
    symlinkSync('real.db', join(folder, 'link.db'));
    await pdi('person per_sample1', { env: { PDI_BOOK: join(folder, 'link.db') } });
    expect(['.', 'real.db'].map((name) => modeOf(join(folder, name)))).toEqual(['1777', '600']);
  });

  it('that PDI_BOOK or a setting names is shared by whoever has the account', async ({
    service,
    pdi,
    home,
  }) => {
    const book = newFile('shared.db');
    const env = { PDI_BOOK: book, PDI_ACCOUNT: 'acme' };
    await pdi('person per_sample1', { home: newFolder(), env });
    await pdi('person per_sample1', { home: newFolder(), env });
    await pdi(`config set book ${book}`);
    await pdi('person per_sample1', { env: { PDI_ACCOUNT: 'acme' } });
    expect([billedIds(service).length, existsSync(bookIn(home))]).toEqual([1, false]);
  });

  it.for([
    [
      'cannot be opened',
      (home: string) => mkdirSync(bookIn(home)),
      'cannot use the book .*: it cannot be opened',
    ],
    [
      'is in a folder that is a file',
      (home: string) => rmThenWrite(join(home, 'state', 'pdi')),
      'cannot use the book',
    ],
  ] as const)(
    'that %s stops the call before it is sent',
    async ([_what, spoil, words], { service, pdi, home }) => {
      mkdirSync(join(home, 'state', 'pdi'), { recursive: true });
      spoil(home);
      const result = await pdi('person per_sample1');
      expect(errorOf(result)).toMatchObject({
        billed: 'no',
        message: expect.stringMatching(words),
      });
      expect([result.code > 0, service.requests()]).toEqual([true, {}]);
    },
  );

  it('whose place is below a file leaves the rows of a job to be asked for', async ({
    service,
    pdi,
    home,
  }) => {
    mkdirSync(join(home, 'state'), { recursive: true });
    rmThenWrite(join(home, 'state'));
    const result = await pdi(`person -i ${linesFile(['per_sample1', 'per_sample2'])} -o csv`);
    expect([result.code, statusesOf(result.stdout), service.requests()]).toEqual([
      1,
      ['skipped', 'skipped'],
      {},
    ]);
  });

  it.for(['spend', 'store', 'bookmarks', 'person per_1 --dry-run'])(
    'whose folder cannot be looked into is no empty book: %s',
    async (line, { pdi, home }) => {
      mkdirSync(join(home, 'state'), { recursive: true });
      symlinkSync('pdi', join(home, 'state', 'pdi'));
      const result = await pdi(line);
      expect([result.code, errorOf(result).message]).toEqual([
        1,
        expect.stringContaining(`cannot use the book ${bookIn(home)}: `),
      ]);
    },
  );

  it.for(['feed --since-last', 'person per_1'])(
    'whose path leaves no room for the names beside it is refused by name: %s',
    async (line, { pdi }) => {
      const folder = join(newFolder(), 'a'.repeat(200), 'b'.repeat(200));
      const book = join(folder, 'c'.repeat(485 - folder.length));
      mkdirSync(folder, { recursive: true });
      const result = await pdi(line, { env: { PDI_BOOK: book } });
      const { message, hint } = errorOf(result);
      expect([result.code, message]).toEqual([
        1,
        `cannot use the book ${book}: it cannot be opened`,
      ]);
      expect(hint).toBe(
        'see that it and its folder can be written; another book (PDI_BOOK) would buy again what this one has',
      );
    },
  );

  it('of a newer pdi is refused by its version, and nothing is sent', async ({
    service,
    pdi,
    home,
  }) => {
    await pdi('person per_sample1');
    await spoilBook({ home }, 'PRAGMA user_version=99');
    const looking = [
      'spend',
      'store',
      'store forget per_1',
      'store purge --all --yes',
      'bookmarks',
      'bookmarks reset x',
    ];
    for (const line of ['person per_sample2', ...looking]) {
      const result = await pdi(line);
      const { message, hint } = errorOf(result);
      expect([line, result.code, message]).toEqual([
        line,
        1,
        expect.stringContaining('written by a newer pdi: version 99 of the book'),
      ]);
      expect(hint).toBe('use that pdi; another book (PDI_BOOK) would buy again what this one has');
    }
    expect(billedIds(service)).toHaveLength(1);
  });

  it('that a name of the user leads to, without its beginning, is known by its mark or its log', async ({
    pdi,
  }) => {
    const path = newFile('book.db');
    for (const [end, part] of [
      [60, ''],
      [100, '-wal'],
    ] as const) {
      await pdi('person per_sample1', { env: { PDI_BOOK: path } });
      await booksAreClosed();
      writeFileSync(path, readFileSync(path).fill(7, 0, end));
      if (part !== '') writeFileSync(path + part, '');
      expect((await pdi('spend', { env: { PDI_BOOK: path } })).stderr).toContain(
        'was damaged: it is now ',
      );
    }
  });

  const asking = [
    'person per_sample1',
    'person per_sample2',
    'spend',
    'store',
    'store forget per_sample1',
  ];
  const following = [
    'bookmarks',
    'feed --since-last watch',
    'bookmarks reset watch --to 2026-01-01',
  ];
  const [ids, copy] = [linesFile(['per_sample1']), newFile('copy.csv')];
  const finishing = [`person -i ${ids} --out ${copy} --force`, 'store'];
  const bought = {
    owner: asking,
    source: asking,
    run: asking,
    call: asking,
    spent: asking,
    answer: asking,
    kept: asking,
    pace: asking,
  };
  const tables = { ...bought, finished: finishing };
  it.for(Object.entries({ ...tables, bookmark: following, outbox: following }))(
    'with bytes that are no text in any column of %s ends no command without a word',
    async ([table, lines], { pdi, home }) => {
      await pdi('person per_sample1');
      await pdi(`person -i ${ids} --out ${copy} --force`);
      await pdi('feed --since-last watch --after 0001-01-01 --max-pages 1 --deliver false', {
        env: { PATH: process.env.PATH ?? '' },
      });
      await spoilBook(
        { home },
        `INSERT INTO run (token, host, pid, began) VALUES ('gone', 'here', 1, 1);
       INSERT INTO call SELECT NULL, max(run.id), source, 'k', call.at, 9, 'sent', operation, 'x', call.billing FROM call, run`,
      );
      const columns = await textColumnsOf(bookIn(home));
      expect(new Set(columns.map(([name]) => name))).toEqual(
        new Set([...Object.keys(tables), 'bookmark', 'outbox']),
      );
      for (const [, column] of columns.filter(([name]) => name === table)) {
        const copy = newFolder();
        cpSync(home, copy, { recursive: true });
        await spoilBook(
          { home: copy },
          `UPDATE OR IGNORE ${table} SET ${column} = CAST(x'ff41' AS TEXT)`,
        );
        for (const line of lines) {
          const result = await pdi(line, { home: copy });
          const isNamed =
            /the book|in the book/.test(result.stderr) && !result.stderr.includes('a bug');
          expect([column, line, result.code === 0 || isNamed, result.stderr]).toEqual([
            column,
            line,
            true,
            result.stderr,
          ]);
        }
      }
    },
  );

  it.for([
    [['person', 'per_sample1'], 'per_sample1'],
    [['investors', '--name', 'Twin Sample Partners'], "'name:twin sample partners'"],
  ] as const)(
    'that holds something else than an answer says which, and how to go on: %s',
    async ([argv, named], { pdi, home }) => {
      await pdi(argv);
      await spoilBook({ home }, `UPDATE answer SET body = '1'`);
      const { code, stderr } = await pdi([...argv, '-o', 'table']);
      const [, hint = ''] =
        /the answer in the book is damaged: .*; `pdi (.*)` lets it be bought again\n$/.exec(
          stderr,
        ) ?? [];
      expect([code, hint]).toEqual([1, `store forget ${named}`]);
      await pdi(['store', 'forget', named.replaceAll("'", '')]);
      expect((await pdi(argv)).code).toBe(0);
    },
  );

  it.for([
    ['is no database any more', (path: string) => writeFileSync(path, 'x'.repeat(9000))],
    ['was cut off', (path: string) => truncateSync(path, 8192)],
    [
      'says a format that no engine has',
      (path: string) => writeFileSync(path, readFileSync(path).fill(9, 44, 48)),
    ],
    ['has pages of zeros', (path: string) => writeFileSync(path, readFileSync(path).fill(0, 4096))],
    [
      'has a trigger that names no column',
      (path: string) => replaceIn(path, 'spent (source', 'spent (Xource'),
    ],
    [
      'has a trigger that counts otherwise',
      (path: string) => replaceIn(path, 'calls + 1', 'calls + 9'),
    ],
  ] as const)(
    'that %s is moved aside by name, never deleted; the answer is bought',
    async ([_what, damage], { service, pdi, home }) => {
      await pdi('person per_sample1');
      await booksAreClosed();
      damage(bookIn(home));
      const bytes = readFileSync(bookIn(home));
      const { code, stderr } = await pdi('person per_sample1');
      const aside = /the book (\S+) was damaged: it is now (\S+), and a new one is begun/.exec(
        stderr,
      );
      expect([code, aside?.[1]]).toEqual([0, bookIn(home)]);
      expect(readFileSync(aside?.[2] ?? '').equals(bytes)).toBe(true);
      expect((await pdi('person per_sample1')).code).toBe(0);
      expect(billedIds(service)).toHaveLength(2);
    },
  );
});

describe('a book with damage that only its use finds', () => {
  it.for([
    ['call', 'person per_sample2'],
    ['spent', 'spend'],
    ['answer', 'person per_sample1'],
    ['answer_until', 'store'],
    ['answer_key', 'store forget per_sample1'],
    ['kept', 'store purge --all --yes'],
    ['sqlite_autoindex_outbox_1', 'feed --since-last'],
  ] as const)(
    'in %s is moved aside by name at `pdi %s`, and the next run goes on',
    async ([name, line], { pdi, home }) => {
      await pdi('person per_sample1');
      await pdi('feed --since-last --after 0001-01-01');
      await booksAreClosed();
      await damagePageOf(name, bookIn(home));
      const { code, stderr } = await pdi(line);
      expect([code, stderr]).toEqual([
        0,
        expect.stringContaining(`the book ${bookIn(home)} was damaged: it is now `),
      ]);
      expect(
        readdirSync(dirname(bookIn(home))).filter((file) => /damaged-[\d.TZ-]+$/.test(file)),
      ).toHaveLength(1);
      const again = await pdi(line);
      expect([again.code, again.stderr.includes('damaged')]).toEqual([0, false]);
    },
  );
});

const replaceIn = (path: string, text: string, other: string): void =>
  writeFileSync(path, readFileSync(path, 'latin1').replaceAll(text, other), 'latin1');

/** Writes nonsense into the first page of a table or index. */
async function damagePageOf(name: string, book: string): Promise<void> {
  const database = (await sqliteEngine())(book);
  const { page } = z.parse(
    z.object({ page: z.number() }),
    database.prepare('SELECT rootpage AS page FROM sqlite_master WHERE name = ?').get(name),
  );
  database.close();
  writeFileSync(book, readFileSync(book).fill(0x78, (page - 1) * 4096, page * 4096));
}

/** Gives each column of text with its table. */
async function textColumnsOf(book: string): Promise<readonly (readonly [string, string])[]> {
  const database = (await sqliteEngine())(book);
  const sql = `SELECT t.name AS tab, c.name AS col FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' AND c.type = 'TEXT'`;
  const rows = z.parse(
    z.array(z.object({ tab: z.string(), col: z.string() })),
    database.prepare(sql).all(),
  );
  database.close();
  return rows.map(({ tab, col }) => [tab, col]);
}

/** A file stands where a folder should be. */
function rmThenWrite(folder: string): void {
  rmSync(folder, { recursive: true });
  writeFileSync(folder, 'a file');
}

it('a run waits for another that buys its answer as long as --timeout and --max-wait say', async () => {
  const { service, pdi, asked, release } = await keeping(slowAtFirst(({ path }) => profile(path)));
  const first = pdi('person per_1');
  await asked;
  // Its pauses take no time here; other timers do.
  const { setTimeout: later } = globalThis;
  let waited = 0;
  vi.stubGlobal('setTimeout', (work: () => void, ms = 0) => {
    if (ms > 250) return later(work, ms);
    waited += ms;
    if (waited > 80_000) release();
    return setImmediate(work);
  });
  const second = await pdi('person per_1');
  vi.unstubAllGlobals();
  release();
  expect([second.code, (await first).code, service.requests.length]).toEqual([0, 0, 1]);
});

it('a run waits for another that buys its answer no longer than --timeout and --max-wait: then its row is failed, and not billed', async () => {
  const { service, pdi, asked, release } = await keeping(slowAtFirst(({ path }) => profile(path)));
  const first = pdi('person per_1');
  await asked;
  const second = await pdi('person per_1 --timeout 0.2 --max-wait 0.1');
  const message = expect.stringContaining('another run of pdi is buying it');
  expect([second.code, errorOf(second)]).toMatchObject([
    5,
    { billed: 'no', retryable: true, message },
  ]);
  release();
  expect((await first).code).toBe(0);
  expect(service.requests).toHaveLength(1);
});
