import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveKey, unreadKeys } from '../../src/config/key.ts';
import { failureOf } from '../support/failure.ts';
import { needsPosix } from '../support/needs.ts';
import { newFolder } from '../support/run.ts';

type KeyRequest = Parameters<typeof resolveKey>[0];

const has = (words: string) => expect.stringContaining(words);

const baseUrl = 'https://a.example/api/v1';
const command = JSON.stringify([process.execPath, '-e', "console.log('key-of-command')"]);

function keyFile(content: string): string {
  const file = join(newFolder(), 'key');
  writeFileSync(file, content);
  return file;
}

function request(
  values: Readonly<Record<string, string | number>>,
  env: KeyRequest['env'] = {},
  profileFlag = false,
): KeyRequest {
  return {
    env,
    profileFlag,
    baseUrl,
    stop: new AbortController().signal,
    profile: { name: 'work', file: '/c/config.json', values },
  };
}

describe('precedence', () => {
  const stored = { 'base-url': baseUrl, 'api-key': 'key-of-profile' };
  const both = { ...stored, 'key-command': command };

  test.each<
    readonly [string, KeyRequest['profile']['values'], boolean, boolean, boolean, string, string]
  >([
    // name, profile, PDI_API_KEY set, PDI_API_KEY_FILE set, --profile given, key, source
    ['all set', both, true, true, false, 'key-of-variable', 'PDI_API_KEY'],
    ['no variable', both, false, true, false, 'key-of-file', 'PDI_API_KEY_FILE'],
    [
      'profile alone: command first',
      both,
      false,
      false,
      false,
      'key-of-command',
      'key-command of profile work',
    ],
    ['stored key alone', stored, false, false, false, 'key-of-profile', 'api-key of profile work'],
    [
      'explicit profile, all set',
      both,
      true,
      true,
      true,
      'key-of-command',
      'key-command of profile work',
    ],
    [
      'explicit profile, stored key',
      stored,
      true,
      true,
      true,
      'key-of-profile',
      'api-key of profile work',
    ],
    [
      'explicit profile without key',
      { 'base-url': baseUrl },
      true,
      true,
      true,
      'key-of-variable',
      'PDI_API_KEY',
    ],
    [
      'explicit profile without key, file',
      {},
      false,
      true,
      true,
      'key-of-file',
      'PDI_API_KEY_FILE',
    ],
  ])('%s', async (_, values, hasVariable, hasFile, profileFlag, key, source) => {
    const env = {
      PDI_API_KEY: hasVariable ? 'key-of-variable' : '',
      PDI_API_KEY_FILE: hasFile ? keyFile('key-of-file\n') : undefined,
    };
    expect(await resolveKey(request(values, env, profileFlag))).toEqual({ key, source });
  });

  test('no key anywhere names the ways to give one', async () => {
    await expect(resolveKey(request({}))).rejects.toMatchObject({
      code: 'auth',
      details: {
        billed: 'no',
        hint: expect.stringMatching(
          /config set api-key.*PDI_API_KEY.*PDI_API_KEY_FILE.*key-command/,
        ),
      },
    });
  });
});

describe('a stored key is used for the base URL it belongs to and for no other', () => {
  const secret = 'invented-key-0001';
  const failing = JSON.stringify([process.execPath, '-e', 'process.exit(9)']);
  const other = 'https://b.example/api/v1';

  test.each<readonly [string, Readonly<Record<string, string>>, string]>([
    [
      '--base-url elsewhere',
      { 'base-url': other, 'api-key': secret },
      `belongs to ${other} and is not used for ${baseUrl}`,
    ],
    ['another path', { 'base-url': 'https://a.example/api/v2', 'api-key': secret }, 'belongs to'],
    [
      'another port',
      { 'base-url': 'https://a.example:8443/api/v1', 'api-key': secret },
      'belongs to',
    ],
    ['http for https', { 'base-url': 'http://a.example/api/v1', 'api-key': secret }, 'belongs to'],
    [
      'base-url edited by hand',
      { 'base-url': baseUrl, 'api-key': secret, 'api-key-for': other },
      `belongs to ${other}`,
    ],
    [
      'a binding that is no URL',
      { 'base-url': baseUrl, 'api-key': secret, 'api-key-for': 'x' },
      'belongs to no base URL yet',
    ],
    ['no base URL yet', { 'api-key': secret }, 'belongs to no base URL yet'],
    [
      'no key, which would be bound to the other',
      { 'base-url': other },
      `and profile work is for ${other}`,
    ],
    [
      'a key-command, which is not even run',
      { 'base-url': other, 'key-command': failing },
      'the key-command stored in profile work belongs',
    ],
  ])('%s', async (_, values, message) => {
    for (const profileFlag of [false, true]) {
      const error = await failureOf(resolveKey(request(values, {}, profileFlag)));
      const { hint } = error.details;
      expect([error.code, error.message, hint]).toEqual(['auth', has(message), has('PDI_API_KEY')]);
      expect(hint).not.toContain('set api-key');
      expect(JSON.stringify(error) + String(error)).not.toContain(secret);
      expect(
        await resolveKey(request(values, { PDI_API_KEY: 'key-of-variable' }, profileFlag)),
      ).toMatchObject({ key: 'key-of-variable' });
    }
  });

  test.each<readonly [string, Readonly<Record<string, string | number>>, string]>([
    [
      'written by hand, URL not in its one form',
      { 'base-url': 'HTTPS://A.example:443/api/v1/', 'api-key': secret },
      secret,
    ],
    [
      'bound to it, whatever the profile says now',
      { 'base-url': 'https://b.example', 'api-key': secret, 'api-key-for': baseUrl },
      secret,
    ],
    ['bound without base-url', { 'api-key': secret, 'api-key-for': baseUrl }, secret],
    ['a number in the file', { 'base-url': baseUrl, 'api-key': 1234567890123 }, '1234567890123'],
  ])('used: %s', async (_, values, key) =>
    expect((await resolveKey(request(values))).key).toBe(key),
  );
});

test('a key-command that is no command line is told with its profile', async () => {
  const asked = resolveKey(request({ 'base-url': baseUrl, 'key-command': "cat 'a" }));
  await expect(asked).rejects.toThrow('key-command of profile work has a quote that is not closed');
});

describe('keys that no header can carry', () => {
  test('are refused from every source, named and not shown', async () => {
    const bad = 'invented\nX-Other: 1';
    const printing = JSON.stringify([
      process.execPath,
      '-e',
      `console.log(${JSON.stringify(bad)})`,
    ]);
    const cases: readonly (readonly [string, KeyRequest])[] = [
      ['PDI_API_KEY: ', request({}, { PDI_API_KEY: bad })],
      ['PDI_API_KEY_FILE ', request({}, { PDI_API_KEY_FILE: keyFile(bad) })],
      ['api-key of profile work: ', request({ 'base-url': baseUrl, 'api-key': bad })],
      ['key-command of profile work: ', request({ 'base-url': baseUrl, 'key-command': printing })],
    ];
    for (const [start, asked] of cases) {
      const error = await failureOf(resolveKey(asked));
      expect(error).toMatchObject({ code: 'usage', message: has(start) });
      expect(String(error)).not.toContain('invented');
    }
  });

  const fromFile = (file: string) => resolveKey(request({}, { PDI_API_KEY_FILE: file }));

  test('surrounding white space, a byte order mark and Latin-1 are fine', async () => {
    expect((await fromFile(keyFile('\uFEFF schl\u00fcssel-0001\r\n'))).key).toBe(
      'schl\u00fcssel-0001',
    );
  });

  test('an unreadable key file is named', async () => {
    const missing = join(newFolder(), 'missing');
    await expect(fromFile(missing)).rejects.toMatchObject({
      code: 'internal',
      message: has(`${missing}: there is no such file`),
    });
    await expect(fromFile(keyFile(' \n'))).rejects.toMatchObject({
      code: 'usage',
      message: has('is empty'),
    });
  });
});

test('to mask keys in a mistake, no other file than that of a key is read as one: the largest would fill the memory', () => {
  const keysFor = (text: string) =>
    unreadKeys({
      env: { PDI_API_KEY_FILE: keyFile(text) },
      platform: 'linux',
      homeDirectory: newFolder(),
    });
  expect(keysFor(` ${'k'.repeat(4096)}\n`)).toEqual(['k'.repeat(4096)]);
  expect(keysFor('k'.repeat(4097))).toEqual([]);
});

describe('a key file that is a named pipe', needsPosix, () => {
  const newPipe = (): string => {
    const pipe = join(newFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    return pipe;
  };

  test('is read to its end', async () => {
    const pipe = newPipe();
    const asked = resolveKey(request({}, { PDI_API_KEY_FILE: pipe }));
    await writeFile(pipe, 'key-of-pipe\n');
    expect(await asked).toEqual({ key: 'key-of-pipe', source: 'PDI_API_KEY_FILE' });
  });

  test.each([true, false])(
    'is let go of at Ctrl-C, somebody there who says nothing: %s',
    async (somebody) => {
      const pipe = newPipe();
      const stop = new AbortController();
      const asked = resolveKey({ ...request({}, { PDI_API_KEY_FILE: pipe }), stop: stop.signal });
      // Opening it to write waits until it is opened to read.
      const writer = somebody ? await open(pipe, 'w') : undefined;
      stop.abort();
      await expect(asked).rejects.toMatchObject({ code: 'interrupted', details: { billed: 'no' } });
      await writer?.close();
    },
  );
});
