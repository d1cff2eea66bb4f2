/** The book on PostgreSQL under the commands: what they say and buy with a file, they say and buy with it, and what only a server can be. */
import { once } from 'node:events';
import { hostname, userInfo } from 'node:os';
import { beforeAll, describe, expect, it } from 'vitest';
import { long, seed } from '../campaign/effort.ts';
import { later } from '../support/later.ts';
import { mcpSession } from '../support/mcp.ts';
import {
  bookOnServer,
  filledBy,
  needsPostgres,
  passage,
  rowsOf,
  variablesIn,
} from '../support/postgres.ts';
import { dated, feedPage, idIn, personIds, profile } from '../support/records.ts';
import { newFolder, signalling } from '../support/run.ts';
import {
  arrayOf,
  billedBy,
  keeping,
  linesFile,
  newFile,
  origin,
  sandbox,
  slowAtFirst,
  statusesIn,
} from '../support/service.ts';
import { play } from '../support/transcript.ts';
import { against, budget, deliver, spend, store, versions } from './sessions.ts';

describe('on a server', needsPostgres, () => {
  const book = bookOnServer({ rules: 'host all pass all scram-sha-256' });
  const { env } = book;
  beforeAll(async () => {
    const roles = ['ana', "pass PASSWORD 'right'", 'maker', 'full_up CONNECTION LIMIT 0', 'reader'];
    await book.sql.unsafe(`${roles.map((role) => `CREATE ROLE ${role} LOGIN;`).join('')}
      ALTER ROLE reader SUPERUSER; ALTER ROLE reader SET default_transaction_read_only = on`);
    for (const name of ['empty', 'newer']) await book.sql.unsafe(`CREATE DATABASE ${name}`);
    book.cluster.sql('CREATE SCHEMA pdi; CREATE TABLE pdi.version AS SELECT 9 AS number', 'newer');
  });
  const job = (ids: readonly string[], ...more: readonly string[]) => [
    ...['person', '-i', linesFile(ids), '-o', 'csv', '--fields', 'person_id', ...more],
  ];
  const isAboutFiles = (session: string) => /book\.db|PDI_BOOK|XDG_STATE/.test(session);
  const fits = (session: string, at: number) =>
    !isAboutFiles(session) && (long || (at + seed) % 8 === 0);
  for (const told of [spend, store(env), budget, deliver]) play(...told, { env, fits });
  for (const told of [against, versions]) play(...told, { env, fits: () => true });

  const ok = (count: number) => Array(count).fill('ok');

  it('three machines of 40 ids, 20 of them in common, buy 80, and a task again elsewhere none', async () => {
    const { service, pdi } = await keeping(sandbox(), env());
    const common = personIds(20);
    const lists = [21, 41, 61].map((from) => [...common, ...personIds(20, from)]);
    const runs = lists.map((ids) => pdi(job(ids), { home: newFolder() }));
    expect((await Promise.all(runs)).map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(billedBy(service)).toEqual(personIds(80).sort());
    expect((await pdi(job(personIds(80)), { home: newFolder() })).code).toBe(0);
    expect(service.bill()).toHaveLength(80);
    expect(arrayOf(await pdi('spend --by user,host'))).toMatchObject([{ billed: 80 }]);
  });

  it('a budget is exact over two machines', async () => {
    const { service, pdi } = await sandbox();
    const options = () => ({ home: newFolder(), env: { ...env(), PDI_BUDGET: '15/month' } });
    const halves = [personIds(20), personIds(20, 21)].map((ids) => pdi(job(ids), options()));
    expect((await Promise.all(halves)).map(({ code }) => code)).toEqual([7, 7]);
    expect(service.bill()).toHaveLength(15);
  });

  it('an agent finds what an analyst bought', async () => {
    const { service, pdi } = await keeping(sandbox(), env());
    await pdi('person per_sample1');
    const kept = { ...env(), PDI_MAX_AGE: '12h' };
    const { call } = await mcpSession(service, { env: kept, person: () => 'accept' });
    const { value } = await call('person', { personId: 'per_sample1' });
    expect(value).toMatchObject({ source: 'book' });
    await call('person', { personId: 'per_sample2' });
    expect(billedBy(service)).toEqual(['per_sample1', 'per_sample2']);
  });

  it('a bookmark is of one run at a time, on whatever machine', async () => {
    const slow = await slowAtFirst(({ path }) => ({ json: feedPage(path, dated(0, 3)) }));
    const feed = ['feed', '--since-last', 'daily', '--after', '0001-01-01', '-o', 'ndjson'];
    const elsewhere = () => slow.pdi(feed, { home: newFolder(), env: env() });
    const first = elsewhere();
    await slow.asked;
    const second = await elsewhere();
    expect([second.code, second.stderr]).toEqual([2, expect.stringContaining('daily')]);
    slow.release();
    expect((await first).stdout.split('\n')).toHaveLength(4);
    expect(await elsewhere()).toMatchObject({ code: 0, stdout: '' });
  });

  it('pdi book tells of it and who is at work, pdi config check that it can be written', async () => {
    const slow = await keeping(
      slowAtFirst(({ path }) => profile(path)),
      env(),
    );
    const running = slow.pdi('person per_1');
    await slow.asked;
    const worker = `process ${process.pid} of ${userInfo().username} on ${hostname()}, since 20`;
    expect(arrayOf(await slow.pdi('book'))).toEqual([
      {
        book: env().PDI_BOOK,
        version: 1,
        bytes: expect.any(Number),
        at_work: [expect.stringContaining(worker)],
      },
    ]);
    slow.release();
    await running;
    expect(arrayOf(await slow.pdi('book'))).toMatchObject([{ at_work: [] }]);
    const checks = arrayOf(await slow.pdi('config check'));
    const detail = expect.stringMatching(/PostgreSQL.*can be written/);
    expect(checks).toContainEqual({ check: 'book', status: 'ok', detail });
  });

  it('the two rights that its makers grant are enough for all of it', async () => {
    const ana = { PDI_BOOK: book.cluster.url('ana') };
    const { pdi, service } = await keeping(sandbox(), ana);
    const refused = await pdi('person per_sample1');
    const grants = /runs `(GRANT USAGE[^`]+)`/.exec(refused.stderr)?.[1] ?? '';
    expect([refused.code, service.bill()]).toEqual([3, []]);
    await book.sql.unsafe(grants.replaceAll(', INSERT, UPDATE, DELETE', ''));
    expect((await pdi('config check')).stdout).toContain('CANNOT');
    await book.sql.unsafe(grants);
    for (const line of [
      'person per_sample1',
      'feed --since-last',
      'store',
      'book',
      'store forget per_sample1',
      'store purge --all --yes',
      'bookmarks reset default --yes',
    ])
      expect(await pdi(line), line).toMatchObject({ code: 0 });
  });

  it.each(
    rowsOf(`
      away before the first row | postgres@127.0.0.1:1/postgres                  | 5 | connection refused.*nothing more was sent
      a wrong password          | PGPASSWORD=wr0ng pass@{tcp}/postgres           | 3 | password authentication failed
      no such database          | postgres@{tcp}/none                            | 2 | does not exist.*createdb none
      no right to make it       | maker@{tcp}/empty                              | 3 | GRANT CREATE ON DATABASE empty TO maker
      it only reads             | reader@{tcp}/postgres                          | 5 | only reads.*name the server that writes
      no connection left        | full_up@{tcp}/postgres                         | 5 | takes no more connections \\(too many.*nothing more was sent
      it is newer               | postgres@{tcp}/newer                           | 1 | written by a newer pdi: version 9
    `),
  )('%s: nothing is sent', async (_name, place = '', exit, words = '') => {
    const filled = filledBy({ tcp: `127.0.0.1:${book.cluster.port}` })(place);
    const [url = '', ...variables] = filled.split(' ').reverse();
    const { service, pdi } = await sandbox();
    const settings = { PDI_BOOK: `postgres://${url}`, ...variablesIn(variables.join(' ')) };
    for (const argv of [
      ['person', 'per_sample1'],
      job(personIds(3), '--out', newFile('out.csv')),
    ]) {
      const { code, stderr } = await pdi([...argv, '--max-wait', '0'], { env: settings });
      expect([`${code}`, stderr]).toEqual([exit, expect.stringMatching(words)]);
    }
    expect(service.bill()).toEqual([]);
  });

  it('away for less than the patience, or started anew: no job sees it, and nothing is bought twice', async () => {
    const way = await passage(book.cluster.port);
    const served = await origin(async ({ path }, _response, count) => {
      if (count === 4) way.cut();
      if (count === 8) {
        way.hush(true);
        void later(20).then(() => way.hush(false));
      }
      if (count === 12) void book.cluster.stop().then(() => book.cluster.go());
      return profile(path);
    });
    const PDI_BOOK = `postgres://postgres@127.0.0.1:${way.port}/postgres`;
    const out = newFile('out.csv');
    const { code, stderr } = await served.pdi(job(personIds(24), '--out', out), {
      env: { PDI_BOOK },
    });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('cannot')]);
    expect(served.service.requests.map(({ path }) => idIn(path)).sort()).toEqual(
      personIds(24).sort(),
    );
    expect(arrayOf(await served.pdi('spend', { env: env() }))).toMatchObject([
      { billed: 24, lost: 0 },
    ]);
  });

  it('away for good: the job ends at once, what was under way is kept, and the same command goes on', async () => {
    const way = await passage(book.cluster.port);
    const served = await origin(({ path }, _response, count) => {
      if (count === 4) way.close();
      return profile(path);
    });
    const PDI_BOOK = `postgres://postgres@127.0.0.1:${way.port}/postgres`;
    const out = newFile('out.csv');
    const argv = job(personIds(12), '--out', out, '--concurrency', '2', '--max-wait', '0');
    const first = await served.pdi(argv, { env: { PDI_BOOK } });
    expect([first.code, first.stderr]).toEqual([
      5,
      expect.stringContaining('nothing more was sent'),
    ]);
    const { length } = served.service.requests;
    expect(length).toBeLessThan(8);
    expect(statusesIn(out)).toEqual([...ok(length), ...Array(12 - length).fill('skipped')]);
    await way.open();
    expect(await served.pdi(argv, { env: { PDI_BOOK } })).toMatchObject({ code: 0 });
    expect([statusesIn(out), served.service.requests.length]).toEqual([ok(12), 12]);
    expect(arrayOf(await served.pdi('spend', { env: env() }))).toMatchObject([{ billed: 12 }]);
  });

  it('a stop while it is asked for a call leaves nothing in doubt that was not sent', async () => {
    const way = await passage(book.cluster.port);
    const { pdi, service } = await origin(({ path }) => profile(path));
    const { send, withSignal } = signalling();
    let takes = 0;
    way.events.on('sent', (text: string) => {
      if (!text.includes('pdi.take(')) return;
      takes += 1;
      if (takes !== 2) return;
      way.hush(true);
      send('SIGINT');
      void later(20).then(() => way.hush(false));
    });
    const PDI_BOOK = `postgres://postgres@127.0.0.1:${way.port}/postgres`;
    const { code } = await pdi(job(personIds(24)), { env: { PDI_BOOK }, withSignal });
    const billed = service.requests.length;
    expect([code, billed]).toEqual([130, expect.any(Number)]);
    expect(arrayOf(await pdi('spend', { env: env() }))).toMatchObject([{ billed, lost: 0 }]);
  });

  it("the service's limit that one machine has met holds up the others", async () => {
    const way = await passage(book.cluster.port);
    const asked = new Map<string, number>();
    const { pdi } = await origin(({ path }, _response, count) => {
      asked.set(`${idIn(path)} ${count}`, performance.now());
      return count === 1 ? { status: 429, headers: { 'X-RateLimit-Reset': '1' } } : profile(path);
    });
    const told = once(way.events, 'given back');
    way.events.on('sent', (text: string) => {
      if (text.includes('pdi.give_back(')) way.events.emit('given back');
    });
    const through = `postgres://postgres@127.0.0.1:${way.port}/postgres`;
    const first = pdi('person per_1', { env: { PDI_BOOK: through } });
    await told;
    expect((await pdi('person per_2', { env: env(), home: newFolder() })).code).toBe(0);
    expect((await first).code).toBe(0);
    const at = (start: string) => [...asked].find(([name]) => name.startsWith(start))?.[1] ?? 0;
    expect(at('per_2') - at('per_1 1')).toBeGreaterThan(900);
  });
});
