/** Tests that say in their parameters what they need: the service and the program that asks it are there before they begin. */
import { test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { newFolder } from './run.ts';
import { type Served, sandbox } from './service.ts';

/** Tests each of which has a service of its own, made so; one that names nothing of it has none. */
export const itWith = <S extends { readonly baseUrl: string }>(serve: () => Promise<Served<S>>) =>
  test.extend<Served<S> & { readonly served: Served<S> }>({
    served: async ({ task: _task }, use) => use(await serve()),
    service: async ({ served }, use) => use(served.service),
    pdi: async ({ served }, use) => use(served.pdi),
    home: async ({ served }, use) => use(served.home),
  });

/** Tests with a sandbox, and a new folder. */
export const it = itWith<Sandbox>(() => sandbox()).extend<{ readonly folder: string }>({
  folder: async ({ task: _task }, use) => use(newFolder()),
});
