/** Answers `pdi … --help` and `pdi help …` from the pages, without parsing. */
import { fieldNames, helpPages } from './help-pages.ts';
import { type TopicName, topicNames, topicText } from './topic.ts';

/** `sandbox` and `mcp` are also commands: after `help` they mean the topic, before `--help` the command. */
const isTopic = (word: string): word is TopicName => topicNames.some((name) => name === word);

/** Gives the requested help, folded to `width` cells; undefined if the command line asks for anything else. */
export async function helpText(argv: readonly string[], width: number): Promise<string | undefined> {
  const [first, topic = ''] = argv;
  const last = argv.at(-1);
  if (last === '-h' || last === '--help') return pageText(argv.slice(0, -1), width);
  if (first !== 'help') return undefined;
  if (argv.length === 2 && isTopic(topic)) return topicText((await import('./topics.ts')).topics[topic], width);
  return pageText(argv.slice(1), width);
}

function pageText(path: readonly string[], width: number): string | undefined {
  const words = path.join(' ');
  const page = Object.hasOwn(helpPages, words) ? helpPages[words] : undefined;
  return page === undefined ? undefined : topicText(page, width);
}

export const fieldsOf = (words: string): readonly string[] => fieldNames[words] ?? [];

export const manual = async (version: string): Promise<string> => (await import('../completion/man.ts')).manPage(version);
