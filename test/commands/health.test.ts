import { existsSync, readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { it } from '../support/it.ts';
import { signalling } from '../support/run.ts';
import { errorOf, expectRefused, newFile, objectOf, origin, pdi as program, sandbox } from '../support/service.ts';
import { standstill } from '../support/standstill.ts';

const ok = { status: 'OK', relational_store: 'OK', analytics_store: 'OK' };
const down = { status: 'ERROR', relational_store: 'OK', analytics_store: 'ERROR' };

describe('health', () => {
  it('needs no key, nor a key-command that works', async ({ service }) => {
    const result = await program(['--base-url', service.baseUrl, 'health']);
    expect({ code: result.code, stderr: result.stderr, report: objectOf(result) }).toEqual({ code: 0, stderr: '', report: ok });
    await program('config set key-command /no/such/program', { home: result.home });
    expect((await program(['--base-url', service.baseUrl, 'health'], { home: result.home })).code).toBe(0);
  });

  it.each(['relational-store', 'analytics-store'] as const)('a 503 report is printed, and exits 5: %s', async (name) => {
    const { service, pdi } = await sandbox({ fault: [{ name, probability: 1 }] });
    const result = await pdi('health');
    expect(result.code).toBe(5);
    expect(objectOf(result)).toEqual({ ...ok, status: 'ERROR', [name.replace('-', '_')]: 'ERROR' });
    const error = { code: 'unavailable', status: 503, billed: 'no', retryable: true };
    expect(errorOf(result)).toMatchObject({ ...error, message: expect.stringContaining('ERROR') });
    expect(service.requests()).toEqual({ checkHealth: 1 });
  });

  it.each([
    ['503 with OK in it, as scripts and monitors take a 503', 503, ok, 'the service reports OK with status 503'],
    ['200 with ERROR in it; unknown words are kept', 200, { ...down, queue: 'ERROR' }, 'queue ERROR'],
  ])('exits 5 at a status of %s', async (_what, status, json, words) => {
    const { pdi } = await origin(() => ({ status, json }));
    const result = await pdi('health');
    expect([result.code, objectOf(result), errorOf(result).message]).toEqual([5, json, expect.stringContaining(words)]);
  });

  it.each([
    ['another object with status 200', { json: { healthy: true } }, '"status"', 'versioned root'],
    ['an empty body with status 200', { text: '' }, 'empty', 'versioned root'],
    ["a gateway's own 503", { status: 503, text: '<html>maintenance</html>' }, '503', 'health --wait'],
    ['an undocumented status', { status: 405, json: {} }, '405', 'check the base URL'],
    ['404', { status: 404, json: { message: 'no such path' } }, 'no such path', 'versioned root'],
  ])('%s: nothing on stdout', async (_what, answer, message, hint) => {
    const { pdi } = await origin(() => answer);
    const result = await pdi('health --retries 0');
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code: message === 'no such path' ? 4 : 5, stdout: '' });
    expect(errorOf(result)).toMatchObject({ message: expect.stringContaining(message), hint: expect.stringContaining(hint) });
  });
});

describe('health --quiet', () => {
  it.each(['health --quiet', '-q health', 'health -q -o ndjson', 'health -q -o xlsx'])(
    'OK: prints nothing at all, on a terminal neither: %s',
    async (line) => {
      const { service, pdi } = await origin(() => ({ json: ok }));
      for (const terminal of line.endsWith('xlsx') ? [false] : [false, true])
        expect(await pdi(line, { terminal })).toMatchObject({ code: 0, stdout: '', stderr: '' });
      expect(service.requests.length).toBeGreaterThan(0);
    },
  );

  it('not OK: 5, no report, one line on stderr that names the store', async () => {
    const { pdi } = await origin(() => ({ status: 503, json: down }));
    const asJson = await pdi('health --quiet');
    expect([asJson.code, asJson.stdout]).toEqual([5, '']);
    expect(errorOf(asJson).message).toContain('analytics_store ERROR');
    const inWords = await pdi('health --quiet -o table');
    expect([inWords.code, inWords.stdout]).toEqual([5, '']);
    expect(inWords.stderr).toMatch(/^pdi: the service reports ERROR: analytics_store ERROR; .*\n$/);
  });

  it('a file that was asked for is written all the same', async () => {
    const { pdi } = await origin(() => ({ status: 503, json: down }));
    const file = newFile('health.json');
    const result = await pdi(['health', '--quiet', '--out', file]);
    expect([result.code, result.stdout, JSON.parse(readFileSync(file, 'utf8'))]).toEqual([5, '', down]);
  });

  it('an unknown field is a usage error all the same', async () => {
    const file = newFile('health.json');
    await expectRefused(`health --quiet --fields stat --out ${file}`, 'stat');
    expect(existsSync(file)).toBe(false);
  });
});

describe('health --wait', () => {
  it('reads the answer that came while the process stood still', async () => {
    const report = JSON.stringify(ok);
    const { baseUrl, hold } = await standstill(`HTTP/1.1 200 OK\r\nContent-Length: ${report.length}\r\n\r\n${report}`);
    const running = program(['--base-url', baseUrl, 'health', '--wait', '0.3']);
    await hold(700);
    const result = await running;
    expect([result.code, objectOf(result)]).toEqual([0, ok]);
  });

  it('polls until OK, after whatever a gateway may answer while the service is not there, and prints that report', async () => {
    const after = async (status: number) => {
      const { service, pdi } = await origin((_request, _response, count) =>
        count < 2 ? { status, json: status === 503 ? down : {}, headers: { 'x-ratelimit-reset': '0' } } : { json: ok },
      );
      const { code, stdout, stderr } = await pdi('health --wait 20 --retries 0');
      return { status, code, report: JSON.parse(stdout), stderr, polls: service.requests.length };
    };
    const statuses = [401, 403, 404, 409, 429, 502, 503];
    const end = { code: 0, report: ok, stderr: '', polls: 2 };
    expect(await Promise.all(statuses.map(after))).toEqual(statuses.map((status) => ({ status, ...end })));
  });

  it.each([401, 404])('runs out with nothing but %i: 5, and no word of a key, of which none was sent', async (status) => {
    const { pdi } = await origin(() => ({ status, json: {} }));
    const result = await pdi('health --wait 0.3');
    expect([result.code, result.stdout]).toEqual([5, '']);
    expect(errorOf(result)).toMatchObject({ code: 'unavailable', status, hint: expect.stringContaining('base URL') });
    expect(result.stderr).not.toContain('key');
  });

  it('a service that hangs: 5 when the time is up, whatever the timeout', async () => {
    const { pdi } = await origin(() => undefined);
    const started = performance.now();
    const result = await pdi('health --wait 0.3');
    const waited = performance.now() - started;
    expect([result.code, result.stdout, waited > 250]).toEqual([5, '', true]);
    expect(errorOf(result).message).toContain('0.3 s');
  });

  it('one that hung after a report: that report is printed', async () => {
    const { pdi } = await origin((_request, _response, count) => (count === 1 ? { status: 503, json: down } : undefined));
    const result = await pdi('health --wait 1.2');
    expect([result.code, objectOf(result)]).toEqual([5, down]);
  });

  it.each(['0', '-1', 'soon', ''])('--wait %j is a usage error', (seconds) => expectRefused(['health', '--wait', seconds], '--wait'));

  it.each([
    ['for an answer', undefined],
    ['for the next poll', { status: 503, json: down }],
  ])('Ctrl-C while waiting %s: 130', async (_what, answer) => {
    const { pdi } = await origin((_request, _response, count) => {
      if (count === 1) setTimeout(() => stop('SIGINT'), 200);
      return answer;
    });
    const { send: stop, withSignal } = signalling();
    const result = await pdi('health --wait 60', { withSignal });
    expect([result.code, result.stdout, errorOf(result).code]).toEqual([130, '', 'interrupted']);
  });
});
