/** Answers `pdi … --help` and `pdi help …` from the pages, without parsing. */

import type { TopicPart } from '../../cli/command.ts';
import { fieldNames, helpPages } from './help-pages.ts';
import { type Topic, type TopicName, topicNames, topicText } from './topic.ts';

/** `sandbox` and `mcp` are also commands: after `help` they mean the topic, before `--help` the command. */
const isTopic = (word: string): word is TopicName => topicNames.some((name) => name === word);

/** Which topic explains a group of the options that every command takes. */
const groupsOf: Readonly<Partial<Record<TopicName, readonly string[]>>> = {
  output: ['Output options:'],
  money: ['Money options:'],
  jobs: ['Jobs options:', 'Run options:'],
  environment: ['Profile options:', 'Network options:'],
  sandbox: ['Sandbox options:'],
};

/** Gives the requested help, folded to `width` cells; undefined if the command line asks for anything else. */
export async function helpText(
  argv: readonly string[],
  width: number,
): Promise<string | undefined> {
  const [first, topic = ''] = argv;
  const last = argv.at(-1);
  if (last === '-h' || last === '--help') return pageText(argv.slice(0, -1), width, last === '-h');
  if (first !== 'help') return undefined;
  if (argv.length === 2 && isTopic(topic)) return topicText(await wholeTopic(topic), width);
  return pageText(argv.slice(1), width, false);
}

function pageText(path: readonly string[], width: number, isShort: boolean): string | undefined {
  const words = path.join(' ');
  const page = Object.hasOwn(helpPages, words) ? helpPages[words] : undefined;
  if (page === undefined) return undefined;
  return topicText(words === '' ? firstPage(page) : isShort ? shortened(page, words) : page, width);
}

/** The rows below a heading, and the heading. */
function tableOf(page: Topic | undefined, heading: string): readonly TopicPart[] {
  const at =
    page?.parts.findIndex(
      (part) => typeof part === 'object' && 'heading' in part && part.heading === heading,
    ) ?? -1;
  return at < 0 ? [] : (page?.parts.slice(at, at + 2) ?? []);
}

const rowsBelow = (page: Topic | undefined, heading: string) => {
  const [, table] = tableOf(page, heading);
  return typeof table === 'object' && 'rows' in table ? table.rows : [];
};

async function wholeTopic(name: TopicName): Promise<Topic> {
  const { title, parts } = (await import('./topics.ts')).topics[name];
  const tables = (groupsOf[name] ?? []).flatMap((heading) => tableOf(helpPages[''], heading));
  const ofInput = rowsBelow(helpPages.person, 'Options:').filter(
    ([term]) => !term.includes('--help'),
  );
  return {
    title,
    parts: [
      ...parts,
      ...tables,
      ...(name === 'input' ? [{ heading: 'Input options:' }, { rows: ofInput }] : []),
    ],
  };
}

/** Whoever asks `pdi --help` looks for a command: of the options it names the topics. */
function firstPage(page: Topic): Topic {
  const commands = rowsBelow(page, 'Commands:').map(
    ([term, meaning]) => [term.replace(/ .*/, ''), meaning] as const,
  );
  const flagsIn = (headings: readonly string[]) =>
    headings
      .flatMap((heading) => rowsBelow(page, heading))
      .map(([term]) => term.replace(',', '').replace(/ <.*/, ''));
  const groups = Object.entries(groupsOf).map(
    ([topic, headings = []]) => [topic, flagsIn(headings).join(' ')] as const,
  );
  return {
    title: page.title,
    parts: [
      page.parts[0] ?? '',
      { heading: 'Commands:' },
      { rows: commands },
      { heading: 'Options of every command, by the topic that explains them (pdi help TOPIC):' },
      { rows: [...groups, ['input', flagsOfInput()], ['', flagsIn(['Options:']).join(' ')]] },
      '`pdi COMMAND -h` has its options and two examples, `pdi COMMAND --help` all.',
    ],
  };
}

const flagsOfInput = (): string =>
  rowsBelow(helpPages.person, 'Options:')
    .flatMap(([term]) => term.match(/--[\w-]+/) ?? [])
    .filter((flag) => flag !== '--help')
    .join(' ');

/** Usage, its own options, and two examples. */
function shortened({ title, parts }: Topic, words: string): Topic {
  const isTable = (part: TopicPart | undefined) => typeof part === 'object' && 'rows' in part;
  const end = parts.findIndex((part) => typeof part === 'object' && 'examples' in part);
  // A group of commands has no more than that.
  if (end < 0) return { title, parts };
  const kept = parts
    .slice(0, end)
    .filter((part, at) => isOptions(parts, at) || (isTable(part) && isOptions(parts, at - 1)));
  const examples = parts.flatMap((part) =>
    typeof part === 'object' && 'examples' in part ? [{ examples: part.examples.slice(0, 2) }] : [],
  );
  return { title, parts: [...kept, ...examples, `All of it: \`pdi ${words} --help\`.`] };
}

function isOptions(parts: readonly TopicPart[], at: number): boolean {
  const part = parts[at];
  return (
    typeof part === 'object' &&
    'heading' in part &&
    /^(?:Arguments|Commands|.*ptions):$/.test(part.heading)
  );
}

export const fieldsOf = (words: string): readonly string[] => fieldNames[words] ?? [];

export const manual = async (version: string): Promise<string> =>
  (await import('../completion/man.ts')).manPage(version);
