/** The streams of a session: each line that comes in is a message, or is refused in one plain line, and the session goes on. */
import type { Readable, Writable } from 'node:stream';
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { faultIn, isObject } from '../json/parse.ts';
import { isNestedTooDeep, maxDepth } from '../json/split.ts';
import { cleanLine } from '../output/clean.ts';

/** The package's own would end the session at a long line, and leave other bad lines without an answer. */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** It is told which request the client takes back, also after its answer. */
  oncancelled?: (request: unknown) => void;
  private readonly cutter = new LineCutter();
  private isClosed = false;

  constructor(
    private readonly input: Readable,
    private readonly output: Writable,
  ) {}

  async start(): Promise<void> {
    this.input.on('data', this.take);
    this.input.once('end', this.finish);
    this.output.on('error', this.fail);
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.write(plainly(message));
  }

  /** The listener of errors stays, because a write may still fail. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.input.off('data', this.take);
    this.input.off('end', this.finish);
    this.onclose?.();
  }

  private readonly take = (chunk: Buffer | string): void => {
    for (const line of this.cutter.push(Buffer.from(chunk))) this.read(line);
  };

  private readonly finish = (): void => {
    for (const line of this.cutter.finish()) this.read(line);
  };

  private read(line: MessageLine): void {
    const { message, refusals = [] } = readLine(line);
    for (const refusal of refusals) {
      this.onerror?.(new Error(`a line was refused: ${refusal.error.message}`));
      void this.write(refusal).catch(this.fail);
    }
    if (message === undefined) return;
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') this.oncancelled?.(message.params?.requestId);
    this.onmessage?.(message);
  }

  private readonly fail = (error: Error): void => {
    if (!this.isClosed) this.onerror?.(error);
    void this.close();
  };

  private write(message: object): Promise<void> {
    if (this.isClosed) return Promise.reject(new Error('the connection is closed'));
    return new Promise((resolve, reject) => {
      this.output.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }
}

/** A line that is too long comes as its outline. */
type MessageLine = Buffer | Outline;

/** It is more than any call needs, in bytes. */
const maxLine = 10_000_000;

/** Cuts bytes into lines, in bounded memory. */
class LineCutter {
  private pieces: Buffer[] = [];
  private length = 0;
  private outline: Outline | undefined;

  *push(chunk: Buffer): Generator<MessageLine> {
    let from = 0;
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', from)) {
      this.add(chunk.subarray(from, end));
      yield this.line();
      from = end + 1;
    }
    this.add(chunk.subarray(from));
  }

  /** The last line may lack its end. */
  *finish(): Generator<MessageLine> {
    if (this.length > 0) yield this.line();
  }

  private add(piece: Buffer): void {
    this.length += piece.length;
    this.pieces.push(piece);
    if (this.length <= maxLine) return;
    this.outline = this.pieces.reduce((outline, bytes) => outline.add(bytes), this.outline ?? new Outline());
    this.pieces = [];
  }

  private line(): MessageLine {
    const line = this.outline ?? Buffer.concat(this.pieces);
    this.pieces = [];
    this.length = 0;
    this.outline = undefined;
    return line;
  }
}

const [quote, backslash, openList, closeList, openObject, closeObject] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

const member = /"((?:[^"\\]|\\.)*)"\s*:\s*("(?:[^"\\]|\\.)*"|[^\s",:{}[\]]*)/g;

/** Keeps the outermost level of a JSON text, of any length and broken or not, without what is nested in it. */
class Outline {
  private readonly kept: number[] = [];
  private depth = 0;
  private isQuoted = false;
  private isEscaped = false;
  /** So many bytes follow the last quote. Nobody's id is as long as the most of them that are kept. */
  private sinceQuote = 0;

  add(bytes: Buffer): this {
    for (const byte of bytes) {
      this.sinceQuote += 1;
      if (this.isEscaped) this.isEscaped = false;
      else if (byte === quote) {
        this.isQuoted = !this.isQuoted;
        this.sinceQuote = 0;
      } else if (this.isQuoted) this.isEscaped = byte === backslash;
      else if (byte === openList || byte === openObject) this.depth += 1;
      else if (byte === closeList || byte === closeObject) this.depth -= 1;
      if (this.depth <= 1 && this.sinceQuote < mostOfString && this.kept.length < mostOfOutline) this.kept.push(byte);
    }
    return this;
  }

  /** The members of the object that it is, without the values that are nested. */
  get members(): MessageMembers {
    const text = Buffer.from(this.kept).toString();
    if (!text.trimStart().startsWith('{')) return {};
    return Object.fromEntries(Array.from(text.matchAll(member), ([, name = '', value = '']) => [name, valueIn(value)]));
  }
}

const mostOfString = 4096;
const mostOfOutline = 100_000;

function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is known of a message, whether it is one or not. */
type MessageMembers = Readonly<Record<string, unknown>>;

const membersOf = (value: unknown): MessageMembers => (isObject(value) ? value : {});

const isId = (value: unknown): value is string | number => typeof value === 'string' || Number.isSafeInteger(value);

/** Without a message and without refusals, nobody waits for a reply. */
interface LineContent {
  readonly message?: JSONRPCMessage;
  readonly refusals?: readonly ReturnType<typeof refusalOf>[];
}

const codes = { 'Parse error': -32700, 'Invalid Request': -32600, 'Invalid params': -32602 } as const;

const internalError = -32603;

const refusalOf = (id: string | number | null, kind: keyof typeof codes, why: string) => ({
  jsonrpc: '2.0' as const,
  id,
  error: { code: codes[kind], message: `${kind}: ${why}` },
});

function readLine(line: MessageLine): LineContent {
  if (line instanceof Outline) return refused(line.members, 'Invalid Request', 'the line is longer than 10 MB');
  const unreadable = (kind: keyof typeof codes, why: string) => refused(new Outline().add(line).members, kind, `the line ${why}`);
  const text = textOf(line);
  if (text === undefined) return unreadable('Parse error', 'is not UTF-8');
  if (text.trim() === '') return {};
  if (isNestedTooDeep(text)) return unreadable('Invalid Request', `has more than ${maxDepth} levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { at, why } = faultIn(text);
    return unreadable('Parse error', `is not JSON (character ${at + 1}: ${cleanLine(why)})`);
  }
  return Array.isArray(value) ? refusedBatch(value) : contentOf(value);
}

function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The newer protocols have no batches. Whoever waits for a part of one is told so. */
function refusedBatch(parts: readonly unknown[]): LineContent {
  const ids = parts.length === 0 ? [null] : parts.flatMap((part) => idsToAnswer(membersOf(part)));
  const why = 'batches are not part of this protocol; send one message a line';
  return { refusals: [...new Set(ids)].map((id) => refusalOf(id, 'Invalid Request', why)) };
}

/** MessageMembers that the protocol does not know are dropped. */
function contentOf(value: unknown): LineContent {
  const invalid = (why: string, kind: keyof typeof codes = 'Invalid Request') => refused(membersOf(value), kind, why);
  if (!isObject(value)) return invalid('a message is an object');
  const { jsonrpc, id, method, params, result, error } = value;
  if (jsonrpc !== '2.0') return invalid('a message has "jsonrpc": "2.0"');
  if (!('method' in value)) {
    const answer = 'result' in value ? { jsonrpc, id, result } : { jsonrpc, id, error };
    if (isJSONRPCResultResponse(answer) || isJSONRPCErrorResponse(answer)) return { message: answer };
    return invalid('a message has a method');
  }
  if (typeof method !== 'string') return invalid('method is a text');
  if ('id' in value && !isId(id)) return invalid('id is a text or a whole number');
  if ('params' in value && !isObject(params)) return invalid(`params is an object, not ${kindOfValue(params)}`, 'Invalid params');
  const rest = { jsonrpc, method, ...('params' in value && { params }) };
  const message = 'id' in value ? { ...rest, id } : rest;
  if (isJSONRPCRequest(message) || isJSONRPCNotification(message)) return { message };
  return invalid('params._meta is not as the protocol says', 'Invalid params');
}

const kindOfValue = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`);

/** Nobody waits for a reply to an answer or to a notification. But the question that a bad answer is for must not wait for another one. */
function refused(members: MessageMembers, kind: keyof typeof codes, why: string): LineContent {
  if (!isAnswer(members)) return { refusals: idsToAnswer(members).map((id) => refusalOf(id, kind, why)) };
  const { id } = members;
  return isId(id) ? { message: { jsonrpc: '2.0', id, error: refusalOf(id, kind, why).error } } : {};
}

const isAnswer = (members: MessageMembers): boolean => !('method' in members) && ('result' in members || 'error' in members);

function idsToAnswer(members: MessageMembers): readonly (string | number | null)[] {
  const isNotification = 'method' in members && !('id' in members);
  if (isAnswer(members) || isNotification) return [];
  return [isId(members.id) ? members.id : null];
}

/** The package answers with what its checker of types found, over many lines. One of them is enough. */
function plainly(message: JSONRPCMessage): JSONRPCMessage {
  if (!isJSONRPCErrorResponse(message)) return message;
  const { error } = message;
  const [, path, why = ''] = firstIssue.exec(error.message) ?? [];
  if (path === undefined) return { ...message, error: { ...error, message: cleanLine(error.message) } };
  const name =
    path
      .replace(/["\s]/g, '')
      .replace(/^params,?/, '')
      .replaceAll(',', '.') || 'params';
  const code = error.code === internalError ? codes['Invalid params'] : error.code;
  return { ...message, error: { ...error, code, message: cleanLine(`Invalid params: ${name} ${issueWords(why)}`) } };
}

const firstIssue = /"path":\s*\[([^\]]*)\],\s*"message":\s*"((?:[^"\\]|\\.)*)"/;

const kinds: Readonly<Record<string, string>> = {
  record: 'an object',
  object: 'an object',
  array: 'a list',
  string: 'a text',
  undefined: 'missing',
};

function issueWords(words: string): string {
  const [, expected, received] = /^Invalid input: expected (\w+), received (\w+)$/.exec(words) ?? [];
  if (expected === undefined || received === undefined) return `is not as the protocol says (${words})`;
  return `is ${kinds[expected] ?? `a ${expected}`}, not ${kinds[received] ?? received}`;
}
