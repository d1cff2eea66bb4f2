import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { runKeyCommand } from '../../src/config/key.ts';
import { settings } from '../../src/config/settings.ts';
import { failureOf } from '../support/failure.ts';
import { newFolder } from '../support/run.ts';

const { keyCommand } = settings;

describe('its words', () => {
  test.each<readonly [string, readonly string[]]>([
    ['tool', ['tool']],
    ['  tool  read\tkey ', ['tool', 'read', 'key']],
    ['tool \'a b\' "c d"', ['tool', 'a b', 'c d']],
    ['tool a" b "c', ['tool', 'a b c']],
    ['tool "it\'s"', ['tool', "it's"]],
    ["tool ''", ['tool', '']],
    ['"C:\\Program Files\\tool.exe" -x', ['C:\\Program Files\\tool.exe', '-x']],
    [
      'tool $HOME *.txt ; rm -rf x | y',
      ['tool', '$HOME', '*.txt', ';', 'rm', '-rf', 'x', '|', 'y'],
    ],
    ['["tool", "a b", "\\"q\\""]', ['tool', 'a b', '"q"']],
  ])('%s', (text, words) => expect(keyCommand.parse(text)).toEqual(words));

  test('a JSON array means exactly its words', () => {
    const word = fc.string().filter((text) => !text.includes('\0'));
    const commands = fc.array(word, { minLength: 1 }).filter(([first]) => first !== '');
    fc.assert(
      fc.property(
        commands,
        (words) => void expect(keyCommand.parse(JSON.stringify(words))).toEqual(words),
      ),
    );
  });
});

describe('runKeyCommand', () => {
  const node = (script: string, ...more: string[]) => [process.execPath, '-e', script, ...more];
  const { signal: stop } = new AbortController();
  const env = { ...process.env, PDI_API_KEY: 'invented-key-env', PDI_API_KEY_FILE: '/k' };
  const forEver = 'setInterval(() => 0, 1000)';

  test.each<readonly [string, readonly string[], string]>([
    ['the output, trimmed', node("console.log('  invented-key-0001 ')"), 'invented-key-0001'],
    [
      'words reach the program as they are',
      node('console.log(process.argv[1])', '$HOME;"*'),
      '$HOME;"*',
    ],
    [
      'no key in its environment',
      node(
        'const { PDI_API_KEY: a, PDI_API_KEY_FILE: b } = process.env; console.log(typeof a, typeof b)',
      ),
      'undefined undefined',
    ],
    ['its stderr is not the key', node("console.error('noise'); console.log('k')"), 'k'],
    [
      'stdin is empty, not a wait',
      node("process.stdin.on('data', () => 0).on('end', () => console.log('k'))"),
      'k',
    ],
  ])('%s', async (_, words, key) => expect(await runKeyCommand(words, { env, stop })).toBe(key));

  test.each<readonly [string, readonly string[], RegExp]>([
    [
      'a bad exit code',
      node("console.log('secret-out'); console.error('secret-err'); process.exit(3)"),
      /ended with exit code 3$/,
    ],
    ['no output', node('0'), /wrote nothing$/],
    ['blank output', node("console.log(' ')"), /wrote nothing$/],
    ['no such program', ['/nowhere/to/be/found'], /was not found$/],
    [
      'a flood',
      node("process.stdout.write('secret-out'.repeat(100000))"),
      /wrote more than a key$/,
    ],
    ['a signal', node("process.kill(process.pid, 'SIGKILL')"), /was ended by SIGKILL$/],
  ])('%s is no key, and nothing it wrote or was given is repeated', async (_, words, message) => {
    const error = await failureOf(runKeyCommand([...words, 'secret-word'], { env, stop }));
    expect(error).toMatchObject({
      code: 'auth',
      message: expect.stringMatching(message),
      cause: undefined,
    });
    expect(JSON.stringify(error) + String(error)).not.toContain('secret');
  });

  test('a program that is not there holds up nothing', async () => {
    const timers = () =>
      process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    await expect(runKeyCommand(['/nowhere/to/be/found'], { env, stop })).rejects.toMatchObject({
      code: 'auth',
    });
    expect(timers()).toBeLessThanOrEqual(before);
  });

  test('a program that takes too long is ended, even one that ignores signals', async () => {
    const words = node(`process.on('SIGTERM', () => 0); ${forEver}`);
    const message = expect.stringContaining('gave no key within');
    await expect(runKeyCommand(words, { env, stop }, 200)).rejects.toMatchObject({
      code: 'auth',
      message,
    });
  });

  test('Ctrl-C that reached the program is an interruption', async () => {
    const words = node(`process.kill(process.pid, 'SIGINT'); ${forEver}`);
    await expect(runKeyCommand(words, { env, stop })).rejects.toMatchObject({
      code: 'interrupted',
    });
  });

  test.each<readonly [string, string]>([
    ['by itself', forEver],
    ['only by force', `process.on('SIGTERM', () => 0); ${forEver}`],
  ])('a run that is stopped waits for no key; the program ends %s', async (_, script) => {
    const controller = new AbortController();
    const marker = join(newFolder(), 'pid');
    const words = node(
      `require('fs').writeFileSync(process.argv[1], String(process.pid)); ${script}`,
      marker,
    );
    const failed = runKeyCommand(words, { env, stop: controller.signal }, 3_600_000).catch(
      (reason: unknown) => reason,
    );
    await vi.waitFor(() => expect(readFileSync(marker, 'utf8')).not.toBe(''), 60_000);
    controller.abort();
    expect(await failed).toMatchObject({
      code: 'interrupted',
      details: { billed: 'no', retryable: true },
    });
    expect(() => process.kill(Number(readFileSync(marker, 'utf8')), 0)).toThrow('ESRCH');
  });

  test('is not even started once the run is stopped', async () => {
    const marker = join(newFolder(), 'started');
    const words = node("require('fs').writeFileSync(process.argv[1], '')", marker);
    await expect(runKeyCommand(words, { env, stop: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'interrupted',
    });
    expect(existsSync(marker)).toBe(false);
  });

  test('what it leaves running is not waited for, and all that it wrote is read', async () => {
    const leave =
      "require('child_process').spawn(process.execPath, ['-e', 'setTimeout(() => 0, 8000)'], { stdio: 'inherit' }).unref()";
    const key = 'k'.repeat(60_000);
    expect(
      await runKeyCommand(node(`${leave}; console.log('${'k'.repeat(1000)}'.repeat(60))`), {
        env,
        stop,
      }),
    ).toBe(key);
  });
});
