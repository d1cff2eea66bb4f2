/** Answers `pdi … --help` and `pdi help …` from the pages, without parsing. */

import { resolve } from 'node:path';
import type { TopicPart } from '../../cli/command.ts';
import { fieldNames, helpPages } from './help-pages.ts';
import { skillFile, type Topic, type TopicName, topicNames, topicText } from './topic.ts';

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

/** Gives the requested help, folded to `width` cells, or with `--json` as data; undefined if the command line asks for anything else. */
export async function helpText(
  argv: readonly string[],
  width: number,
  program: readonly string[] = [],
): Promise<string | undefined> {
  const isJson = argv.at(-1) === '--json';
  const asked = isJson ? argv.slice(0, -1) : argv;
  const last = asked.at(-1);
  const isFlag = last === '-h' || last === '--help';
  if (!isFlag && asked[0] !== 'help') return undefined;
  const path = isFlag ? asked.slice(0, -1) : asked.slice(1);
  const [topic = ''] = path;
  if (!isFlag && path.length === 1 && isTopic(topic)) {
    const whole = await wholeTopic(topic, resolve(program.at(-1) ?? '', '../..', skillFile));
    return isJson ? topicJson(whole) : topicText(whole, width);
  }
  const words = path.join(' ');
  const page = Object.hasOwn(helpPages, words) ? helpPages[words] : undefined;
  if (page === undefined || isJson) return page && topicJson(page, fieldsOf(words));
  const shown = words === '' ? firstPage(page) : last === '-h' ? shortened(page, words) : page;
  return topicText(shown, width);
}

/** Each table under the word of its heading (`options` with their group), for programs that read how a command is called. */
function topicJson({ title, parts }: Topic, fields: readonly string[] = []): string {
  const tables: Record<string, object[]> = {};
  const remarks: string[] = [];
  let heading = '';
  for (const part of parts) {
    if (typeof part === 'string') remarks.push(part);
    else if ('heading' in part) heading = part.heading.replace(/:$/, '');
    else if ('listing' in part) remarks.push(`${heading}\n${part.listing}`);
    else if ('examples' in part)
      tables.examples = part.examples.map(([line, purpose]) => ({ line, purpose }));
    else {
      const group = / options$/i.test(heading) ? { group: heading } : {};
      const name = /options$/i.test(heading) ? 'options' : heading.toLowerCase();
      const rows = part.rows.map(([term, meaning]) => ({ term, meaning, ...group }));
      tables[name] = [...(tables[name] ?? []), ...rows];
    }
  }
  const usage = title.replace(/^Usage: /, '');
  return `${JSON.stringify({ usage, remarks, ...tables, fields }, null, 2)}\n`;
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

async function wholeTopic(name: TopicName, skill: string): Promise<Topic> {
  const { title, parts } = (await import('./topics.ts')).topics[name];
  const tables = (groupsOf[name] ?? []).flatMap((heading) => tableOf(helpPages[''], heading));
  const ofInput = rowsBelow(helpPages.person, 'Options:').filter(
    ([term]) => !term.includes('--help'),
  );
  return {
    title,
    parts: [
      ...parts.map((part) =>
        typeof part === 'object' && 'listing' in part && part.listing === skillFile
          ? { listing: skill }
          : part,
      ),
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
