import { chmodSync, chownSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
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

  it('is closed where conf writes in place, inside a snap package', async ({ folder: directory }) => {
    vi.stubEnv('SNAP', '/snap');
    onTestFinished(() => void vi.unstubAllEnvs());
    const file = writeConfigFile(directory, {});
    chmodSync(file, 0o644);
    await setValue({ directory, profile: 'default', name: 'output', text: 'csv' });
    expect(modeOf(file)).toBe(0o600);
  });

  it('that root put into a folder of the user is replaced by one of the user', needsRoot, async () => {
    const directory = newFolder();
    chmodSync(writeConfigFile(directory, { profiles: { default: { timeout: 5 } } }), 0o644);
    await Promise.all([import('conf'), sqliteEngine()]);
    chmodSync(dirname(directory), 0o711);
    chownSync(directory, 65_534, 65_534);
    process.seteuid?.(65_534);
    onTestFinished(() => process.seteuid?.(0));
    await setValue({ directory, profile: 'default', name: 'output', text: 'csv' });
    expect(readConfig(directory).profiles.get('default')?.values).toEqual({ timeout: 5, output: 'csv' });
  });

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
    expect(text).toBe('{"version":3,"__proto__":{"x":1},"profiles":{"__proto__":{"timeout":9},"work":{"theme":["dark"],"timeout":2}}}');
  });

  it('leaves nothing of a write that was killed, in which a forgotten key may stand', async ({ folder }) => {
    const real = newFolder();
    const [left, own] = [join(real, 'mine.json.tmp-7958054045119f5a'), join(real, 'mine.json.tmp-of-mine')];
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
    await expect(setValue({ directory: join(file, 'pdi'), profile: 'default', name: 'output', text: 'csv' })).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringMatching(/^cannot write .*config\.json: a part of the path is not a folder$/),
    });
  });
});

describe('values', () => {
  it.each([
    ['p', 'concurrency', '0', /^concurrency: expected a whole number/],
    ['p', 'api-key', 'a\nb', /^api-key: /],
    ['p', 'output', 'xml', /table, json, ndjson, csv/],
    ['p', 'base-url', 'https://user:secret@api.example/api/v1', /^base-url: expected a base URL without a user name(?!.*secret)/],
    ['p', 'retries', '3', /^there is no setting "retries"/],
    ['p', 'api-key-for', 'https://b.example', /^there is no setting/],
    ['p', '__proto__', 'x', /^there is no setting/],
    ['a/b', 'output', 'csv', /profile name/],
    ['__proto__', 'output', 'csv', /profile name/],
  ])('profile %s, %s = %j is refused and writes nothing', async (profile, name, text, message) => {
    const directory = join(newFolder(), 'pdi');
    await expect(setValue({ directory, profile, name, text })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(message),
    });
    expect(existsSync(directory)).toBe(false);
  });

  it('unset removes the value, and the profile with its last one', async ({ folder: directory }) => {
    const file = writeConfigFile(directory, { profiles: { a: { timeout: 1, output: 'csv' }, b: {} } });
    expect(await unsetValue({ directory, profile: 'a', name: 'timeout' })).toBe(true);
    expect(readJson(file)).toEqual({ profiles: { a: { output: 'csv' }, b: {} } });
    expect(await unsetValue({ directory, profile: 'a', name: 'output' })).toBe(true);
    expect(readJson(file)).toEqual({ profiles: { b: {} } });
  });

  it('unset of what is not there writes nothing', async ({ folder: directory }) => {
    const file = writeConfigFile(directory, '{}');
    for (const profile of ['a', 'toString']) expect(await unsetValue({ directory, profile, name: 'timeout' })).toBe(false);
    expect(readFileSync(file, 'utf8')).toBe('{}');
    await expect(unsetValue({ directory, profile: 'a', name: 'nonsense' })).rejects.toMatchObject({ code: 'usage' });
  });

  it('a profile may be called as members of objects are', async ({ folder: directory }) => {
    await setValue({ directory, profile: 'constructor', name: 'timeout', text: '5' });
    expect(readConfig(directory).profiles.get('constructor')?.values).toEqual({ timeout: 5 });
  });
});

describe('a stored key belongs to a base URL', () => {
  const [one, oneNext, other] = ['https://a.example/api/v1', 'https://a.example/api/v2', 'https://b.example/api/v1'];
  const urls: Readonly<Record<string, string>> = { one, oneNext, other, oneInPlain: 'http://a.example/api/v1' };

  /** Stores a base URL or a key for each word in a new folder; returns the profile's values and the last notes. */
  async function afterSteps(words: string, baseUrl?: string) {
    const directory = newFolder();
    let notes: readonly string[] = [];
    for (const word of words.split(' ')) {
      const [name, text] = word === 'key' ? ['api-key', key] : ['base-url', urls[word] ?? word];
      notes = await setValue({ directory, profile: 'work', name, text, baseUrl });
    }
    return { directory, notes, values: readConfig(directory).profiles.get('work')?.values };
  }

  it.each<[what: string, words: string, owner: string | undefined, note?: RegExp]>([
    ['URL, then key', 'one key', one],
    ['key, then URL: bound by the URL', 'key one', one],
    ['key alone: bound to nothing', 'key', undefined, /not sent anywhere/],
    ['another path of the origin takes the key along', 'one key oneNext', oneNext, /now belongs to/],
    ['another origin does not', 'one key other', one, /stored for .*a\.example.* not sent to .*b\.example/],
    ['nor does http of the same host', 'one key oneInPlain', one, /not sent to/],
    ['nor does another port', 'one key https://a.example:8443/api/v1', one, /not sent to/],
    ['there and back', 'one key other one', one],
    ['a new key belongs to the new URL', 'one key other key', other],
  ])('%s', async (_, words, owner, note) => {
    const { values, notes } = await afterSteps(words);
    expect(values?.['api-key-for']).toBe(owner);
    expect(notes).toEqual(note === undefined ? [] : [expect.stringMatching(note)]);
    expect(notes.join()).not.toContain(key);
  });

  it('without a base URL of its own, the profile binds a key to the one in force, and else says that it does not', async ({
    folder: directory,
  }) => {
    expect((await afterSteps('key', one)).values?.['api-key-for']).toBe(one);
    const { values, notes } = await afterSteps('other key', one);
    expect(values?.['api-key-for']).toBe(other);
    expect(notes).toEqual([expect.stringMatching(/belongs to .*b\.example.* is not sent to .*a\.example/)]);
    await setValue({ directory, profile: 'work', name: 'key-command', text: 'tool', baseUrl: one });
    expect(readConfig(directory).profiles.get('work')?.values['key-command-for']).toBe(one);
  });

  it('a key written by hand beside a base URL stays with it when that changes or goes', async () => {
    for (const change of [
      (directory: string) => setValue({ directory, profile: 'work', name: 'base-url', text: other }),
      (directory: string) => unsetValue({ directory, profile: 'work', name: 'base-url' }),
    ]) {
      const directory = newFolder();
      writeConfigFile(directory, { profiles: { work: { 'base-url': `${one}/`, 'api-key': key } } });
      await change(directory);
      expect(readConfig(directory).profiles.get('work')?.values['api-key-for']).toBe(one);
    }
  });

  it('unset removes the binding with the key', async () => {
    const { directory } = await afterSteps('one key');
    await unsetValue({ directory, profile: 'work', name: 'api-key' });
    expect(readConfig(directory).profiles.get('work')?.values).toEqual({ 'base-url': one });
  });
});
