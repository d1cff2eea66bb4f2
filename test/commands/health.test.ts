import { describe, expect, it } from 'vitest';
import { signalling } from '../support/run.ts';
import { errorOf, objectOf, origin, pdi as program } from '../support/service.ts';
import { standstill } from '../support/standstill.ts';
import { play } from '../support/transcript.ts';

const ok = { status: 'OK', relational_store: 'OK', analytics_store: 'OK' };
const down = { status: 'ERROR', relational_store: 'OK', analytics_store: 'ERROR' };
const limited = { status: 429, headers: { 'x-ratelimit-reset': '0' }, json: {} };

play(
  'test/commands/health.txt',
  { ok: JSON.stringify(ok), down: JSON.stringify(down) },
  { limited: () => origin((_request, _response, count) => (count < 2 ? limited : { json: ok })) },
);

describe('health --wait', () => {
  it('reads the answer that came while the process stood still', async () => {
    const report = JSON.stringify(ok);
    const { baseUrl, hold } = await standstill(
      `HTTP/1.1 200 OK\r\nContent-Length: ${report.length}\r\n\r\n${report}`,
    );
    const running = program(['--base-url', baseUrl, 'health', '--wait', '0.3']);
    await hold(700);
    const result = await running;
    expect([result.code, objectOf(result)]).toEqual([0, ok]);
  });

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
