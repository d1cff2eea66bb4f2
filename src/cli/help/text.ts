/** Answers `pdi … --help` and `pdi help …` from the pages, without parsing. */
import { helpPages, topicNames } from './help-pages.ts';

/** Gives the requested help, folded to `width` cells; undefined if the command line asks for anything else. */
export function helpText(argv: readonly string[], width: number): string | undefined {
  const words = wordsAskedFor(argv)?.join(' ');
  return words !== undefined && Object.hasOwn(helpPages, words) ? folded(helpPages[words] ?? '', width) : undefined;
}

function wordsAskedFor(argv: readonly string[]): readonly string[] | undefined {
  const last = argv.at(-1);
  if (last === '-h' || last === '--help') return argv.slice(0, -1);
  // After `help`, a word that is both a command and a topic means the topic.
  return argv[0] === 'help' && !topicNames.some((name) => name === argv[1]) ? argv.slice(1) : undefined;
}

/** Folds texts and item descriptions. Headings and examples stay as they are. */
function folded(page: string, width: number): string {
  return page
    .split('\n\n')
    .map((block) => (ofItems.test(block) ? withItemsFolded(block, width) : withTextFolded(block, width)))
    .join('\n\n');
}

const ofItems = /^.*(?:options|arguments|commands):\n/i;

const withItemsFolded = (block: string, width: number): string =>
  block.replace(
    /^( {2}\S.*? {2,})(\S.*)$/gm,
    (_line, term: string, text: string) => term + wrapped(text, width - term.length, term.length),
  );

const withTextFolded = (block: string, width: number): string =>
  block.replace(/^(?! |Usage: ).*[^:\n]$/gm, (line) => wrapped(line, width, 0));

/** Commander does not wrap for less, and neither does this. */
const narrowest = 20;

function wrapped(text: string, width: number, indent: number): string {
  if (width < narrowest) return text;
  const lines: string[] = [];
  let line = '';
  for (const word of text.match(/\s*\S+/g) ?? []) {
    if (line !== '' && line.length + word.length > width) {
      lines.push(line);
      line = word.trimStart();
    } else line += word;
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`);
}
