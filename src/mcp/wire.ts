/** The streams of a session: each line that comes in is a message, or is refused in one plain line, and the session goes on. */
import { isUtf8 } from 'node:buffer';
import type { Readable, Writable } from 'node:stream';
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isSpecType,
  type JSONRPCMessage,
  ProtocolErrorCode,
  type Transport,
} from '@modelcontextprotocol/server';
import { faultIn, isNestedTooDeep, isObject, maxDepth } from '../json/parse.ts';
import { cleanLine } from '../output/clean.ts';

/** The package's own would end the session at a long line and at the end of the input, and leave bad lines without an answer. */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private pieces: Buffer[] = [];
  private isClosed = false;

  /** `cancelled` is told which request the client takes back, also after its answer. `closed` is called once. */
  constructor(
    private readonly input: Readable,
    private readonly output: Writable,
    private readonly cancelled: (request: unknown) => void,
    private readonly closed: () => void,
  ) {}

  async start(): Promise<void> {
    this.input.on('data', this.take);
    this.input.once('end', this.finish);
    this.output.on('error', this.fail);
  }

  send(message: object): Promise<void> {
    if (this.isClosed) return Promise.reject(new Error('the connection is closed'));
    return new Promise((resolve, reject) => {
      this.output.write(`${JSON.stringify(plainly(message))}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** The listener of errors stays, because a write may still fail. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.input.off('data', this.take);
    this.input.off('end', this.finish);
    this.onclose?.();
    this.closed();
  }

  private readonly take = (chunk: Buffer | string): void => {
    const bytes = Buffer.from(chunk);
    let from = 0;
    for (let end = bytes.indexOf('\n'); end >= 0; end = bytes.indexOf('\n', from)) {
      this.pieces.push(bytes.subarray(from, end));
      this.finish();
      from = end + 1;
    }
    this.pieces.push(bytes.subarray(from));
  };

  /** The last line may lack its end. */
  private readonly finish = (): void => {
    const read = readLine(Buffer.concat(this.pieces));
    this.pieces = [];
    if (read === undefined) return;
    if ('refusal' in read) {
      this.onerror?.(new Error(`a line was refused: ${read.refusal.message}`));
      if (read.id !== undefined) void this.send({ jsonrpc: '2.0', id: read.id, error: read.refusal }).catch(this.fail);
      return;
    }
    const { message } = read;
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') this.cancelled(message.params?.requestId);
    this.onmessage?.(message);
  };

  private readonly fail = (error: Error): void => {
    if (!this.isClosed) this.onerror?.(error);
    void this.close();
  };
}

const { ParseError, InvalidRequest, InvalidParams, InternalError } = ProtocolErrorCode;

/** Without an `id`, nobody waits for a reply. JSON-RPC has null for an id that is not known. */
interface Refused {
  readonly id: unknown;
  readonly refusal: { readonly code: number; readonly message: string };
}

const refused = (id: unknown, code: number, message: string): Refused => ({ id, refusal: { code, message } });

function readLine(line: Buffer): { readonly message: JSONRPCMessage } | Refused | undefined {
  if (!isUtf8(line)) return refused(null, ParseError, 'Parse error: the line is not UTF-8');
  const text = line.toString();
  if (text.trim() === '') return undefined;
  if (isNestedTooDeep(text)) return refused(null, InvalidRequest, `Invalid Request: the line has more than ${maxDepth} levels`);
  try {
    const value: unknown = JSON.parse(text);
    return isSpecType.JSONRPCMessage(value)
      ? { message: value }
      : refused(waitingId(value), InvalidRequest, `Invalid Request: ${noMessage}`);
  } catch {
    const { at, why } = faultIn(text);
    return refused(null, ParseError, `Parse error: the line is not JSON (character ${at + 1}: ${cleanLine(why)})`);
  }
}

const noMessage =
  'a line is one message: an object with "jsonrpc": "2.0", a method, an id that is a text or a whole number, and params that are an object, with _meta as the protocol has it';

/** Gives the id under which a reply is waited for; undefined for an answer or a notification. */
function waitingId(value: unknown): unknown {
  if (!isObject(value)) return null;
  const { id } = value;
  if ('method' in value ? !('id' in value) : 'result' in value || 'error' in value) return undefined;
  return typeof id === 'string' || Number.isSafeInteger(id) ? id : null;
}

const firstIssue = /"path":\s*\[([^\]]*)\],\s*"message":\s*"((?:[^"\\]|\\.)*)"/;

/** The package answers with what its checker of types found, over many lines. One of them is enough. */
function plainly(message: object): object {
  if (!isJSONRPCErrorResponse(message)) return message;
  const { error } = message;
  const [, path, why] = firstIssue.exec(error.message) ?? [];
  if (path === undefined) return { ...message, error: { ...error, message: cleanLine(error.message) } };
  const code = error.code === InternalError ? InvalidParams : error.code;
  const name = path.replace(/["\s]/g, '').replaceAll(',', '.');
  return { ...message, error: { ...error, code, message: cleanLine(`Invalid params: ${name}: ${why}`) } };
}
