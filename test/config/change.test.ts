import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { setValue, unsetValue } from '../../src/config/change.ts';
import { readConfig } from '../../src/config/read-config.ts';
import { sqliteEngine } from '../../src/files/sqlite.ts';
import { it } from '../support/it.ts';
import { needsRoot } from '../support/needs.ts';
import { newFolder } from '../support/run.ts';
import { modeOf, readJson, writeConfigFile } from './folder.ts';

const key = 'invented-key-0001';

describe('the file', () => {
  it('is closed on every write, also when it was open', async ({ folder: directory }) => {
    chmodSync(directory, 0o755);
    const file = writeConfigFile(directory, {}, 0o644);
    chmodSync(file, 0o644);
    await setValue({ directory, profile: 'default', name: 'output', text: 'csv' });
    expect([modeOf(directory), modeOf(file)]).toEqual([0o700, 0o600]);
  });

  it('takes rights from a folder, and gives none', async ({ folder: directory }) => {
    chmodSync(directory, 0o555);
    // Modes mean nothing to root, whose write goes through.
    await setValue({ directory, profile: 'default', name: 'output', text: 'csv' }).catch(() => {});
    expect(modeOf(directory)).toBe(0o500);
  });

  it('is closed where conf writes in place, inside a snap package', async ({
    folder: directory,
  }) => {
    vi.stubEnv('SNAP', '/snap');
    onTestFinished(() => void vi.unstubAllEnvs());
    const file = writeConfigFile(directory, {});
    chmodSync(file, 0o644);
    await setValue({ directory, profile: 'default', name: 'output', text: 'csv' });
    expect(modeOf(file)).toBe(0o600);
  });

  it(
    'that root put into a folder of the user is replaced by one of the user',
    needsRoot,
    async () => {
      const directory = join(newFolder(), 'pdi');
      mkdirSync(directory);
      chmodSync(writeConfigFile(directory, { profiles: { default: { timeout: 5 } } }), 0o644);
      await Promise.all([import('conf'), sqliteEngine()]);
      chmodSync(dirname(directory), 0o711);
      chownSync(directory, 65_534, 65_534);
      process.seteuid?.(65_534);
      onTestFinished(() => process.seteuid?.(0));
      await setValue({ directory, profile: 'default', name: 'output', text: 'csv' });
      expect(readConfig(directory).profiles.get('default')?.values).toEqual({
        timeout: 5,
        output: 'csv',
      });
    },
  );

  it('a folder that everybody shares stays open', async ({ folder: directory }) => {
    chmodSync(directory, 0o1777);
    await setValue({ directory, profile: 'default', name: 'output', text: 'csv' });
    expect([modeOf(directory), modeOf(join(directory, 'config.json'))]).toEqual([0o777, 0o600]);
  });

  it('keeps what this version does not know', async ({ folder: directory }) => {
    const file = writeConfigFile(
      directory,
      '{"version":3,"__proto__":{"x":1},"profiles":{"work":{"theme":["dark"],"timeout":1},"__proto__":{"timeout":9}}}',
    );
    await setValue({ directory, profile: 'work', name: 'timeout', text: '2' });
    const text = readFileSync(file, 'utf8').replace(/\s/g, '');
    expect(text).toBe(
      '{"version":3,"__proto__":{"x":1},"profiles":{"__proto__":{"timeout":9},"work":{"theme":["dark"],"timeout":2}}}',
    );
  });

  it('leaves nothing of a write that was killed, in which a forgotten key may stand', async ({
    folder,
  }) => {
    const real = newFolder();
    const [left, own] = [
      join(real, 'mine.json.tmp-7958054045119f5a'),
      join(real, 'mine.json.tmp-of-mine'),
    ];
    for (const path of [left, own, join(real, 'mine.json')])
      writeFileSync(path, JSON.stringify({ profiles: { default: { 'api-key': key } } }));
    symlinkSync(join(real, 'mine.json'), join(folder, 'config.json'));
    expect(await unsetValue({ directory: folder, profile: 'default', name: 'api-key' })).toBe(true);
    expect([left, own].map((path) => existsSync(path))).toEqual([false, true]);
  });

  it('is written through a link to where it really is', async () => {
    const [directory, elsewhere] = [newFolder(), newFolder()];
    const real = writeConfigFile(elsewhere, {});
    symlinkSync(real, join(directory, 'config.json'));
    await setValue({ directory, profile: 'default', name: 'output', text: 'csv' });
    expect(readJson(real)).toEqual({ profiles: { default: { output: 'csv' } } });
  });

  it('that cannot be written is a failure of one line', async () => {
    const file = writeConfigFile(newFolder(), {});
    await expect(
      setValue({ directory: join(file, 'pdi'), profile: 'default', name: 'output', text: 'csv' }),
    ).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringMatching(
        /^cannot write .*config\.json: a part of the path is not a folder$/,
      ),
    });
  });
});
