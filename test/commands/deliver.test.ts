/** `feed --all --since-last --deliver`: the bookmark moves when the program has done its work, so that each signal comes at least once. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dated, feedPage, idsIn } from '../support/records.ts';
import { newFolder, type RunOptions, signalling } from '../support/run.ts';
import { answering, arrayOf, errorOf, fileOf, origin, pdi as program, summaryOf } from '../support/service.ts';

const env = { PATH: process.env.PATH ?? '' };

/** A feed of so many signals, and a home whose bookmark goes on from run to run. */
async function feed(count: number) {
  const { service, pdi, home } = await origin(({ path }) => ({ json: feedPage(path, dated(0, count)) }));
  const deliver = (program: string, more: readonly string[] = [], options: RunOptions = {}) =>
    pdi(['feed', '--since-last', '--after', '0001-01-01', '--deliver', program, ...more], { env, ...options });
  const left = async () => {
    const [bookmark] = arrayOf(await program('bookmarks', { home }));
    return bookmark === undefined || Number(bookmark.waiting) > 0 ? 'not moved' : 'moved';
  };
  return { service, home, deliver, left };
}

/** A program that is given as a JSON array, whose arguments need no quotes: a shell's script. */
const sh = (script: string): string => JSON.stringify(['sh', '-c', script]);

describe('--deliver', () => {
  it('gives the rows to the program in the format of -o, and what it prints goes to stderr', async () => {
    const { deliver, left } = await feed(120);
    const out = join(newFolder(), 'got');
    const result = await deliver(sh(`cat > ${out}; echo said; echo loudly >&2`), ['-o', 'csv', '--fields', 'signal_id']);
    expect([result.code, result.stdout, result.stderr]).toEqual([
      0,
      '',
      expect.stringMatching(/said\n(.*\n)*.*120 new signals; 3 calls billed\n/),
    ]);
    expect(result.stderr).toContain('loudly\n');
    expect(readFileSync(out, 'utf8').trimEnd().split('\r\n')).toHaveLength(121);
    expect(await left()).toBe('moved');
  });

  it.each(['printf ok', 'printf ok >&2'])('a line that %s leaves open is ended before the summary', async (last) => {
    const { deliver } = await feed(3);
    const { stderr } = await deliver(sh(`cat > /dev/null; ${last}`));
    expect(stderr).toMatch(/^ok\n\{"summary":.*\}\n$/m);
  });

  it('is json where no format is chosen, also on a terminal', async () => {
    const { deliver } = await feed(3);
    const out = join(newFolder(), 'got');
    expect((await deliver(sh(`cat > ${out}`), [], { terminal: true })).code).toBe(0);
    expect(JSON.parse(readFileSync(out, 'utf8'))).toHaveLength(3);
  });

  it('splits the command like key-command: no shell', async () => {
    const { deliver } = await feed(3);
    const out = join(newFolder(), 'a b.json');
    expect((await deliver(`tee '${out}'`)).code).toBe(0);
    expect(idsIn(readFileSync(out, 'utf8'))).toHaveLength(3);
  });

  it('curl --fail against a service that answers 500 first: 1, then all of it again', async () => {
    const { deliver, left } = await feed(70);
    const bodies: string[] = [];
    const hook = await answering(({ body }, _response, count) => {
      bodies.push(body);
      return { status: count === 1 ? 500 : 200, json: {} };
    });
    const curl = `curl --silent --show-error --fail --data-binary @- ${hook.baseUrl}/hook`;
    const first = await deliver(curl, ['-o', 'ndjson', '-q']);
    expect([first.code, await left()]).toEqual([1, 'not moved']);
    expect(first.stderr).toContain('the --deliver program \\"curl\\" ended with exit code 22');
    const second = await deliver(curl, ['-o', 'ndjson']);
    expect([second.code, await left()]).toEqual([0, 'moved']);
    expect(bodies.map((body) => idsIn(body).length)).toEqual([70, 70]);
    expect(summaryOf(await deliver(curl, ['-o', 'ndjson'])).new_signals).toBe(0);
    expect(bodies).toHaveLength(2);
  });

  it.each([
    ['true', 'true'],
    ['head -1', 'head -1'],
    ['a shell that reads one line', sh('read line')],
  ])('%s exits 0 and has not read all: 1, and the rows wait', async (_name, program) => {
    const { deliver, left, service } = await feed(3000);
    const result = await deliver(program, ['-o', 'ndjson']);
    expect([result.code, await left()]).toEqual([1, 'not moved']);
    expect(result.stderr).toContain('ended before it had read all rows');
    const { length } = service.requests;
    expect([(await deliver('false')).code, service.requests.length]).toEqual([1, length]);
    expect([(await deliver('wc -l')).code, await left()]).toEqual([0, 'moved']);
  });

  it.each(['cat', 'cp /dev/stdin /dev/null', 'grep -c signal /dev/stdin'])('%s has read all', async (program) => {
    const { deliver, left } = await feed(300);
    expect([(await deliver(program)).code, await left()]).toEqual([0, 'moved']);
  });

  it.each(['jq . | curl x', 'cat > file', 'cat && true', 'cat 2>&1', 'cat; true', 'cat &'])(
    '%s holds a word of a shell: 2, nothing is sent',
    async (command) => {
      const { deliver, service } = await feed(3);
      const result = await deliver(command);
      expect([result.code, service.requests, errorOf(result).message]).toEqual([2, [], expect.stringContaining('is a word of a shell')]);
      const hint = String(errorOf(result).hint);
      expect(hint).toContain(`--deliver '["sh","-c",${JSON.stringify(command)}]'`);
    },
  );

  it('takes such words as arguments where they are quoted, and in a URL', async () => {
    const { deliver } = await feed(3);
    const out = join(newFolder(), 'said');
    const script = 'cat > "$0"; printf "%s %s" "$@" >> "$0"';
    expect((await deliver(`sh -c '${script}' '${out}' '>' https://hooks.example/a&b`)).code).toBe(0);
    expect(readFileSync(out, 'utf8')).toMatch(/> https:\/\/hooks\.example\/a&b$/);
  });

  it('shows the program no key, under whatever name', async () => {
    const { deliver, home } = await feed(3);
    const key = 'key-of-the-tests-that-nobody-may-see-0042';
    const out = join(newFolder(), 'env');
    const more = { PDI_API_KEY: key, PDI_API_KEY_FILE: '/nowhere', OTHER: `Bearer ${key}`, KEPT: 'kept' };
    expect((await deliver(sh(`cat > /dev/null; env > ${out}`), [], { home, env: { ...env, ...more } })).code).toBe(0);
    const shown = readFileSync(out, 'utf8');
    expect(shown).toContain('KEPT=kept\n');
    expect(shown).not.toContain(key);
    expect(shown).not.toContain('PDI_API_KEY');
  });

  it('a reset to a day keeps what waits, and does not buy it again; a reset without one says what goes', async () => {
    const { deliver, home, service } = await feed(70);
    expect((await deliver('false')).code).toBe(1);
    expect((await program('bookmarks reset default --to 2026-06-29', { home })).code).toBe(0);
    const got = join(newFolder(), 'got');
    const { length } = service.requests;
    expect((await deliver(sh(`cat >> ${got}`), ['-o', 'ndjson'])).code).toBe(0);
    expect(idsIn(readFileSync(got, 'utf8'))).toEqual(dated(0, 70).map(({ signal_id }) => signal_id));
    expect(service.requests.length).toBeGreaterThan(length);
    await program('bookmarks reset default', { home });
    expect((await deliver('false')).code).toBe(1);
    expect((await program('bookmarks reset default', { home })).stderr).toContain('is forgotten, and 70 signals that waited: the next run');
  });

  it('what the program did not take waits in the outbox: the next run delivers it first, without a call for it', async () => {
    const { service, deliver, home } = await feed(70);
    const got = join(newFolder(), 'got');
    const failing = await deliver(sh(`cat > ${got}; exit 3`), ['-o', 'ndjson', '--fields', 'signal_id']);
    expect([failing.code, service.requests.length, idsIn(readFileSync(got, 'utf8')).length]).toEqual([1, 2, 70]);
    const waiting = async () => arrayOf(await program('bookmarks', { home })).map(({ waiting, newest }) => [waiting, newest ?? null]);
    expect(await waiting()).toEqual([[70, null]]);
    const { code } = await deliver(sh(`cat > ${got}`), ['-o', 'ndjson', '--fields', 'signal_id']);
    expect([code, idsIn(readFileSync(got, 'utf8')).length, await waiting()]).toEqual([0, 70, [[0, '2026-06-30']]]);
    // The second run asks from the newest day less the look-back, as it would if the first had been taken.
    expect(service.requests.slice(2).every(({ path }) => path.includes('signal_date_after=2026-06-23'))).toBe(true);
  });

  it('what waited is something delivered: --fail-if-empty lets the run end well', async () => {
    const { deliver } = await feed(3);
    expect((await deliver('false')).code).toBe(1);
    expect((await deliver('wc -l', ['--fail-if-empty'])).code).toBe(0);
    expect((await deliver('wc -l', ['--fail-if-empty'])).code).toBe(4);
  });

  it('what waits is delivered also by a run without a program, and by one that can buy nothing', async () => {
    const { deliver, home, service } = await feed(3);
    expect((await deliver('false')).code).toBe(1);
    const got = join(newFolder(), 'got');
    const capped = await deliver(sh(`cat > ${got}`), ['-o', 'ndjson', '--max-billable', '0']);
    expect([capped.code, idsIn(readFileSync(got, 'utf8')).length, service.requests.length]).toEqual([7, 3, 1]);
    expect(arrayOf(await program('bookmarks', { home }))).toMatchObject([{ waiting: 0 }]);
  });

  it('a program that hangs is ended by Ctrl-C, and what it was given waits', async () => {
    const { deliver, left } = await feed(5);
    const { send, withSignal } = signalling();
    const onStderr = (text: string) => text.includes('started') && send('SIGINT');
    const result = await deliver(sh('echo started; sleep 60'), ['-o', 'json'], { withSignal, onStderr });
    expect([result.code, await left()]).toEqual([130, 'not moved']);
    expect(result.stderr).toContain('interrupted before the --deliver program \\"sh\\" had ended');
  });

  it.each(['no-such-program', '/no/such/program', './no-such-program'])('%s, which is not there, costs nothing: 1', async (program) => {
    const { service, deliver, left } = await feed(5);
    const result = await deliver(`${program} --flag`);
    const hint = 'nothing was sent; name one that is there';
    const message = expect.stringContaining('was not found');
    expect(errorOf(result)).toMatchObject({ code: 'internal', message, billed: 'no', retryable: false, hint });
    expect([result.code, service.requests, await left()]).toEqual([1, [], 'not moved']);
    expect((await deliver(`${program} --flag`, ['--dry-run'])).code).toBe(1);
  });

  it('a script that may not be run says so, and costs nothing', async () => {
    const { service, deliver } = await feed(5);
    const script = fileOf('script.sh', '#!/bin/sh\ncat\n');
    const { message, hint } = errorOf(await deliver(script));
    expect([message, hint]).toEqual([`the --deliver program "${script}" may not be run`, 'nothing was sent; chmod +x allows it']);
    expect(service.requests).toEqual([]);
  });

  it('a program that is ended by a signal failed', async () => {
    const { deliver, left } = await feed(5);
    const result = await deliver(sh('kill -9 $$'));
    expect([result.code, await left()]).toEqual([1, 'not moved']);
    expect(result.stderr).toContain('was ended by SIGKILL');
  });

  it('Ctrl-C that reached the program first is an interruption', async () => {
    const { deliver, left } = await feed(5);
    const result = await deliver(sh('kill -INT $$'));
    expect([result.code, await left()]).toEqual([130, 'not moved']);
    expect(result.stderr).toContain('interrupted before the --deliver program \\"sh\\" had ended');
  });

  it('moves the bookmark where nothing is new, without the program', async () => {
    const { deliver, home } = await feed(5);
    const savedAt = async () => String(arrayOf(await program('bookmarks', { home }))[0]?.saved_at);
    expect((await deliver('cat')).code).toBe(0);
    const before = await savedAt();
    expect((await deliver('false')).code).toBe(0);
    expect((await savedAt()) > before).toBe(true);
  });

  it('is not run where nothing is new, and gets what came before a page that failed', async () => {
    const { deliver, left } = await feed(120);
    const log = join(newFolder(), 'log');
    writeFileSync(log, '');
    const count = sh(`grep -c signal_id >> ${log}`);
    expect((await deliver(count, ['-o', 'ndjson', '--max-billable', '2'])).code).toBe(7);
    expect((await deliver(count, ['-o', 'ndjson'])).code).toBe(0);
    expect((await deliver(count, ['-o', 'ndjson'])).code).toBe(0);
    expect([readFileSync(log, 'utf8'), await left()]).toEqual(['98\n22\n', 'moved']);
  });
});
