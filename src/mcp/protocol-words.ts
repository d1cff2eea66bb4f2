/** Reads a line as a message of JSON-RPC, or says in the protocol's own error, in one plain line, why it is none. */
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
} from '@modelcontextprotocol/server';
import { isNestedTooDeep, maxDepth } from '../json/depth.ts';
import { faultIn, isObject } from '../json/parse.ts';
import { endOfString } from '../json/split.ts';
import { cleanLine } from '../output/clean.ts';

/** A line that is too long comes as its edges. */
export type MessageLine = { readonly whole: Buffer } | { readonly head: Buffer; readonly tail: Buffer };

type MessageId = string | number | null;

interface LineRefusal {
  readonly jsonrpc: '2.0';
  readonly id: MessageId;
  readonly error: { readonly code: number; readonly message: string };
}

/** Without a message and without refusals, nobody waits for a reply. */
interface LineContent {
  readonly message?: JSONRPCMessage;
  readonly refusals?: readonly LineRefusal[];
}

const codes = { 'Parse error': -32700, 'Invalid Request': -32600, 'Invalid params': -32602 } as const;

const internalError = -32603;

const refusalOf = (id: MessageId, kind: keyof typeof codes, why: string): LineRefusal => ({
  jsonrpc: '2.0',
  id,
  error: { code: codes[kind], message: `${kind}: ${why}` },
});

export function readLine(line: MessageLine): LineContent {
  if (!('whole' in line)) return refused(edgesOf(line), 'Invalid Request', 'the line is longer than 10 MB');
  const text = textOf(line.whole);
  if (text === undefined) return refused(outlineOf(line.whole.toString('latin1')), 'Parse error', 'the line is not UTF-8');
  if (text.trim() === '') return {};
  if (isNestedTooDeep(text)) return refused(outlineOf(text), 'Invalid Request', `the line has more than ${maxDepth} levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { at, why } = faultIn(text);
    return refused(outlineOf(text), 'Parse error', `the line is not JSON (character ${at + 1}: ${cleanLine(why)})`);
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
  const ids = parts.length === 0 ? [null] : parts.flatMap((part) => idsToAnswer(namesIn(part)));
  const why = 'batches are not part of this protocol; send one message a line';
  return { refusals: [...new Set(ids)].map((id) => refusalOf(id, 'Invalid Request', why)) };
}

/** Members that the protocol does not know are dropped. */
function contentOf(value: unknown): LineContent {
  const outline = namesIn(value);
  const invalid = (why: string, kind: keyof typeof codes = 'Invalid Request') => refused(outline, kind, why);
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

/** What is known of a message that cannot be read: its id, and the names of its members. */
interface Outline {
  readonly id?: MessageId | undefined;
  readonly names: ReadonlySet<string>;
}

const isId = (value: unknown): value is string | number => typeof value === 'string' || Number.isSafeInteger(value);

function namesIn(value: unknown): Outline {
  if (!isObject(value)) return { names: new Set() };
  return { ...(isId(value.id) ? { id: value.id } : 'id' in value && { id: null }), names: new Set(Object.keys(value)) };
}

/** Nobody waits for a reply to an answer or to a notification. But the question that a bad answer is for must not wait for another one. */
function refused({ id, names }: Outline, kind: keyof typeof codes, why: string): LineContent {
  if (isAnswer(names))
    return id === undefined || id === null ? {} : { message: { jsonrpc: '2.0', id, error: refusalOf(id, kind, why).error } };
  return { refusals: idsToAnswer({ id, names }).map((asked) => refusalOf(asked, kind, why)) };
}

function idsToAnswer({ id, names }: Outline): readonly MessageId[] {
  const isNotification = names.has('method') && id === undefined;
  return isAnswer(names) || isNotification ? [] : [id ?? null];
}

const isAnswer = (names: ReadonlySet<string>): boolean => !names.has('method') && (names.has('result') || names.has('error'));

/** The members of an object as far as they can be read, without what is in them. */
function outlineOf(text: string): Outline {
  const names = new Set<string>();
  let id: MessageId | undefined;
  let at = text.indexOf('{') + 1;
  if (at === 0 || text.slice(0, at - 1).trim() !== '') return { names };
  for (;;) {
    at = afterBlanks(text, at);
    if (text[at] !== '"') break;
    const end = endOfString(text, at) + 1;
    const name = text.slice(at + 1, end - 1);
    at = afterBlanks(text, end);
    if (text[at] !== ':') break;
    names.add(name);
    const from = afterBlanks(text, at + 1);
    at = endOfValue(text, from);
    if (name === 'id') id = idIn(text.slice(from, at));
    at = afterBlanks(text, at);
    if (text[at] !== ',') break;
    at += 1;
  }
  return { ...(id !== undefined && { id }), names };
}

function afterBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\r\n'.includes(text.charAt(at))) at += 1;
  return at;
}

function endOfValue(text: string, from: number): number {
  if (text[from] === '"') return endOfString(text, from) + 1;
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth <= 0) return depth === 0 ? at + 1 : at;
    } else if (character === ',' && depth === 0) return at;
  }
  return text.length;
}

function idIn(text: string): MessageId {
  try {
    const value: unknown = JSON.parse(text);
    return isId(value) ? value : null;
  } catch {
    return null;
  }
}

const text = '"(?:[^"\\\\]|\\\\.)*"';
/** The object that such a line ends is the message itself, so what stands before it are members of the message. */
const lastMembers = new RegExp(`"id"\\s*:\\s*(${text}|-?\\d+)\\s*((?:,\\s*"[^"\\\\]*"\\s*:\\s*(?:${text}|[-\\w.]+)\\s*)*)}\\s*$`);

function edgesOf({ head, tail }: { readonly head: Buffer; readonly tail: Buffer }): Outline {
  const begins = outlineOf(head.toString());
  const end = tail.toString();
  const [, last, more = ''] = lastMembers.exec(end) ?? [];
  const isMethodLast = /[,{]\s*"method"\s*:\s*"[^"\\]*"[^{}[\]]*}\s*$/.test(end) || more.includes('"method"');
  const names = isMethodLast ? new Set([...begins.names, 'method']) : begins.names;
  const id = begins.id ?? (last === undefined ? undefined : idIn(last));
  return { ...(id !== undefined && { id }), names };
}

/** The package answers with what its checker of types found, over many lines. One of them is enough. */
export function plainly(message: JSONRPCMessage): JSONRPCMessage {
  if (!isJSONRPCErrorResponse(message)) return message;
  const { error } = message;
  const found = firstIssueIn(error.message);
  const code = found !== undefined && error.code === internalError ? codes['Invalid params'] : error.code;
  const words = found === undefined ? cleanLine(error.message) : `Invalid params: ${found}`;
  return { ...message, error: { ...error, code, message: words } };
}

function firstIssueIn(words: string): string | undefined {
  const start = words.search(/\[\s*\{/);
  if (start < 0) return undefined;
  try {
    const issues: unknown = JSON.parse(words.slice(start));
    const [issue]: readonly unknown[] = Array.isArray(issues) ? issues : [];
    if (!isObject(issue) || !Array.isArray(issue.path)) return undefined;
    const path = issue.path.filter((step, place) => place > 0 || step !== 'params').join('.');
    return cleanLine(`${path === '' ? 'params' : path} ${issueWords(String(issue.message))}`);
  } catch {
    return undefined;
  }
}

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

const kindOfValue = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`);
