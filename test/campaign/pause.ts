/** Processes that are stopped and go on (Ctrl-Z, `docker pause`, a suspended laptop), before a sandbox that answers meanwhile. */
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { keyHeader } from '../../src/contract/service.ts';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/server.ts';
import { type Origin, type ReceivedRequest, startOrigin } from '../support/origin.ts';
import { stillSandbox } from '../support/service.ts';
import { eventually, type Running } from './process.ts';

export interface Pause {
  /** Falls when so many more requests have come: the last of them, and all after it, wait for their answers. */
  readonly after: number;
  /** Whether their answers are sent while the process stands still, or only after it goes on. */
  readonly answered: boolean;
  /** How long the process stands still, by the clock, after that. */
  readonly milliseconds: number;
}

/** A sandbox whose answers can be held back. */
export interface HeldSandbox {
  readonly sandbox: Sandbox;
  readonly baseUrl: string;
  /** Stops and continues the process, once for each pause; resolves when all are over, or the process is. */
  carryOut(running: Running, pauses: readonly Pause[]): Promise<void>;
  stop(): Promise<void>;
}

export async function heldSandbox(options: SandboxOptions): Promise<HeldSandbox> {
  const sandbox = await stillSandbox(options);
  const gate = new AnswerGate();
  const origin: Origin = await startOrigin(async (request, response) => {
    const answer = await forwarded(sandbox, request);
    await gate.pass(response);
    return answer;
  });
  return {
    sandbox,
    baseUrl: origin.baseUrl,
    async carryOut(running, pauses) {
      for (const pause of pauses) await carryOutPause(running, gate, pause);
    },
    async stop() {
      gate.open();
      await origin.close();
      await sandbox.stop();
    },
  };
}

/** What the sandbox answers to a request that came elsewhere. */
export async function forwarded(
  sandbox: Sandbox,
  { method, path, headers, body }: ReceivedRequest,
): Promise<{ readonly status: number; readonly text: string }> {
  const key = headers[keyHeader];
  const reply = await fetch(new URL(path, sandbox.baseUrl), {
    method,
    headers: {
      ...(typeof key === 'string' && { [keyHeader]: key }),
      'content-type': 'application/json',
    },
    ...(body !== '' && { body }),
  });
  return { status: reply.status, text: await reply.text() };
}

/** Holds answers back from a certain request on. */
class AnswerGate {
  private arrived = 0;
  private holdsFrom = Number.POSITIVE_INFINITY;
  private held: { readonly response: ServerResponse; go(): void }[] = [];

  async pass(response: ServerResponse): Promise<void> {
    this.arrived += 1;
    if (this.arrived >= this.holdsFrom)
      await new Promise<void>((go) => this.held.push({ response, go }));
  }

  holdAfter(requests: number): void {
    this.holdsFrom = this.arrived + requests;
  }

  get isHolding(): boolean {
    return this.held.length > 0;
  }

  /** Lets all answers go; says whether they are out, or as far as the sockets take them. */
  open(): () => boolean {
    this.holdsFrom = Number.POSITIVE_INFINITY;
    const held = this.held.splice(0);
    for (const { go } of held) go();
    return () => held.every(({ response }) => response.writableEnded || response.destroyed);
  }
}

async function carryOutPause(
  running: Running,
  gate: AnswerGate,
  { after, answered, milliseconds }: Pause,
): Promise<void> {
  gate.holdAfter(after);
  await eventually(() => isOver(running) || gate.isHolding || undefined);
  await standStill(running, milliseconds, async () => {
    if (answered) await eventually(promised(gate.open()));
  });
  gate.open();
}

export const isOver = ({ child }: Running): boolean =>
  child.exitCode !== null || child.signalCode !== null;

/** Stops the process, and continues it when `meanwhile` is done and so many milliseconds have passed. */
export async function standStill(
  running: Running,
  milliseconds: number,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const { child } = running;
  child.kill('SIGSTOP');
  await eventually(() => isOver(running) || isStopped(child.pid) || undefined);
  await meanwhile();
  await setTimeout(milliseconds);
  child.kill('SIGCONT');
}

const promised = (isDone: () => boolean) => () => isDone() || undefined;

/** Whether a process stands still. */
export const isStopped = (pid = 0): boolean =>
  /\) T [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
