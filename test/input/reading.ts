/** Opens input from bytes: as a file, or as a standard input that trickles. */
import { Readable } from 'node:stream';
import { expect, onTestFinished } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { openInput } from '../../src/input/open-input.ts';
import { type Input, type InputRow, oneByOne } from '../../src/rows/row.ts';
import { failureOf } from '../support/failure.ts';
import { fileOf } from '../support/service.ts';

export const personNames = ['person_id', 'matches.0.person_id'];
export const resolveNames = ['profnet_url', 'profnet_id', 'profnet_num_id', 'profnet_urn'];

/** A stream that hands out `size` bytes at a time. */
function trickle(content: string | Buffer, size: number): Readable {
  const bytes = Buffer.from(content);
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return Readable.from(chunks, { objectMode: true });
}

/** A standard input that fails the test when it is touched. */
export const untouchable = (): Readable =>
  new Readable({
    read() {
      throw new Error('standard input was read');
    },
  });

type Extras = Partial<Omit<Parameters<typeof openInput>[0], 'path' | 'io'>>;

/** Closed when the test is over: from Node 26 on, a file that is left open to the garbage collector is an error. */
export async function openFile(
  name: string,
  content: string | Buffer,
  extras: Extras = {},
): Promise<Input> {
  const input = await openInput({
    path: fileOf(name, content),
    io: { stdin: untouchable() },
    candidates: personNames,
    ...extras,
  });
  onTestFinished(() => input.close());
  return input;
}

export const openPiped = (
  content: string | Buffer,
  extras: Extras = {},
  size = 7,
): Promise<Input> =>
  openInput({
    path: '-',
    io: { stdin: trickle(content, size) },
    candidates: personNames,
    ...extras,
  });

export async function rowsOf(input: Input): Promise<InputRow[]> {
  const rows: InputRow[] = [];
  for await (const row of oneByOne(input.batches)) rows.push(row);
  return rows;
}

/** Texts only, for tables of expectations. */
export const textsOf = async (input: Input): Promise<(string | undefined)[]> =>
  (await rowsOf(input)).map(({ text }) => text);

/** A line of what programs write for nothing has a label in place of a text. */
export const linesIn = async (input: Input): Promise<(string | undefined)[]> =>
  (await rowsOf(input)).map(({ text, label }) => text ?? label);

export async function hintOf(opening: Promise<unknown>): Promise<unknown> {
  return (await failureOf(opening)).details.hint;
}

/** One line that a person can act on, and what to do. */
export async function expectRefused(
  opening: Promise<unknown>,
  message: RegExp | string,
  hint = /./,
): Promise<void> {
  const failure = await failureOf(opening);
  expect(failure).toBeInstanceOf(UsageError);
  expect(failure.message).toMatch(message);
  expect(failure.message).not.toContain('\n');
  expect(await hintOf(opening)).toMatch(hint);
}

/** The rows that came before the failure, and the failure. */
export async function rowsUntilFailure(
  input: Input,
): Promise<{ rows: InputRow[]; failure: unknown }> {
  const rows: InputRow[] = [];
  try {
    for await (const row of oneByOne(input.batches)) rows.push(row);
  } catch (failure) {
    return { rows, failure };
  }
  return { rows, failure: undefined };
}
