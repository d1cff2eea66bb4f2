/** What a transcript says of a command, held against what came of it. `…` in a text is anything, and `, …}` other keys of an object. */
import { expect } from 'vitest';
import { exitTable } from '../../src/exit.ts';
import { isObject } from '../../src/json/exact.ts';
import type { RunResult } from './run.ts';
import { errorOf, summaryOf } from './service.ts';

/** Words of a transcript and their texts: a line each. */
export type Told = Map<string, string>;
/** How a command ended, and what the service saw and billed of it. */
export type Seen = RunResult & {
  readonly sent: readonly string[];
  readonly billed: readonly string[];
};

/** A text in which `…` stands for anything. */
export const glob = (text: string) => {
  const parts = text.split(/ *…\s*/).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^]*')}$`);
};
/** `\\n` and the like as what they stand for. */
export const unescaped = (text: string) =>
  text.replaceAll(/\\(?:u[\da-f]{4}|[nrt\\])/g, (found) => JSON.parse(`"${found}"`));
const same = (text: string, found: string) =>
  text.includes('…') ? expect(found).toMatch(glob(text)) : expect(found).toBe(text);
const printed = (text: string, found: string) =>
  same(unescaped(/^$|…$/.test(text) ? text : `${text}\n`), found);
const listed = (text: string, found: readonly string[]) =>
  same(text, /^\d+$/.test(text) ? `${found.length}` : found.join('\n'));
const expected = (text: string) => like(JSON.parse(text.replaceAll(', …}', ',"…":0}')));
function like(value: unknown): unknown {
  if (typeof value === 'string')
    return value === '…'
      ? expect.anything()
      : value.includes('…')
        ? expect.stringMatching(glob(value))
        : value;
  if (Array.isArray(value)) return value.map(like);
  if (!isObject(value)) return value;
  const { '…': others, ...named } = value;
  const fields = Object.fromEntries(Object.entries(named).map(([key, of]) => [key, like(of)]));
  return others === undefined ? fields : expect.objectContaining(fields);
}

/** One entry a word. */
export const checks = {
  exit(text: string, seen: Seen, told: Told) {
    const [code = '', words] = [/^\d+/.exec(text)?.[0], text.replace(/^\d+ ?/, '')];
    expect(seen.code, 'exit code').toBe(Number(code));
    for (const word of ['out', 'sent'] as const)
      if (code === '2' && !told.has(word)) checks[word]('', seen);
    const error = seen.stderr.includes('{"error":') ? errorOf(seen) : undefined;
    if (error) expect(exitTable).toHaveProperty([String(error.code), 'exit'], seen.code);
    if (words !== '')
      same(
        unescaped(words),
        error ? [error.message, error.hint].filter(Boolean).join('; ') : seen.stderr.trimEnd(),
      );
  },
  out: (text: string, { stdout }: Seen) => printed(text, stdout),
  err: (text: string, { stderr }: Seen) => printed(text, stderr),
  json: (text: string, { stdout }: Seen) => expect(JSON.parse(stdout)).toEqual(expected(text)),
  error: (text: string, seen: Seen) => expect(errorOf(seen)).toEqual(expected(text)),
  summary: (text: string, seen: Seen) => expect(summaryOf(seen)).toEqual(expected(text)),
  sent: (text: string, { sent }: Seen) => listed(text, sent),
  billed: (text: string, { billed }: Seen) => listed(text.replaceAll(' ', '\n'), billed),
  no: (text: string, { stdout, stderr }: Seen) =>
    expect(text.split('\n').filter((words) => (stdout + stderr).includes(words))).toEqual([]),
};
export const isCheck = (word: string): word is keyof typeof checks => Object.hasOwn(checks, word);
