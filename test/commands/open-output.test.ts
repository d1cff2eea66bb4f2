/** An output that is opened and never written to: commands that end before they have an answer. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newFolder } from '../support/run.ts';
import { linesFile, origin, pdi as program } from '../support/service.ts';

const unavailable = { status: 503, json: { errorCode: 'UNAVAILABLE', message: 'no' } };

it.each([
  ['a service that is down', ['health', '--retries', '0'], {}, 5],
  ['a service that is down, waited for', ['health', '--wait', '0.1'], {}, 5],
  ['a setting that is none', ['person', '-i', linesFile(['per_a1']), '-o', 'csv'], { PDI_CONCURRENCY: 'x' }, 2],
])('%s leaves no temporary file behind', async (_words, argv, env, code) => {
  const { pdi } = await origin(() => unavailable);
  const folder = newFolder();
  const result = await pdi([...argv, '--out', join(folder, 'out')], { env });
  expect([result.code, result.stdout, readdirSync(folder)]).toEqual([code, '', []]);
});

it('nor does a run without a base URL', async () => {
  const folder = newFolder();
  const result = await program(['feed', '--out', join(folder, 'out')], { env: { PDI_API_KEY: 'k' } });
  expect([result.code, readdirSync(folder)]).toEqual([2, []]);
});
