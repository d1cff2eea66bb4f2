/** Stopped at drawn moments, and going on: what had arrived meanwhile is read, every row is there, nothing is lost or billed twice. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { needsProgram } from '../support/needs.ts';
import { answerOf, type RawRequest, rawOrigin } from '../support/raw-origin.ts';
import { personIds } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { linesFile } from '../support/service.ts';
import { campaign, drawn } from './campaign.ts';
import { createAuthority } from './certificates.ts';
import { luck, seed } from './effort.ts';
import { checkBook, twiceIn } from './money.ts';
import { heldSandbox, type Pause, standStill } from './pause.ts';
import { eventually, pdi } from './process.ts';
import type { Case } from './tally.ts';
import { recordsOf } from './whole.ts';

const timeout = 1;
const pastTimeout = timeout * 1000 + 200;

/** Asks again and again; gives how many milliseconds a good answer took at most, once it is told to end. */
function goodAnswers(baseUrl: string): () => Promise<number> {
  let [slowest, isOver] = [0, false];
  const asking = (async () => {
    while (!isOver) {
      const asked = performance.now();
      await (await fetch(`${baseUrl}/health`)).text();
      slowest = Math.max(slowest, performance.now() - asked);
      await setTimeout(10);
    }
  })();
  return async () => {
    isOver = true;
    await asking;
    return slowest;
  };
}

/** A paused run with `--timeout 1` before a sandbox of 200 people. */
async function pausedRun(argv: readonly string[], pauses: readonly Pause[]) {
  const held = await heldSandbox({ people: 200 });
  const slowest = goodAnswers(held.sandbox.baseUrl);
  try {
    const home = newFolder();
    const running = pdi([...argv, '--timeout', `${timeout}`, '--max-billable', 'unlimited'], {
      home,
      baseUrl: held.baseUrl,
    });
    await held.carryOut(running, pauses);
    return { ...(await running.ended), home, bill: held.sandbox.bill(), slowest: await slowest() };
  } finally {
    await slowest();
    await held.stop();
  }
}

describe('a process that stands still for longer than --timeout', needsProgram('openssl'), () => {
  it('reads an answer of a megabyte, which no socket holds whole, over TLS', async () => {
    const authority = createAuthority();
    const asked: RawRequest[] = [];
    const service = await rawOrigin(
      (request) => void asked.push(request),
      authority.vouch('IP:127.0.0.1', 2),
    );
    onTestFinished(() => service.close());
    const env = { NODE_EXTRA_CA_CERTS: authority.file };
    // Time to connect, on a busy machine too.
    const patience = 3 * timeout;
    const argv = [
      'person',
      ...personIds(4),
      '-o',
      'ndjson',
      '--fields',
      'person_id',
      '--timeout',
      `${patience}`,
    ];
    const running = pdi(argv, {
      home: newFolder(),
      baseUrl: `https://127.0.0.1:${service.port}/api/v1`,
      env,
    });
    await eventually(() => asked.length === 4 || undefined);
    await standStill(running, patience * 1000 + 200, async () => {
      for (const { socket, sound } of asked) {
        const large = sound.replace('{', `{"about_all":"${'a'.repeat(1024 * 1024)}",`);
        socket.write(answerOf(large));
      }
    });
    const { code, stdout } = await running.ended;
    expect([code, recordsOf('ndjson', stdout)]).toEqual([
      0,
      personIds(4).map((person_id) => JSON.stringify({ person_id })),
    ]);
    expect(service.requests()).toBe(4);
  });
});

const runs = [
  { command: 'person', format: 'ndjson', flags: ['--fields', 'person_id'] },
  { command: 'person', format: 'csv', flags: ['--fields', 'person_id'] },
  { command: 'resolve', format: 'ndjson', flags: [] },
  {
    command: 'feed',
    format: 'ndjson',
    flags: ['--all', '--page', '0', '--limit', '10', '--max-pages', '12', '--fields', 'signal_id'],
  },
] as const;

const people = 60;

function drawPauses(random: () => number, requests: number): readonly Pause[] {
  const times = 1 + Math.floor(random() * 3);
  return Array.from({ length: times }, () => {
    const pause = {
      after: 1 + Math.floor((random() * requests) / times),
      answered: random() < 0.8,
    };
    const drawn = random() * 2.5;
    // An answer that is sent after a pause of about the timeout has no time left where the machine is busy, and may be lost.
    const seconds =
      pause.answered || drawn < timeout / 2 || drawn > pastTimeout / 1000 ? drawn : drawn / 2.5;
    return { ...pause, milliseconds: Math.floor(seconds * 1000) };
  });
}

const pausedCase = (index: number): Case => ({
  name: `a paused process ${index}`,
  async run(check) {
    const random = luck('a paused process', index);
    const { command, format, flags } = runs[index % runs.length] ?? runs[0];
    const ids =
      command === 'person'
        ? personIds(people)
        : personIds(people).map((id) => id.replace('per_', 'slug-'));
    const input = command === 'feed' ? [] : ['-i', linesFile(ids)];
    const concurrency = 1 + Math.floor(random() * 8);
    const out = random() < 0.5 ? ['--out', join(newFolder(), 'out')] : [];
    const argv = [
      command,
      '-o',
      format,
      ...flags,
      ...input,
      ...out,
      '--concurrency',
      `${concurrency}`,
    ];
    const pauses = drawPauses(random, command === 'person' ? people : command === 'feed' ? 12 : 2);
    const { code, stdout, stderr, home, bill, slowest } = await pausedRun(argv, pauses);
    // Where this machine keeps even good answers from being in time, some of the others are lost.
    const isInTime = slowest <= (timeout * 1000) / 4;
    const told = `${argv.join(' ')}, ${JSON.stringify(pauses)}: ${code}: ${stderr}`;
    check(code === 0 || !isInTime, stderr.includes('unknown') ? 'rows lost' : 'broken', told);
    const text = out[1] === undefined ? stdout : readFileSync(out[1], 'utf8');
    const rows = recordsOf(format, text);
    const due = command === 'feed' ? 120 : people;
    check(rows.length >= due || !isInTime, 'rows lost', `${rows.length} of ${due}: ${told}`);
    check(rows.length <= due, 'rows doubled', `${rows.length} of ${due}: ${told}`);
    check(twiceIn(bill).length === 0, 'billed twice', `${twiceIn(bill).join(', ')}: ${told}`);
    check(
      command !== 'person' || bill.length === people || !isInTime,
      'broken',
      `${bill.length} on the bill: ${told}`,
    );
    await checkBook(check, home, bill);
    return pauses.length;
  },
});

describe(`pauses (seed ${seed})`, () => {
  campaign('paused processes', { atOnce: 3 }, drawn(2, 86, pausedCase));
});
