/**
 * Console blocks of a Markdown text, as steps that a test can run.
 *
 * A block marked `console` holds `$ command` lines, each followed by what it prints; a line `…` stands for any lines. A block
 * marked with a language and a file name (`csv people.csv`) is a file. Steps under one `##` heading share a folder.
 */
interface Command {
  readonly kind: 'command';
  /** As typed, without the `$`. */
  readonly text: string;
  readonly expected: readonly string[];
  /** Index of the first expected line in the text. */
  readonly at: number;
}

interface FileGiven {
  readonly kind: 'file';
  readonly name: string;
  readonly content: string;
}

export interface Section {
  readonly title: string;
  readonly steps: readonly (Command | FileGiven)[];
}

interface Block {
  readonly language: string;
  readonly name: string | undefined;
  readonly lines: readonly string[];
  readonly at: number;
}

/** The sections that hold anything to run or to write. */
export function readSections(markdown: string): readonly Section[] {
  const sections: { title: string; steps: (Command | FileGiven)[] }[] = [{ title: '', steps: [] }];
  let open: { language: string; name: string | undefined; lines: string[]; at: number } | undefined;
  for (const [index, line] of markdown.split('\n').entries()) {
    const fence = /^```(\w*) ?(\S*)/.exec(line);
    if (fence === null) {
      if (open !== undefined) open.lines.push(line);
      else if (line.startsWith('## ')) sections.push({ title: line.slice(3), steps: [] });
    } else if (open === undefined) {
      open = { language: fence[1] ?? '', name: fence[2] || undefined, lines: [], at: index + 1 };
    } else {
      sections.at(-1)?.steps.push(...stepsOf(open));
      open = undefined;
    }
  }
  return sections.filter(({ steps }) => steps.length > 0);
}

function stepsOf({ language, name, lines, at }: Block): readonly (Command | FileGiven)[] {
  if (name !== undefined) return [{ kind: 'file', name, content: `${lines.join('\n')}\n` }];
  if (language !== 'console') return [];
  const starts = lines.flatMap((line, index) => (line.startsWith('$ ') ? [index] : []));
  return starts.map((start, which) => ({
    kind: 'command',
    text: lines[start]?.slice(2) ?? '',
    expected: lines.slice(start + 1, starts[which + 1]),
    at: at + start + 1,
  }));
}

const elision = '…';

export const hasElision = (expected: readonly string[]): boolean => expected.includes(elision);

/** Whether `actual` is what `expected` shows, where a line `…` stands for any number of lines. */
export function fits(expected: readonly string[], actual: readonly string[]): boolean {
  const [first, ...rest] = expected;
  if (first === undefined) return actual.length === 0;
  if (first !== elision) return actual[0] === first && fits(rest, actual.slice(1));
  return actual.some((_line, index) => fits(rest, actual.slice(index))) || rest.length === 0;
}

/** A command line's words; quotes keep spaces together. */
export const wordsOf = (text: string): readonly string[] =>
  [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
