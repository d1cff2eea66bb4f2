import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { setValue } from '../../src/config/change.ts';
import {
  configFile,
  fileFailure,
  readConfig,
  selectProfile,
} from '../../src/config/read-config.ts';
import { maxDepth } from '../../src/json/exact.ts';
import { it } from '../support/it.ts';
import { needsRoot } from '../support/needs.ts';
import { newFolder } from '../support/run.ts';
import { writeConfigFile } from './folder.ts';

describe('readConfig', () => {
  it('profiles by name, also with a byte order mark', async ({ folder }) => {
    writeConfigFile(
      folder,
      `\uFEFF${JSON.stringify({ profiles: { work: { timeout: 5, future: { deep: true } } } })}`,
    );
    expect(readConfig(folder).profiles.get('work')?.values).toEqual({ timeout: 5 });
  });

  it('names that objects know are just names', async ({ folder }) => {
    writeConfigFile(folder, '{"profiles":{"__proto__":{"timeout":1},"constructor":{"timeout":2}}}');
    const timeouts = [...readConfig(folder).profiles].map(
      ([name, { values }]) => `${name} ${values.timeout}`,
    );
    expect(timeouts).toEqual(['__proto__ 1', 'constructor 2']);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('a long number keeps its digits, as the key of a profile and in what this version does not know', async ({
    folder,
  }) => {
    const file = writeConfigFile(
      folder,
      '{"future":0.12345678901234567890,"profiles":{"work":{"api-key":12345678901234567890}}}',
    );
    expect(readConfig(folder).profiles.get('work')?.values).toEqual({
      'api-key': '12345678901234567890',
    });
    await setValue({ directory: folder, profile: 'work', name: 'timeout', text: '5' });
    const written = readFileSync(file, 'utf8');
    expect(written).toContain('"future": 0.12345678901234567890');
    expect(written).toContain('"api-key": 12345678901234567890');
  });

  it.each([
    ['ENOSPC', 'free some space', true],
    ['EDQUOT', 'free some space', true],
    ['EACCES', 'check that the path is right and that you have permission', false],
  ])('a full disk wants space, any other failure the right path: %s', (code, hint, retryable) => {
    const { details } = fileFailure(
      'write',
      'config.json',
      Object.assign(new Error(code), { code }),
    );
    expect(details).toMatchObject({ hint, retryable });
  });

  it('a named pipe, which may never send anything, is not read', ({ folder }) => {
    execFileSync('mkfifo', [join(folder, 'config.json')]);
    expect(() => readConfig(folder)).toThrow(
      /cannot read .*config\.json: it is not a regular file/,
    );
  });

  it.for<readonly [string, string]>([
    ['{"profiles": {', 'line 1, column 15: not valid JSON'],
    ['{\n  "profiles": {\n    "a": invented-key\n', 'line 3, column 10: not valid JSON'],
    ['', 'line 1, column 1: not valid JSON'],
    ['[]', 'expected a JSON object'],
    ['"text"', 'expected a JSON object'],
    ['{"profiles": []}', 'profiles must be an object'],
    ['{"profiles": {"a": 5}}', 'profiles.a must be an object'],
    ['{"profiles": {"a": {"timeout": true}}}', 'profiles.a.timeout must be a text or a number'],
    [
      '{"profiles": {"a": {"api-key-for": ["x"]}}}',
      'profiles.a.api-key-for must be a text or a number',
    ],
    [
      `{"profiles": {"a": {"later": ${'['.repeat(1000)}${']'.repeat(1000)}}}}`,
      `nested deeper than ${maxDepth} levels`,
    ],
  ])(
    'a broken file %j is named, not quoted, and survives a write',
    async ([content, problem], { folder }) => {
      const file = writeConfigFile(folder, content, 0o644);
      const expected = expect.objectContaining({
        code: 'usage',
        message: `${file}: ${problem}; nothing was changed`,
      });
      expect(() => readConfig(folder)).toThrow(expected);
      await expect(
        setValue({ directory: folder, profile: 'a', name: 'timeout', text: '5' }),
      ).rejects.toEqual(expected);
      expect(readFileSync(file, 'utf8')).toBe(content);
    },
  );

  const linkIntoOpenFolder = (_folder: string, file: string) => {
    const open = newFolder();
    renameSync(file, join(open, 'kept.json'));
    symlinkSync(join(open, 'kept.json'), file);
    chmodSync(open, 0o777);
  };

  const planted =
    '{"profiles":{"default":{"key-command":"sh -c theirs","base-url":"https://theirs.example/api/v1"}}}';

  it.for<readonly [who: string, change: (folder: string, file: string) => void]>([
    ['its group can write', (_folder, file) => chmodSync(file, 0o620)],
    ['everybody can write', (_folder, file) => chmodSync(file, 0o602)],
    ['the folder of which its group can write', (folder) => chmodSync(folder, 0o770)],
    ['the folder of which everybody can write', (folder) => chmodSync(folder, 0o703)],
    ['is a link into a folder that everybody can write', linkIntoOpenFolder],
  ])(
    'a file that %s is refused by name, also for a change, and left as it is',
    async ([_who, change], { folder }) => {
      const file = writeConfigFile(folder, planted, 0o600);
      change(folder, file);
      const message = expect.stringMatching(/^\S+ is not used: \S+ can be written by others/);
      const refusal = expect.objectContaining({ code: 'usage', message });
      expect(() => readConfig(folder)).toThrow(refusal);
      await expect(
        setValue({ directory: folder, profile: 'default', name: 'timeout', text: '5' }),
      ).rejects.toEqual(refusal);
      expect(readFileSync(file, 'utf8')).toBe(planted);
    },
  );

  it('the command that closes a file to others holds for a folder with a blank, too', () => {
    const folder = join(newFolder(), 'of Ada');
    mkdirSync(folder, { mode: 0o700 });
    const file = writeConfigFile(folder, planted, 0o600);
    chmodSync(file, 0o606);
    const hint = `read what the file says, then \`chmod go-w '${file}'\``;
    expect(() => readConfig(folder)).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ hint }) }),
    );
  });

  it.each([
    ['file', (folder: string) => configFile(folder)],
    ['folder', (folder: string) => folder],
  ] as const)('a %s of another user is refused by name', needsRoot, (_what, pathIn) => {
    const folder = newFolder();
    writeConfigFile(folder, planted, 0o600);
    const path = pathIn(folder);
    chownSync(path, 65_534, 65_534);
    const message = expect.stringContaining(` ${path} belongs to another user`);
    expect(() => readConfig(folder)).toThrow(expect.objectContaining({ code: 'usage', message }));
  });

  it('a file of one’s own that others may read, or in a shared folder with the sticky bit, is obeyed', async ({
    folder,
  }) => {
    writeConfigFile(folder, planted, 0o644);
    chmodSync(folder, 0o1777);
    expect(readConfig(folder).profiles.size).toBe(1);
  });

  it('an unreadable file is not an empty one', async ({ folder }) => {
    mkdirSync(join(folder, 'config.json'));
    const message = expect.stringContaining(': it is a folder');
    expect(() => readConfig(folder)).toThrow(
      expect.objectContaining({ code: 'internal', message }),
    );
  });
});

describe('selectProfile', () => {
  const folderWith = (profiles: unknown) => {
    const folder = newFolder();
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ profiles }));
    return readConfig(folder);
  };

  it.each(['default', 'flag', 'environment'] as const)('default need not exist (%s)', (source) => {
    expect(selectProfile(folderWith({}), { value: 'default', source, where: '' }).values).toEqual(
      {},
    );
  });

  it.each(['wrk', 'toString', '__proto__'])(
    'an unknown one, %s, is a mistake that lists the others',
    (value) => {
      const config = folderWith({ work: {}, home: {} });
      const details = expect.objectContaining({ hint: expect.stringContaining('work, home') });
      const refusal = expect.objectContaining({
        code: 'usage',
        message: expect.stringMatching(/^PDI_PROFILE: /),
        details,
      });
      expect(() =>
        selectProfile(config, { value, source: 'environment', where: 'PDI_PROFILE' }),
      ).toThrow(refusal);
    },
  );
});
