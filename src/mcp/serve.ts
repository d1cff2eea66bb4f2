/** Runs `pdi mcp`, a server on stdin and stdout, until the client goes or the process is stopped. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type OperationName, operations } from '../contract/operations.ts';
import { UsageError } from '../errors.ts';
import { cleanForTerminal } from '../output/clean.ts';
import type { Plan } from '../road/plan.ts';
import { openSpending } from '../road/spending.ts';
import { type Tools, whenStopped } from '../road/tools.ts';
import { kindOfTool } from './listing.ts';
import { operationTool } from './operation-tool.ts';
import { budgetTool, isPlanned, planTool } from './own-tools.ts';
import { resolveTool } from './resolve-tool.ts';
import { type SessionRules, ToolSession } from './session.ts';
import { type Tool, type ToolWords, toolNameOf } from './tool.ts';
import { ToolServer } from './tool-server.ts';
import { LineTransport } from './wire.ts';

/** What the tools of a server may do. */
export interface McpRules {
  readonly confirm?: SessionRules['confirm'] | undefined;
  readonly allowChanges?: boolean | undefined;
  readonly readOnly?: boolean | undefined;
  readonly tools?: readonly string[] | undefined;
}

/** @throws UsageError for contradicting flags, or where there is no service; PdiError `interrupted` when it is stopped */
export async function runMcp(plan: Plan, tools: Tools, words: OperationWords, rules: McpRules): Promise<void> {
  const { confirm = 'charged', allowChanges = false, readOnly = false, tools: names } = rules;
  if (allowChanges && readOnly) throw new UsageError('--allow-changes and --read-only exclude each other', { item: '--read-only' });
  if (tools.io.stdin.isTTY === true) tools.say.notice('this speaks a protocol with the program of an agent; see `pdi help mcp`');
  const over = new AbortController();
  whenStopped(tools.stop, () => over.abort());
  // A server without a service is refused at its start.
  await tools.service();
  const session = new ToolSession(plan, tools, await openSpending(plan, tools), { confirm, allowChanges });
  const server = new ToolServer({
    tools: toolTable(words, session, { names, readOnly }),
    version: tools.version,
    over: over.signal,
    redact: tools.say.redact,
  });
  await served(tools, server, over);
  if (tools.stop.aborted) throw tools.interrupted();
}

/** Resolves when the connection is closed and all calls that were under way are finished and written down. */
async function served({ io, say }: Tools, server: ToolServer, over: AbortController): Promise<void> {
  const { stdin, stdout } = io;
  const wire = new LineTransport(stdin, stdout);
  wire.oncancelled = (request) => server.takenBack(request);
  const onerror = (error: Error): void => {
    say.detail(`mcp: ${cleanForTerminal(error.message)}`);
  };
  serveStdio(({ era }) => server.connection(era), { transport: wire, onerror });
  const closed = new Promise<void>((resolve) => {
    const { onclose } = wire;
    wire.onclose = () => {
      onclose?.();
      resolve();
    };
  });
  for (const event of ['end', 'close', 'error']) stdin.once(event, () => over.abort());
  const close = async (): Promise<void> => {
    await answered(server);
    await wire.close();
  };
  over.signal.addEventListener('abort', () => void close(), { once: true });
  if (stdin.destroyed || stdin.readableEnded) over.abort();
  if (over.signal.aborted) void close();
  await closed;
  // A client that went away closes the output, too.
  over.abort();
  await server.idle();
  stdin.destroy();
}

/** What was read before the end is still to be answered: it takes some turns to become a call, and its answer to be written. */
async function answered(server: ToolServer): Promise<void> {
  for (let turn = 0; turn < turnsToAnswer; turn += 1) {
    await nextTurn();
    await server.idle();
  }
}

const turnsToAnswer = 5;

export type OperationWords = Readonly<Record<OperationName, ToolWords>>;

interface ToolChoice {
  readonly names: readonly string[] | undefined;
  readonly readOnly: boolean;
}

export function toolTable(words: OperationWords, session: ToolSession, { names, readOnly }: ToolChoice): ReadonlyMap<string, Tool> {
  const isOperation = (name: string): name is OperationName => Object.hasOwn(words, name);
  const isWanted = (name: string): boolean => names === undefined || names.includes(name);
  const nameOfTool = (operation: OperationName): string => toolNameOf(words[operation].words);
  const all = Object.keys(words).filter(isOperation);
  const mayBeListed = all.filter((operation) => !readOnly || kindOfTool(operations[operation]) === 'read');
  const planned = new Map(all.filter(isPlanned).map((operation) => [nameOfTool(operation), operation]));
  const tools = [
    ...mayBeListed.map((operation) => toolOf(operation, words[operation], session)),
    planTool(session, planned),
    budgetTool(session),
  ];
  return new Map(tools.map((tool) => [tool.listed.name, tool] as const).filter(([name]) => isWanted(name)));
}

const toolOf = (operation: OperationName, words: ToolWords, session: ToolSession): Tool =>
  operation === 'resolvePeople' ? resolveTool(words, session) : operationTool(operation, words, session);
