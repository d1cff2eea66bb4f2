/** A line of a segment holds an answer that was bought, with the request that it belongs to. */
import { isObject } from '../../json/parse.ts';
import { parseObject, stringField } from '../stored.ts';

/** It holds the words of a 404, so that a later run can say the same. */
export interface NotFound {
  readonly message: string;
  readonly reason?: string | undefined;
  readonly errorCode?: string | undefined;
  readonly hint?: string | undefined;
}

/** The body is its JSON on one line. */
export type AnswerContent = { readonly body: string } | { readonly notFound: NotFound };

export interface Asked {
  readonly operation: string;
  readonly item: string;
}

export type StoredAnswer = Asked & {
  readonly key: string;
  /** It was bought at this time, in milliseconds since 1970. */
  readonly at: number;
  readonly content: AnswerContent;
};

/** Each line names its format, because several versions may append to one file. */
export const storeVersion = 1;

const lineStart = (key: string): string => `{"pdi_store":${storeVersion},"key":"${key}"`;

/** The body's own text comes last, so that every digit of it is kept and the fields before it can be read alone. */
export function storedLine({ key, at, operation, item, content }: StoredAnswer): string {
  const fields = JSON.stringify({ at, operation, item }).slice(1, -1);
  const told = 'body' in content ? `"body":${content.body}` : `"not_found":${JSON.stringify(content.notFound)}`;
  return `${lineStart(key)},${fields},${told}}`;
}

const bodyStart = ',"body":';

/** Gives undefined where the line is torn, or is not the answer for `key`. */
export function readAnswer(text: string, key: string): StoredAnswer | undefined {
  if (!text.startsWith(lineStart(key)) || !text.endsWith('}')) return undefined;
  const end = text.indexOf(bodyStart);
  const fields = parseObject(end === -1 ? text : `${text.slice(0, end)}}`);
  if (fields === undefined) return undefined;
  const [operation, item, { at }] = [stringField(fields, 'operation'), stringField(fields, 'item'), fields];
  const content = end === -1 ? notFoundIn(fields.not_found) : { body: text.slice(end + bodyStart.length, -1) };
  if (operation === undefined || item === undefined || typeof at !== 'number' || content === undefined) return undefined;
  return { key, at, operation, item, content };
}

function notFoundIn(value: unknown): AnswerContent | undefined {
  const message = isObject(value) ? stringField(value, 'message') : undefined;
  if (!isObject(value) || message === undefined) return undefined;
  const [reason, errorCode, hint] = [stringField(value, 'reason'), stringField(value, 'errorCode'), stringField(value, 'hint')];
  return { notFound: { message, reason, errorCode, hint } };
}
