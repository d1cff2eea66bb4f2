/** Cuts a stream of bytes at line ends, and says where in it something is. */
import { type PdiError, UsageError, type Way } from '../errors.ts';

/** A longer line or CSV row (1 MiB) is no list of identifiers. */
export const maxLineLength = 1024 * 1024;

export const newline = 0x0a;

/** A place in a text. Both count from 1, and `column` counts characters. */
export interface Place {
  readonly line: number;
  readonly column?: number;
}

export interface Line extends Place {
  /** It has no `\n`; a `\r` before it is kept. */
  readonly text: string;
  /** It is the last one, and has no line end. */
  readonly isUnended?: true;
}

export function placeAfter({ line, column = 1 }: Place, bytes: Buffer): Required<Place> {
  const start = bytes.lastIndexOf(newline) + 1;
  let reached = start === 0 ? column : 1;
  // Bytes that continue a character of UTF-8 begin with the bits 10.
  for (let at = start; at < bytes.length; at += 1)
    if (((bytes[at] ?? 0) & 0xc0) !== 0x80) reached += 1;
  return { line: line + countLines(bytes), column: reached };
}

export const shownPosition = (name: string, { line, column }: Place): string =>
  `${name}, line ${line}${column === undefined ? '' : `, column ${column}`}`;

/** Tells of a mistake in an input: `what` goes on after its name, or says what is wrong at a place in it. */
export const mistakeIn = (name: string, what: string, hint: string, place?: Place): UsageError =>
  new UsageError(
    place === undefined ? `${name} ${what}` : `${shownPosition(name, place)}: ${what}`,
    { item: name, hint },
  );

/** All that is known against one input, with one way on. */
export function refusedForAll(name: string, refusals: readonly PdiError[]): UsageError {
  const reasons = refusals.map(({ message, details }) => details.reason ?? message);
  const way: Way = Object.assign({}, ...refusals.map(({ details }) => details.way));
  const hint = refusals.findLast(({ details }) => details.hint !== undefined)?.details.hint;
  return new UsageError(
    `${name}${/^is /.test(reasons[0] ?? '') ? '' : ':'} ${reasons.join(', and ')}`,
    {
      ...refusals[0]?.details,
      hint,
      way,
    },
  );
}

/** It is told of bytes that are not in the encoding, and of their line. What stands before them has been given on; it may end the input. */
export type OnBrokenText = (mistake: UsageError, line: number) => void;

export const refuse: OnBrokenText = (mistake) => {
  throw mistake;
};

export interface TextLimits {
  readonly maxLength?: number;
  readonly firstLine?: number | undefined;
}

/** The bytes are UTF-8. @throws UsageError naming the line that is over `maxLength`, or marks a merge; the lines before it come first */
export async function* linesIn(
  chunks: AsyncIterable<Buffer>,
  name: string,
  { maxLength = maxLineLength }: TextLimits,
): AsyncGenerator<readonly Line[]> {
  let line = 1;
  let rest: Buffer[] = [];
  let restSize = 0;
  for await (const chunk of chunks) {
    const first = chunk.indexOf(newline);
    if (restSize + (first < 0 ? chunk.length : first) > maxLength)
      throw mistakeIn(name, `the line is longer than ${inMebibytes(maxLength)}`, tooLong, { line });
    const end = chunk.lastIndexOf(newline) + 1;
    if (end > 0) {
      const bytes =
        restSize === 0 ? chunk.subarray(0, end) : Buffer.concat([...rest, chunk.subarray(0, end)]);
      const texts = bytes.toString('utf8').split('\n').slice(0, -1);
      const merge = mergeMarks.some((mark) => bytes.includes(mark))
        ? texts.findIndex(isMergeMark)
        : -1;
      yield (merge < 0 ? texts : texts.slice(0, merge)).map((text, index) => ({
        line: line + index,
        text,
      }));
      if (merge >= 0) throw unresolvedMerge(name, line + merge);
      line += texts.length;
      rest = [];
      restSize = 0;
    }
    if (end < chunk.length) rest.push(chunk.subarray(end));
    restSize += chunk.length - end;
  }
  if (restSize === 0) return;
  const text = Buffer.concat(rest).toString('utf8');
  if (isMergeMark(text)) throw unresolvedMerge(name, line);
  yield [{ line, text, isUnended: true }];
}

const mergeMarks = ['<<<<<<<', '>>>>>>>', '>>>> ORIGINAL'];
/** The third mark of git, `=======`, may also be a ruler. Perforce has marks of its own. */
const mergeMark = /^(?:(?:<{7,}|>{7,})(?: .*)?|>>>> ORIGINAL .*)\r*$/;

const isMergeMark = (text: string): boolean => mergeMark.test(text);

const unresolvedMerge = (name: string, line: number): UsageError =>
  mistakeIn(
    name,
    `holds an unresolved merge: line ${line}`,
    'Decide between its two sides, and take the marks out.',
  );

/** @throws UsageError naming the line */
export function refuseMerge(text: string, name: string): void {
  const at = mergeMarks.some((mark) => text.includes(mark))
    ? text.split('\n').findIndex(isMergeMark)
    : -1;
  if (at >= 0) throw unresolvedMerge(name, at + 1);
}

export function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) lines += 1;
  return lines;
}

export const inMebibytes = (bytes: number): string => `${bytes / 1024 / 1024} MiB`;

const tooLong =
  'Give one identifier a line; of a table, leave the long column out; of JSON in one line, say --input-format json.';

export function filledLine({ line, text }: Line): Line | undefined {
  const filled = text.trim();
  return filled === '' ? undefined : { line, text: filled };
}
