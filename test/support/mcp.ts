/** A real client of `pdi mcp`: the protocol's own package, over the streams of a program that runs in this process. */
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Client, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { expect, onTestFinished } from 'vitest';
import type { Signal } from '../../src/io.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { newFolder, type RunOptions, type RunResult, run, signalling } from './run.ts';
import { asRecord } from './service.ts';

/** The two families of the protocol. */
export const eras = ['legacy', 'modern'] as const;
export type Era = (typeof eras)[number];

/** What comes back with a form that the person accepted: whole, with the question unticked, without an answer to it, or nothing. */
const accepted = {
  accept: { confirm: true },
  unticked: { confirm: false },
  unanswered: {},
  bare: undefined,
} as const;

export type Reply = keyof typeof accepted | 'decline' | 'cancel';

export interface SessionOptions extends Pick<RunOptions, 'env' | 'home'> {
  readonly era?: Era;
  /** The flags of `pdi mcp`. */
  readonly flags?: string;
  /** What the person answers; a client without it cannot ask. */
  readonly person?: (message: string) => Reply | Promise<Reply>;
}

export interface ToolReply {
  readonly isError: boolean;
  readonly text: string;
  /** The text, read as JSON. */
  readonly value: Readonly<Record<string, unknown>>;
  /** The error object of one that failed. */
  readonly error: Readonly<Record<string, unknown>>;
}

export interface McpSession {
  readonly client: Client;
  /** Says that the person agreed to a call in a message that a test wrote itself. */
  agree(): void;
  /** The questions that the person was asked. */
  readonly asked: readonly string[];
  /** Lines of stdout. */
  readonly lines: readonly string[];
  call(name: string, given?: Record<string, unknown>): Promise<ToolReply>;
  /** Ends stdin, as a client does that goes. */
  leave(): void;
  /** From now on stdout is closed, as by a client that died. */
  die(): void;
  /** Sends a text as it is. */
  write(text: string | Uint8Array): void;
  signal(name: Signal): void;
  readonly ended: Promise<RunResult>;
  readonly home: string;
}

/** Starts the server against a service and connects. In the end the sandbox's bill is held against what the person agreed to. */
export async function mcpSession<
  S extends Pick<Sandbox, 'baseUrl'> & Partial<Pick<Sandbox, 'bill'>>,
>(
  serving: S | Promise<S>,
  options: SessionOptions = {},
): Promise<McpSession & { readonly service: S }> {
  const service = await serving;
  const { era = 'legacy', flags = '', person, env, home = newFolder() } = options;
  const before = service.bill?.().length ?? 0;
  const asked: string[] = [];
  let agreed = 0;
  const wire = new Wire();
  const { send: signal, withSignal } = signalling();
  const ended = run(['mcp', ...flags.split(' ').filter((word) => word !== '')], {
    home,
    env: { PDI_BASE_URL: service.baseUrl, PDI_API_KEY: 'sandbox-key-full', ...env },
    stdin: wire.stdin,
    onStdout: (text) => wire.receive(text),
    withSignal,
  });
  const client = new Client(
    { name: 'tests', version: '1' },
    {
      capabilities: person === undefined ? {} : { elicitation: { form: {} } },
      ...(era === 'modern' && { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
    },
  );
  if (person !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message);
      const reply = await person(params.message);
      if (reply === 'accept') agreed += callsIn(params.message);
      if (reply === 'decline' || reply === 'cancel') return { action: reply };
      const content = accepted[reply];
      return { action: 'accept', ...(content !== undefined && { content }) };
    });
  }
  onTestFinished(async () => {
    wire.stdin.end();
    await ended;
    const bought = (service.bill?.() ?? []).slice(before);
    if (!/--confirm never/.test(flags))
      expect(bought.length, 'bought without consent').toBeLessThanOrEqual(agreed);
  });
  await client.connect(wire);
  const call: McpSession['call'] = async (name, given = {}) =>
    replyOf(await client.callTool({ name, arguments: given }));
  const agree = (): void => {
    agreed += 1;
  };
  return {
    service,
    client,
    agree,
    asked,
    lines: wire.lines,
    call,
    leave: () => void wire.stdin.end(),
    die: () => wire.die(),
    write: (text) => void wire.stdin.write(text),
    signal,
    ended,
    home,
  };
}

/** Resolves when the session has counted an answer. */
export const counted = (session: McpSession, calls: number): Promise<void> =>
  countedAs(session, ({ billed, unknown }) => Number(billed) + Number(unknown) >= calls);

/** Between two looks the network has its turn. */
async function countedAs(
  session: McpSession,
  isSo: (counts: Readonly<Record<string, unknown>>) => boolean,
): Promise<void> {
  while (!isSo(asRecord(asRecord((await session.call('budget')).value.result).session)))
    await nextTurn();
}

/** How many calls a question is about, with those that may be sent again. */
function callsIn(question: string): number {
  const [, calls = 1] = /^pdi: (\d+) calls? that/.exec(question) ?? [];
  const [, again = 0] = /up to (\d+) times?/.exec(question) ?? [];
  return Number(calls) * (1 + Number(again));
}

function replyOf({ content, isError = false }: Awaited<ReturnType<Client['callTool']>>): ToolReply {
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  const value = asRecord(JSON.parse(text));
  return { isError, text, value, error: isError ? asRecord(value.error) : {} };
}

/** The client's end of the two streams. */
class Wire implements Transport {
  readonly stdin = new PassThrough();
  readonly lines: string[] = [];
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  private rest = '';
  private isDead = false;

  die(): void {
    this.isDead = true;
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    this.stdin.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.stdin.end();
    this.onclose?.();
  }

  /** Every line has to be a message: stdout carries nothing else. */
  receive(text: string): void {
    if (this.isDead) throw Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      this.lines.push(line);
      const message: JSONRPCMessage = JSON.parse(line);
      queueMicrotask(() => this.onmessage?.(message));
    }
  }
}
