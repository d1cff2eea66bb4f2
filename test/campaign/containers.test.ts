/** Runs in containers that share files: their host names and process ids say nothing. Who stands still has what it has, who was killed has nothing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { personIds } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { linesFile, linesOf } from '../support/service.ts';
import { isStopped } from './pause.ts';
import { type Container, eventually, hasContainers, inContainer, pdi, pidInside, sandboxPlace } from './process.ts';

const owning: Container = { ownMounts: false };
const others: readonly Container[] = [owning, { ownMounts: true }, { ownMounts: false, hostName: 'elsewhere' }];

const person = ['person', '-i', linesFile(personIds(40)), '--fields', 'person_id', '--concurrency', '4', '--retry-unknown'];
const feed = ['feed', '--all', '--limit', '20', '--after', '2026-06-10', '--fields', 'signal_id'];

describe.skipIf(!hasContainers)('in containers (skipped where unshare is refused)', { timeout: 60_000 }, () => {
  it.each([
    ['FILE', 'goes on', person],
    ['FILE', 'is killed', person],
    ['a bookmark', 'goes on', [...feed, '--since-last']],
    ['a bookmark', 'is killed', [...feed, '--since-last']],
  ])('one that stands still has %s until it %s', async (what, end, argv) => {
    const { place, billed } = await sandboxPlace({ latency: 60 });
    const folder = newFolder();
    const whole = linesOf((await pdi([...argv, '-o', 'ndjson'], { ...place, home: newFolder() }).ended).stdout);
    const before = billed().length;
    // Two runs on one bookmark write two files.
    const outOf = (run: string) => join(folder, what === 'FILE' ? 'out' : run);
    const start = (where: Container, run: string) => inContainer(where, [...argv, '-o', 'ndjson', '--out', outOf(run)], place);
    const owner = start(owning, 'owner');
    await eventually(() => billed().length > before || undefined);
    const pid = pidInside(owner) ?? 0;
    process.kill(pid, 'SIGSTOP');
    await eventually(() => isStopped(pid) || undefined);
    for (const where of others) {
      const { code, stderr } = await start(where, 'refused').ended;
      expect([code, JSON.parse(stderr).error]).toMatchObject([
        2,
        { message: expect.stringMatching(/is in use by another run$/), retryable: true },
      ]);
    }
    if (end === 'is killed') owner.child.kill('SIGKILL');
    else process.kill(pid, 'SIGCONT');
    const ended = await owner.ended;
    const last = end === 'is killed' ? await start(others[1] ?? owning, 'last').ended : ended;
    expect(last.code, last.stderr).toBe(0);
    expect(linesOf(readFileSync(outOf(end === 'is killed' ? 'last' : 'owner'), 'utf8'))).toEqual(whole);
    // Answers on their way were lost with their run, at most one for each call at once.
    expect(billed().length - 2 * before).toBeLessThanOrEqual(end === 'is killed' ? 4 : 0);
  });
});
