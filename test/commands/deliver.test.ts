/** `feed --all --since-last --deliver`: the bookmark moves when the program has done its work, so that each signal comes at least once. */
import { describe, expect, it } from 'vitest';
import { idsIn } from '../support/records.ts';
import { type RunOptions, signalling } from '../support/run.ts';
import { answering, arrayOf, pdi as program, summaryOf } from '../support/service.ts';
import { play } from '../support/transcript.ts';
import { deliver, delivering, feedOf } from './sessions.ts';

const path = process.env.PATH ?? '';
play(...deliver);

/** A feed of so many signals, and a home whose bookmark goes on from run to run. */
async function feed(count: number) {
  const { pdi, home } = await feedOf(count);
  const deliver = (program: string, more: readonly string[] = [], options: RunOptions = {}) =>
    pdi([...delivering, program, ...more], { env: { PATH: path }, ...options });
  const left = async () => {
    const [bookmark] = arrayOf(await program('bookmarks', { home }));
    return bookmark === undefined || Number(bookmark.waiting) > 0 ? 'not moved' : 'moved';
  };
  return { home, deliver, left };
}

describe('--deliver', () => {
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

  it('a program that hangs is ended by Ctrl-C, and what it was given waits', async () => {
    const { deliver, left } = await feed(5);
    const { send, withSignal } = signalling();
    const onStderr = (text: string) => text.includes('started') && send('SIGINT');
    const result = await deliver('["sh","-c","echo started; sleep 60"]', ['-o', 'json'], {
      withSignal,
      onStderr,
    });
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
});
