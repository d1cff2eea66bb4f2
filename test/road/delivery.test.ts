/** An output that is opened and never written to: commands that end before they have an answer. And who may read one that is. */
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { needsPosix } from '../support/needs.ts';
import { profile } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { linesFile, newFile, origin } from '../support/service.ts';

const unavailable = { status: 503, json: { errorCode: 'UNAVAILABLE', message: 'no' } };

it.each([
  ['a service that is down', ['health', '--retries', '0'], {}, 5],
  ['a service that is down, waited for', ['health', '--wait', '0.1'], {}, 5],
  [
    'a setting that is none',
    ['person', '-i', linesFile(['per_a1']), '-o', 'csv'],
    { PDI_CONCURRENCY: 'x' },
    2,
  ],
  ['a run without a base URL', ['feed'], { PDI_BASE_URL: '' }, 2],
])('%s leaves no temporary file behind', async (_words, argv, env, code) => {
  const { pdi } = await origin(() => unavailable);
  const folder = newFolder();
  const result = await pdi([...argv, '--out', join(folder, 'out')], { env });
  expect([result.code, result.stdout, readdirSync(folder)]).toEqual([code, '', []]);
});

describe('the permissions of FILE', needsPosix, () => {
  /** Writes FILE under this mask of the system, over one with `mode` where given; its permissions then. */
  async function modeAfter(mask: string, mode?: string): Promise<string> {
    const { pdi } = await origin(({ path }) => profile(path));
    const out = newFile();
    if (mode !== undefined) {
      writeFileSync(out, 'old');
      chmodSync(out, mode);
    }
    const before = process.umask(mask);
    try {
      const result = await pdi(`person per_1 -o csv --force --out ${out}`);
      expect([result.code, readFileSync(out, 'utf8').includes('per_1')]).toEqual([0, true]);
    } finally {
      process.umask(before);
    }
    return (statSync(out).mode & 0o777).toString(8);
  }

  it.each(['664', '666', '640', '600', '444'])(
    'stay those of the file that it replaces, whatever the mask: %s',
    async (mode) => {
      expect(await modeAfter('022', mode)).toBe(mode);
      expect(await modeAfter('077', mode)).toBe(mode);
    },
  );

  it.each([
    ['022', '644'],
    ['002', '664'],
    ['077', '600'],
  ])('are those of any new file where there was none: mask %s gives %s', async (mask, mode) => {
    expect(await modeAfter(mask)).toBe(mode);
  });
});
