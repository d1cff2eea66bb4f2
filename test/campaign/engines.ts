/** The engines of the book, each as a campaign has it: where its book lies, what happens to it meanwhile, and what it says. */
import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { Cluster, madeBook, needsPostgres, passage } from '../support/postgres.ts';
import { sampled } from './effort.ts';

export interface Ground {
  /** Of every process that has this book. */
  readonly env: Readonly<Record<string, string>>;
  /** Something happens to the book; resolves when it is over. */
  trouble(draw: () => number): Promise<void>;
  /** All processes that asked this service are over: time passes until everybody knows. */
  pass(baseUrl: string): Promise<void>;
}

const quiet = async () => {};

/** A server of this test, behind a way that can be cut. */
async function server(): Promise<Ground> {
  const cluster = await Cluster.start();
  onTestFinished(() => cluster.stop());
  await (await madeBook(cluster)).sql.end();
  const way = await passage(cluster.port);
  const restart = (how: 'SIGQUIT' | 'SIGINT') => () => cluster.stop(how).then(() => cluster.go());
  const silence = async (ms: number) => {
    way.hush(true);
    await setTimeout(ms);
    way.hush(false);
  };
  const troubles: readonly ((ms: number) => Promise<void>)[] = [
    quiet,
    restart('SIGQUIT'),
    restart('SIGINT'),
    async () => way.cut(),
    silence,
  ];
  return {
    env: { PDI_BOOK: `postgres://postgres@127.0.0.1:${way.port}/postgres` },
    async trouble(draw) {
      await setTimeout(300 + draw() * 900);
      await troubles[Math.floor(draw() * troubles.length)]?.(draw() * 3000);
    },
    pass: async (baseUrl) =>
      void cluster.sql(`UPDATE pdi.run SET until = 0 FROM pdi.owner
        WHERE owner.id = run.owner AND base_url = '${baseUrl}';
        UPDATE pdi.holder SET until = 0 WHERE '${baseUrl}' LIKE '%:' || bookmark || '/%'`),
  };
}

const all = [
  {
    name: 'SQLite',
    needs: {},
    ground: async (): Promise<Ground> => ({ env: {}, trouble: quiet, pass: quiet }),
  },
  { name: 'PostgreSQL', needs: needsPostgres, ground: server },
];

/** One of them in the short form, another with each seed. */
export const engines = sampled(all, all.length);
