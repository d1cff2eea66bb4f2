/** Text as the man macros of roff take it. Pure. */
import { wrap } from '../../output/width.ts';

/** Cells of a line of the source: the reader's terminal breaks lines anew. */
const sourceWidth = 70;

/** Characters that roff would read or typeset otherwise: quotes and dashes must survive being copied into a shell. */
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
};

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code > 0x7e) return `\\[u${code.toString(16).toUpperCase().padStart(4, '0')}]`;
  return escapes[character] ?? character;
}

/** One line as it is: nothing in it is read as a request or an escape. */
export function literal(text: string): string {
  const line = Array.from(text, escaped).join('');
  return line.startsWith('.') ? `\\&${line}` : line;
}

/** Text that the reader's terminal fills into lines. */
export const filled = (text: string): readonly string[] => wrap(text.trim().replace(/\s+/g, ' '), sourceWidth).map(literal);

/** A term, in bold, and what it means. */
export const entry = (term: string, meaning: string): readonly string[] => ['.TP', `\\fB${literal(term)}\\fR`, ...filled(meaning)];

/** Lines that keep their breaks, set in. */
export const verbatim = (lines: readonly string[]): readonly string[] => ['.RS 4', '.EX', ...lines.map(literal), '.EE', '.RE'];

export const section = (title: string): string => `.SH ${literal(title.toUpperCase())}`;
export const subsection = (title: string): string => `.SS ${literal(title)}`;
