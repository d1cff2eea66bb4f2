/** Help topics: their names, and their text. A topic is data, so that the terminal, the manual page and the tests read the same parts. */

import type { TopicPart } from '../../cli/command.ts';

export interface Topic {
  readonly title: string;
  readonly parts: readonly TopicPart[];
}

export const topicNames = [
  'exit-codes',
  'environment',
  'output',
  'input',
  'jobs',
  'spreadsheets',
  'money',
  'team',
  'sandbox',
  'ci',
  'mcp',
  'windows',
  'skill',
] as const;

export type TopicName = (typeof topicNames)[number];

/** In the package. */
export const skillFile = 'skills/pdi/SKILL.md';

const widest = 100;
const leastMeaning = 24;

/** Gives the text of a topic for a terminal of `width` cells. Only examples and listings may be wider. */
export function topicText({ title, parts }: Topic, width: number): string {
  const room = Math.min(width, widest);
  const blocks = parts.map(
    (part) =>
      `${partLines(part, room).join('\n')}\n${typeof part === 'object' && 'heading' in part ? '' : '\n'}`,
  );
  return `${title}\n\n${blocks.join('').trimEnd()}\n`;
}

function partLines(part: TopicPart, width: number): readonly string[] {
  if (typeof part === 'string') return folded(part, width);
  if ('heading' in part) return folded(part.heading, width);
  if ('rows' in part) return rowLines(part.rows, width);
  if ('examples' in part)
    return part.examples.flatMap(([lines, purpose]) => [`  # ${purpose}`, ...indented(lines)]);
  return indented(part.listing);
}

/** Help has no wide characters, and to load what measures them would take longer than all else. */
export function folded(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && longer.length > width) lines.push(line);
    line = line !== '' && longer.length > width ? word : longer;
  }
  return [...lines, line];
}

const indented = (lines: string): readonly string[] => lines.split('\n').map((line) => `  ${line}`);

function rowLines(rows: readonly (readonly [string, string])[], width: number): readonly string[] {
  const termWidth = Math.max(...rows.map(([term]) => term.length));
  const room = width - termWidth - 4;
  if (room < leastMeaning)
    return rows.flatMap(([term, meaning]) => [
      `  ${term}`,
      ...folded(meaning, width - 4).map((line) => `    ${line}`),
    ]);
  return rows.flatMap(([term, meaning]) =>
    folded(meaning, room).map(
      (line, index) => `  ${(index === 0 ? term : '').padEnd(termWidth)}  ${line}`,
    ),
  );
}
