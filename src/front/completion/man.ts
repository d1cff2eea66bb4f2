/** Makes the manual page from the help of the commands and the help topics. */

import type { TopicPart } from '../../cli/command.ts';
import { helpPages } from '../help/help-pages.ts';
import { folded, type Topic } from '../help/topic.ts';
import { topics } from '../help/topics.ts';

const releaseDay = '2026-11-25';

const files: readonly (readonly [path: string, purpose: string])[] = [
  [
    '$XDG_CONFIG_HOME/pdi/config.json',
    'profiles and their settings, stored keys among them; readable by its owner alone',
  ],
  [
    '$XDG_STATE_HOME/pdi/book.db',
    'the book: calls, bought answers, and the bookmarks of feed --since-last',
  ],
  ['FILE.journal', 'beside --out FILE: what a job has bought so far, until no row is left'],
];

export function manPage(version: string): string {
  const { '': program, ...pages } = helpPages;
  const [purpose, , , ...options] = program?.parts ?? [];
  const lines = [
    // roff must not add hyphens or stretch blanks, because readers copy words from here.
    '.nr HY 0',
    `.TH PDI 1 "${releaseDay}" "pdi ${literal(version)}" "User Commands"`,
    '.ad l',
    section('Name'),
    ...filled(
      `pdi - ${String(purpose).replace(/^[A-Z]|\.$/g, (end) => end.replace('.', '').toLowerCase())}`,
    ),
    section('Synopsis'),
    ...filled(usageOf(program)),
    section('Commands'),
    ...Object.values(pages).flatMap(commandLines),
    section('Options'),
    'Every command takes these.',
    ...options.flatMap((part) => partLines(part, undefined)),
    ...Object.values(topics).flatMap(topicLines),
    section('Files'),
    ...files.flatMap(([path, use]) => entry(path, use)),
  ];
  return `${lines.join('\n')}\n`;
}

const usageOf = (page: Topic | undefined): string => (page?.title ?? '').replace('Usage: ', '');

/** A group of commands has no examples, and is told by its commands. The last part points to the options that follow here. */
function commandLines(page: Topic): readonly string[] {
  if (!page.parts.some((part) => typeof part === 'object' && 'examples' in part)) return [];
  const lines = page.parts
    .slice(0, -1)
    .flatMap((part) =>
      isHeading(part) ? ['.PP', literal(part.heading)] : partLines(part, undefined),
    );
  return [subsection(usageOf(page)), ...lines.slice(1)];
}

const isHeading = (part: TopicPart | undefined) => typeof part === 'object' && 'heading' in part;

const topicLines = ({ title, parts }: Topic): readonly string[] => [
  section(title),
  ...parts.flatMap((part, index) => partLines(part, parts[index - 1])),
];

/** A paragraph macro after a heading would be one too many. */
function partLines(part: TopicPart, before: TopicPart | undefined): readonly string[] {
  if (typeof part === 'string') return [...(isHeading(before) ? [] : ['.PP']), ...filled(part)];
  if ('heading' in part) return [subsection(part.heading.replace(/:$/, ''))];
  if ('rows' in part) return part.rows.flatMap(([term, meaning]) => entry(term, meaning));
  const lines =
    'listing' in part
      ? [part.listing]
      : part.examples.flatMap(([typed, purpose]) => [`# ${purpose}`, typed]);
  return verbatim(lines.flatMap((text) => text.split('\n')));
}

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

export const filled = (text: string): readonly string[] =>
  folded(text.trim().replace(/\s+/g, ' '), sourceWidth).map(literal);

export const entry = (term: string, meaning: string): readonly string[] => [
  '.TP',
  `\\fB${literal(term)}\\fR`,
  ...filled(meaning),
];

export const verbatim = (lines: readonly string[]): readonly string[] => [
  '.RS 4',
  '.EX',
  ...lines.map(literal),
  '.EE',
  '.RE',
];

const section = (title: string): string => `.SH ${literal(title.toUpperCase())}`;
const subsection = (title: string): string => `.SS ${literal(title)}`;
