import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder, signalling } from '../support/run.ts';
import { errorOf, expectRefused, linesOf, objectOf, pdi, sandbox } from '../support/service.ts';
import { play } from '../support/transcript.ts';
import { program } from './tree.ts';

play('test/commands/sandbox.txt');

/** `pdi sandbox` until `work` is done with what it printed, then this signal. */
async function running(
  argv: readonly string[],
  work: (printed: string) => Promise<void>,
  signal: 'SIGINT' | 'SIGTERM' = 'SIGINT',
  terminal = false,
) {
  const { send: stop, withSignal } = signalling();
  let worked: Promise<void> | undefined;
  const result = await pdi(['sandbox', ...argv], {
    terminal,
    withSignal,
    onStdout: (text) => {
      worked = work(text).finally(() => stop(signal));
    },
  });
  await worked;
  return result;
}

describe('pdi sandbox', () => {
  it('prints base URL and keys, answers, and stops at Ctrl-C', async () => {
    let baseUrl = '';
    const result = await running(['--people', '7'], async (printed) => {
      const facts: { base_url: string; keys: Record<string, string> } = JSON.parse(printed);
      baseUrl = facts.base_url;
      expect(Object.keys(facts.keys)).toEqual(['full', 'no_permission', 'no_credits']);
      const env = { PDI_BASE_URL: baseUrl, PDI_API_KEY: facts.keys.full ?? '' };
      expect(objectOf(await pdi('person per_sample7', { env }))).toMatchObject({
        person_id: 'per_sample7',
      });
      expect((await pdi('person per_sample8', { env })).code).toBe(4);
      expect(
        (
          await pdi('person per_sample1', {
            env: { ...env, PDI_API_KEY: facts.keys.no_permission ?? '' },
          })
        ).code,
      ).toBe(3);
      expect(
        (
          await pdi('person per_sample1', {
            env: { ...env, PDI_API_KEY: facts.keys.no_credits ?? '' },
          })
        ).code,
      ).toBe(7);
      expect(await (await fetch(new URL('/sandbox/bill', baseUrl))).json()).toMatchObject([
        { item: 'per_sample7', credits: 1 },
      ]);
    });
    expect([result.code, errorOf(result).code]).toEqual([130, 'interrupted']);
    expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/);
    await expect(fetch(`${baseUrl}/health`)).rejects.toThrow();
  });

  it('in words on a terminal; SIGTERM is 143', async () => {
    const result = await running(
      [],
      async (printed) => expect(linesOf(printed)[0]).toMatch(/^base URL +http:\/\/127/),
      'SIGTERM',
      true,
    );
    expect(result.code).toBe(143);
  });

  it('a port that is taken: 2', async () => {
    await running([], async (printed) => {
      const { port } = new URL(JSON.parse(printed).base_url);
      const taken = await pdi(['sandbox', '--port', port]);
      expect([taken.code, errorOf(taken).item]).toEqual([2, port]);
    });
  });

  it('needs nothing of a configuration that is no file', async () => {
    const env = { PDI_CONFIG_DIR: newFolder() };
    const file = join(env.PDI_CONFIG_DIR, 'config.json');
    mkdirSync(file);
    expect((await pdi('--sandbox person per_sample1 -o ndjson', { env })).code).toBe(0);
    const { send: stop, withSignal } = signalling();
    expect((await pdi('sandbox', { env, withSignal, onStdout: () => stop('SIGINT') })).code).toBe(
      130,
    );
    for (const line of [
      '--sandbox --profile work health',
      '--sandbox config get timeout',
      'health',
    ])
      expect(errorOf(await pdi(line, { env })).message).toContain(file);
  });
});

it('knows each id that its help names', async () => {
  const { pdi } = await sandbox();
  const help = (await pdi('help sandbox')).stdout.replace(/\s+/g, ' ');
  const ids = {
    person: /per_sample\d+/g,
    revenue: /company-\d+/g,
    'feed --list': /[bcd]0{7}-\S+/g,
    'feed --search': /\b\d{3}(?= \([a-z])/g,
  };
  const lines = Object.entries(ids).flatMap(([words, pattern]) =>
    (help.match(pattern) ?? []).map((id) => `${words} ${id}`),
  );
  expect(lines).toHaveLength(3 + 4 + 12 + 9);
  for (const line of lines) expect((await pdi(line)).code, line).toBe(line.endsWith('110') ? 5 : 0);
});

describe('pdi --sandbox COMMAND', () => {
  const sizes = {
    '--people': '3',
    '--seed': '2',
    '--today': '7d',
    '--credits': '0',
    '--rate-limit': '1',
    '--latency': '5',
  };
  const shaping = { ...sizes, '--out-of-credits-status': '403', '--fault': '500' };

  it('has no flag that is not tried below', () => {
    const group = program.options
      .filter(({ helpGroupHeading }) => helpGroupHeading === 'Sandbox options:')
      .map(({ long }) => long);
    expect(group).toEqual(['--sandbox', ...Object.keys(shaping)]);
  });

  it.each(Object.entries(shaping))(
    '%s without it is a usage error, and nothing is sent',
    async (flag, value) => {
      for (const env of [{}, { PDI_SANDBOX: '0' }])
        await expectRefused(
          ['person', 'per_sample1', flag, value],
          { item: flag, hint: 'add --sandbox' },
          { env },
        );
      expect(
        (
          await pdi(['resolve', 'ada-sample-1', flag, value, '--retries', '0'], {
            env: { PDI_SANDBOX: '1' },
          })
        ).code,
      ).not.toBe(2);
    },
  );
});
