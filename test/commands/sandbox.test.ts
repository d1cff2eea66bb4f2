import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder, signalling } from '../support/run.ts';
import { arrayOf, errorOf, expectMistake, expectRefused, linesOf, objectOf, origin, pdi } from '../support/service.ts';
import { program } from './tree.ts';

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
      expect(objectOf(await pdi('person per_sample7', { env }))).toMatchObject({ person_id: 'per_sample7' });
      expect((await pdi('person per_sample8', { env })).code).toBe(4);
      expect((await pdi('person per_sample1', { env: { ...env, PDI_API_KEY: facts.keys.no_permission ?? '' } })).code).toBe(3);
      expect((await pdi('person per_sample1', { env: { ...env, PDI_API_KEY: facts.keys.no_credits ?? '' } })).code).toBe(7);
      expect(await (await fetch(new URL('/sandbox/bill', baseUrl))).json()).toMatchObject([{ item: 'per_sample7', credits: 1 }]);
    });
    expect([result.code, errorOf(result).code]).toEqual([130, 'interrupted']);
    expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/);
    await expect(fetch(`${baseUrl}/health`)).rejects.toThrow();
  });

  it('in words on a terminal; SIGTERM is 143', async () => {
    const result = await running([], async (printed) => expect(linesOf(printed)[0]).toMatch(/^base URL +http:\/\/127/), 'SIGTERM', true);
    expect(result.code).toBe(143);
  });

  it('a port that is taken: 2', async () => {
    await running([], async (printed) => {
      const { port } = new URL(JSON.parse(printed).base_url);
      const taken = await pdi(['sandbox', '--port', port]);
      expect([taken.code, errorOf(taken).item]).toEqual([2, port]);
    });
  });

  it.each([
    ['--port', '70000', 'a whole number from 0 to 65535'],
    ['--port', 'x', 'a whole number from 0 to 65535'],
    ['--people', '0', 'a whole number from 1 to 1000000'],
    ['--seed', '-1', 'a whole number from 0'],
    ['--credits', '1.5', 'a whole number from 0 on'],
    ['--rate-limit', '0', 'a number from 0.001 on'],
    ['--latency', '3600001', 'a number from 0 to 3600000'],
    ['--out-of-credits-status', '200', 'a whole number from 400 to 599'],
  ])('%s %s: 2, naming the flag and what it may be', (flag, value, expected) =>
    expectRefused(['sandbox', flag, value], { item: flag, message: expect.stringContaining(`${flag}: expected ${expected}`) }),
  );

  it.each(['rain', '500:2'])('--fault %s: 2', (fault) => expectRefused(`sandbox --fault ${fault}`, '--fault'));
});

describe('pdi --sandbox COMMAND', () => {
  it('needs nothing, and says on stderr that the data is invented', async () => {
    const result = await pdi('--sandbox person per_sample1');
    expect([result.code, objectOf(result).person_id]).toEqual([0, 'per_sample1']);
    expect(linesOf(result.stderr).map((line) => JSON.parse(line))).toEqual([{ notice: expect.stringContaining('invented') }]);
    expect((await pdi('--sandbox person per_sample1 --quiet')).stderr).toBe('');
    expect((await pdi('health -o ndjson', { env: { PDI_SANDBOX: '1' } })).code).toBe(0);
  });

  it.each(['on', '2', 'sandbox', 'y'])('PDI_SANDBOX=%s is a mistake: the real service is not asked', async (word) => {
    const { service, pdi: ask } = await origin(() => ({ json: {} }));
    const result = await ask('person per_1', { env: { PDI_SANDBOX: word } });
    expectMistake(result, 2, `PDI_SANDBOX: expected 1, true or yes, or 0, false or no, got "${word}"`);
    expect(service.requests).toEqual([]);
    expect((await pdi('help environment', { env: { PDI_SANDBOX: word } })).code).toBe(0);
  });

  it.each(['True', 'YES', ' 1 '])('PDI_SANDBOX=%s runs against the sandbox', async (word) => {
    expect((await pdi('health', { env: { PDI_SANDBOX: word } })).code).toBe(0);
  });

  it.each(['', ' ', '0', 'False', 'no'])('PDI_SANDBOX=%j runs against the real service', async (word) => {
    const { service, pdi: ask } = await origin(() => ({ json: { person_id: 'per_1' } }));
    expect([(await ask('person per_1', { env: { PDI_SANDBOX: word } })).code, service.requests.length]).toEqual([0, 1]);
  });

  describe('and a configuration that cannot be read', () => {
    /** A folder of that name is no file that can be read, whoever asks. */
    const folderWith = (text: string | undefined): string => {
      const folder = newFolder();
      if (text === undefined) mkdirSync(join(folder, 'config.json'));
      else writeFileSync(join(folder, 'config.json'), text);
      return folder;
    };

    it.each([
      ['is not JSON', '{"profiles":'],
      ['has another shape', '{"profiles":[]}'],
      ['is no file', undefined],
    ])('that %s: nothing in it is needed', async (_what, text) => {
      const env = { PDI_CONFIG_DIR: folderWith(text) };
      expect((await pdi('--sandbox person per_sample1 -o ndjson', { env })).code).toBe(0);
      const { send: stop, withSignal } = signalling();
      expect((await pdi('sandbox', { env, withSignal, onStdout: () => stop('SIGINT') })).code).toBe(130);
      const asked = [
        await pdi('--sandbox --profile work health', { env }),
        await pdi('--sandbox health', { env: { ...env, PDI_PROFILE: 'work' } }),
        await pdi('--sandbox config get timeout', { env }),
        await pdi('health', { env }),
      ];
      for (const result of asked) expect(errorOf(result).message).toContain(join(env.PDI_CONFIG_DIR, 'config.json'));
    });

    it('a bad value in a file that can be read is still an error', async () => {
      const env = { PDI_CONFIG_DIR: folderWith('{"profiles":{"default":{"timeout":"soon"}}}') };
      expect(errorOf(await pdi('--sandbox health', { env })).message).toContain('timeout');
    });
  });

  it.each([
    ['--credits 0 person per_sample1', 7],
    ['--credits 0 --out-of-credits-status 403 person per_sample1', 7],
    ['--fault 500 person per_sample1', 5],
    ['--fault drop-after-billing person per_sample1', 5],
    ['--fault relational-store health', 5],
    ['--rate-limit 0.001 --max-wait 0 --retries 1 person per_sample1 per_sample2', 6],
    ['--people 3 person per_sample4', 4],
  ])('--sandbox %s: %i', async (argv, code) => {
    const result = await pdi(`--sandbox ${argv}`);
    expect(result.code).toBe(code);
    errorOf(result);
  });

  it.each([
    ['sandbox-key-no-permission', 3],
    ['sandbox-key-no-credits', 7],
    ['a-key-of-mine', 0],
  ])('only a key of its own counts: with PDI_API_KEY=%s %i', async (key, code) => {
    expect((await pdi('--sandbox person per_sample1', { env: { PDI_API_KEY: key } })).code).toBe(code);
  });

  const sizes = { '--people': '3', '--seed': '2', '--credits': '0', '--rate-limit': '1', '--latency': '5' };
  const shaping = { ...sizes, '--out-of-credits-status': '403', '--fault': '500' };

  it('has no flag that is not tried below', () => {
    const group = program.options.filter(({ helpGroupHeading }) => helpGroupHeading === 'Sandbox options:').map(({ long }) => long);
    expect(group).toEqual(['--sandbox', ...Object.keys(shaping)]);
  });

  it.each(Object.entries(shaping))('%s without it is a usage error, and nothing is sent', async (flag, value) => {
    for (const env of [{}, { PDI_SANDBOX: '0' }])
      await expectRefused(['person', 'per_sample1', flag, value], { item: flag, hint: 'add --sandbox' }, { env });
    expect((await pdi(['resolve', 'ada-sample-1', flag, value, '--retries', '0'], { env: { PDI_SANDBOX: '1' } })).code).not.toBe(2);
  });

  it.each([
    [{}, '--sandbox ', 'pdi --sandbox '],
    [{ PDI_SANDBOX: '1' }, '', 'pdi '],
  ])('advises commands about itself, whose calls and bookmarks are others: %j', async (env, flag, named) => {
    const lost = await pdi(`${flag}--fault drop-after-billing person per_sample1`, { env });
    expect(errorOf(lost).hint).toContain(`see \`${named}spend\``);
    const page = await pdi(`${flag}--fault malformed person per_sample1`, { env });
    expect(errorOf(page).hint).toContain(`(\`${named}config list\` shows it)`);
    const link = 'https://www.profnet.example/in/ada-sample-1';
    const straightOn = `\`${named}resolve ${link} -o ndjson | ${named}person -i -\``;
    expect(errorOf(await pdi(`${flag}person ${link}`, { env })).hint).toContain(straightOn);
    const { home } = await pdi(`${flag}feed --since-last d --after 2026-06-29`, { env });
    const { stderr } = await pdi(`${flag}feed --since-last d --look-back 99 --errors text`, { home, env });
    expect(stderr).toContain(`\`${named}bookmarks reset d --to DAY\``);
  });

  it('excludes --base-url', () => expectRefused('--sandbox --base-url https://api.example/api/v1 health', '--base-url'));

  it('is counted by itself in the ledger', async () => {
    const { home } = await pdi('--sandbox person per_sample1');
    const counted = async (argv: string, env = {}) => arrayOf(await pdi(argv, { home, env }));
    const one = { profile: 'default', billed: 1, lost: 0, settled: 0, unpriced: 0, not_billed: 0 };
    expect(await counted('spend')).toEqual([]);
    expect(await counted('spend --by profile --sandbox')).toEqual([one]);
    expect(await counted('spend --by profile', { PDI_SANDBOX: '1' })).toEqual([one]);
  });
});
