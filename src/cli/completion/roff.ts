/** Writes text for the man macros of roff. */
import { wrap } from '../../output/width.ts';

/** The width of source lines, in cells. The reader's terminal breaks lines again. */
const sourceWidth = 66;

/** roff would change these characters, but quotes and dashes must survive being copied into a shell. */
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

/** Escapes one line, so that roff finds no request and no escape in it. */
export function literal(text: string): string {
  const line = Array.from(text, escaped).join('');
  return line.startsWith('.') ? `\\&${line}` : line;
}

export const filled = (text: string): readonly string[] => wrap(text.trim().replace(/\s+/g, ' '), sourceWidth).map(literal);

export const entry = (term: string, meaning: string): readonly string[] => ['.TP', `\\fB${literal(term)}\\fR`, ...filled(meaning)];

export const verbatim = (lines: readonly string[]): readonly string[] => ['.RS 4', '.EX', ...lines.map(literal), '.EE', '.RE'];

export const section = (title: string): string => `.SH ${literal(title.toUpperCase())}`;
export const subsection = (title: string): string => `.SS ${literal(title)}`;
