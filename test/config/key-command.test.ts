import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseKeyCommand, runKeyCommand } from '../../src/config/key-command.ts';
import { PdiError, UsageError } from '../../src/errors.ts';

describe('parseKeyCommand', () => {
  test.each<readonly [string, readonly string[]]>([
    ['tool', ['tool']],
    ['  tool  read\tkey ', ['tool', 'read', 'key']],
    ['tool \'a b\' "c d"', ['tool', 'a b', 'c d']],
    ['tool a" b "c', ['tool', 'a b c']],
    ['tool "it\'s"', ['tool', "it's"]],
    ["tool ''", ['tool', '']],
    ['"C:\\Program Files\\tool.exe" -x', ['C:\\Program Files\\tool.exe', '-x']],
    ['tool $HOME *.txt ; rm -rf x | y', ['tool', '$HOME', '*.txt', ';', 'rm', '-rf', 'x', '|', 'y']],
    ['["tool", "a b", "\\"q\\""]', ['tool', 'a b', '"q"']],
  ])('%s', (text, words) => expect(parseKeyCommand(text)).toEqual(words));

  test.each(['tool "open', "tool it's", '[tool]', '["tool", 1]', '{}"', '', '""'])('refuses %j', (text) =>
    expect(() => parseKeyCommand(text)).toThrow(UsageError),
  );

  test('a JSON array means exactly its words', () => {
    fc.assert(
      fc.property(
        fc
          .array(
            fc.string().filter((word) => !word.includes('\0')),
            { minLength: 1 },
          )
          .filter(([first]) => first !== ''),
        (words) => {
          expect(parseKeyCommand(JSON.stringify(words))).toEqual(words);
        },
      ),
    );
  });
});

describe('runKeyCommand', () => {
  const node = (script: string, ...more: string[]) => [process.execPath, '-e', script, ...more];
  const env = { ...process.env, PDI_API_KEY: 'invented-key-env', PDI_API_KEY_FILE: '/k' };

  test.each<readonly [string, readonly string[], string]>([
    ['the output, trimmed', node("console.log('  invented-key-0001 ')"), 'invented-key-0001'],
    ['words reach the program as they are', node('console.log(process.argv[1])', '$HOME;"*'), '$HOME;"*'],
    [
      'no key in its environment',
      node('console.log(typeof process.env.PDI_API_KEY + typeof process.env.PDI_API_KEY_FILE)'),
      'undefinedundefined',
    ],
    ['its stderr is not the key', node("console.error('noise'); console.log('k')"), 'k'],
    ['stdin is empty, not a wait', node("process.stdin.on('data', () => 0).on('end', () => console.log('k'))"), 'k'],
  ])('%s', async (_, words, key) => expect(await runKeyCommand({ words, env })).toBe(key));

  test.each<readonly [string, readonly string[], RegExp]>([
    [
      'a bad exit code',
      node("console.log('secret-out'); console.error('secret-err'); process.exit(3)", 'secret-word'),
      /ended with exit code 3$/,
    ],
    ['no output', node('0', 'secret-word'), /wrote nothing$/],
    ['blank output', node("console.log(' ')", 'secret-word'), /wrote nothing$/],
    ['no such program', ['/nowhere/to/be/found', 'secret-word'], /was not found$/],
    ['a flood', node("process.stdout.write('secret-out'.repeat(100000))", 'secret-word'), /wrote more than a key$/],
    ['a signal', node("process.kill(process.pid, 'SIGKILL')", 'secret-word'), /could not be run \(SIGKILL\)$/],
  ])('%s is no key, and nothing it wrote or was given is repeated', async (_, words, message) => {
    const error: unknown = await runKeyCommand({ words, env }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PdiError);
    expect(error).toMatchObject({ code: 'auth', message: expect.stringMatching(message) });
    expect(JSON.stringify(error) + String(error)).not.toContain('secret');
    expect(error).toMatchObject({ cause: undefined });
  });

  test('a program that takes too long is ended, even one that ignores signals', async () => {
    const words = node("process.on('SIGTERM', () => 0); setInterval(() => 0, 1000)");
    await expect(runKeyCommand({ words, env, limitInMilliseconds: 200 })).rejects.toMatchObject({
      code: 'auth',
      message: expect.stringContaining('gave no key within'),
    });
  });

  test('Ctrl-C that reached the program is an interruption', async () => {
    await expect(
      runKeyCommand({ words: node("process.kill(process.pid, 'SIGINT'); setInterval(() => 0, 1000)"), env }),
    ).rejects.toMatchObject({ code: 'interrupted' });
  });
});
