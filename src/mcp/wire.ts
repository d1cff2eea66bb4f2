/** The streams of a session: each line that comes in is a message, or is refused in one plain line, and the session goes on. */
import { isUtf8 } from 'node:buffer';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import {
  InMemoryTransport,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isSpecType,
  type JSONRPCMessage,
  ProtocolErrorCode,
  type Transport,
} from '@modelcontextprotocol/server';
import { faultIn, isNestedTooDeep, isObject, maxDepth } from '../json/exact.ts';
import { cleanLine } from '../output/clean.ts';

interface WireEvents {
  /** It is told which request the client takes back, also after its answer. */
  readonly cancelled: (request: unknown) => void;
  readonly closed: () => void;
  readonly failed: (reason: string) => void;
}

/** The package's own would end the session at a long line and at the end of the input, and leave bad lines without an answer. */
export function lineTransport(
  input: Readable,
  output: Writable,
  { cancelled, closed, failed }: WireEvents,
): Transport {
  const [server, wire] = InMemoryTransport.createLinkedPair();
  const write = (message: object): void =>
    void output.write(`${JSON.stringify(plainly(message))}\n`);
  const take = (line: Buffer): void => {
    const read = readLine(line);
    if (read === undefined) return;
    if ('refusal' in read) {
      failed(`a line was refused: ${read.refusal.message}`);
      if (read.id !== undefined) write({ jsonrpc: '2.0', id: read.id, error: read.refusal });
      return;
    }
    const { message } = read;
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
      cancelled(message.params?.requestId);
    wire.send(message).catch((error: unknown) => failed(String(error)));
  };
  // In this encoding each byte is a character, so that a line which is not UTF-8 can be told.
  const lines = createInterface({
    input: input.setEncoding('latin1'),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  lines.on('line', (line) => take(Buffer.from(line, 'latin1')));
  wire.onmessage = write;
  wire.onclose = () => {
    lines.close();
    closed();
  };
  output.on('error', ({ message }) => {
    failed(message);
    void wire.close();
  });
  return server;
}

const { ParseError, InvalidRequest, InvalidParams, InternalError } = ProtocolErrorCode;

/** Without an `id`, nobody waits for a reply. JSON-RPC has null for an id that is not known. */
interface Refused {
  readonly id: unknown;
  readonly refusal: { readonly code: number; readonly message: string };
}

const refused = (id: unknown, code: number, message: string): Refused => ({
  id,
  refusal: { code, message },
});

/** Some clients write a byte order mark first. */
function readLine(line: Buffer): { readonly message: JSONRPCMessage } | Refused | undefined {
  if (!isUtf8(line)) return refused(null, ParseError, 'Parse error: the line is not UTF-8');
  const text = line.toString().replace(/^\ufeff/, '');
  if (text.trim() === '') return undefined;
  if (isNestedTooDeep(text))
    return refused(
      null,
      InvalidRequest,
      `Invalid Request: the line has more than ${maxDepth} levels`,
    );
  try {
    const value: unknown = JSON.parse(text);
    return isSpecType.JSONRPCMessage(value)
      ? { message: value }
      : refused(waitingId(value), InvalidRequest, `Invalid Request: ${noMessage}`);
  } catch {
    const { at, why } = faultIn(text);
    return refused(
      null,
      ParseError,
      `Parse error: the line is not JSON (character ${at + 1}: ${cleanLine(why)})`,
    );
  }
}

const noMessage =
  'a line is one message: an object with "jsonrpc": "2.0", a method, an id that is a text or a whole number, and params that are an object, with _meta as the protocol has it';

/** Gives the id under which a reply is waited for; undefined for an answer or a notification. */
function waitingId(value: unknown): unknown {
  if (!isObject(value)) return null;
  const { id } = value;
  if ('method' in value ? !('id' in value) : 'result' in value || 'error' in value)
    return undefined;
  return typeof id === 'string' || Number.isSafeInteger(id) ? id : null;
}

const firstIssue = /"path":\s*\[([^\]]*)\],\s*"message":\s*"((?:[^"\\]|\\.)*)"/;

/** The package answers with what its checker of types found, over many lines. One of them is enough. */
function plainly(message: object): object {
  if (!isJSONRPCErrorResponse(message)) return message;
  const { error } = message;
  const [, path, why] = firstIssue.exec(error.message) ?? [];
  if (path === undefined)
    return { ...message, error: { ...error, message: cleanLine(error.message) } };
  const code = error.code === InternalError ? InvalidParams : error.code;
  const name = path.replace(/["\s]/g, '').replaceAll(',', '.');
  return {
    ...message,
    error: { ...error, code, message: cleanLine(`Invalid params: ${name}: ${why}`) },
  };
}
