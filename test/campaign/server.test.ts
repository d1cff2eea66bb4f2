/** The book on a server that is silent, or behind a pooler: a process ends all the same, and buys nothing twice. */
import { expect, it, onTestFinished } from 'vitest';
import { postgresAddress } from '../../src/book/postgres-address.ts';
import { PostgresConnection } from '../../src/book/postgres-connection.ts';
import { PostgresDatabase } from '../../src/book/postgres-database.ts';
import { PostgresRun } from '../../src/book/postgres-run.ts';
import { thisMachine } from '../../src/book/postgres-socket.ts';
import { bookOptions, settle, ticketOf } from '../book/places.ts';
import { Cluster, needsPooler, needsPostgres, passage, pooler } from '../support/postgres.ts';
import { personIds } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { amount } from './effort.ts';
import { eventually, jobOfPeople, pdi, sandboxPlace } from './process.ts';

async function book() {
  const cluster = await Cluster.start();
  onTestFinished(() => cluster.stop());
  const at = (port: number) => ({ PDI_BOOK: `postgres://postgres@127.0.0.1:${port}/postgres` });
  return { cluster, at };
}

it('a process whose book is silent is ended by SIGTERM', needsPostgres, async () => {
  const { cluster, at } = await book();
  const way = await passage(cluster.port);
  const { place, billed } = await sandboxPlace({ latency: 50 }, at(way.port));
  const running = pdi(jobOfPeople(personIds(60)), place);
  await eventually(() => billed().length > 8 || undefined);
  way.hush(true);
  running.child.kill('SIGTERM');
  const { code, stderr } = await running.ended;
  expect([code, stderr]).toEqual([143, expect.stringContaining('run the same command again')]);
});

it('a run whose book is silent ends with its work', needsPostgres, async () => {
  const { cluster } = await book();
  const way = await passage(cluster.port);
  const url = cluster.url().replace(`${cluster.port}`, `${way.port}`);
  const options = { maxWaitMs: 60_000, notice: () => {}, answerMs: 600_000 };
  const address = postgresAddress(url, {}, thisMachine('linux', undefined));
  const database = new PostgresDatabase(new PostgresConnection(address, options), url);
  const run = new PostgresRun(database, bookOptions());
  const call = { key: 'k', operation: 'o', item: 'i', billing: 'charged', maxAge: 0 } as const;
  await settle(run, ticketOf(await run.take(call)));
  way.hush(true);
  await run.close();
  await database.close();
  expect(cluster.sql('SELECT outcome FROM pdi.call')).toBe('billed');
});

it('three jobs behind a pooler of three connections buy nothing twice', needsPooler, async () => {
  const { cluster, at } = await book();
  const { place, billed } = await sandboxPlace({}, at(await pooler(cluster, ['postgres'])));
  const ids = personIds(amount(30, 200));
  const jobs = [0, 10, 20].map((from) => {
    const mine = [...ids.slice(from), ...ids.slice(0, from)];
    return pdi(jobOfPeople(mine), { ...place, home: newFolder() }).ended;
  });
  for (const { code, stderr } of await Promise.all(jobs)) expect(code, stderr).toBe(0);
  expect(billed().sort()).toEqual(ids.toSorted());
});
