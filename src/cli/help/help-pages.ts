/** Every command's help text is made once, while the program is built, so that help needs no argument parser. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { endpointOf } from '../endpoint-of.ts';
import { createProgram } from '../program.ts';

// The names are here, because readers of the pages must not load the commands.
export { topicNames } from './topic-names.ts';

/** Help texts by the command's words, with long lines not yet folded. The text of the program itself is under ''. */
export const helpPages: Readonly<Record<string, string>> = writtenPages();

/** Gives what a command prints, then what it prints only if it is named. A list is named by its members. */
export function fieldsOf(words: string): readonly string[] {
  const endpoint = endpointOf.get(words);
  if (endpoint === undefined) return [];
  const { columns, members, stored } = endpoint;
  const origins = stored === true ? ['pdi_source', 'pdi_fetched_at'] : [];
  return [...(members?.columns ?? columns).map(({ name }) => name), ...origins];
}

function writtenPages(): Readonly<Record<string, string>> {
  const pages: Record<string, string> = {};
  let path = '';
  const writeOut = (text: string) => {
    pages[path] = `${pages[path] ?? ''}${text}`;
  };
  const { program } = createProgram(async () => {}, { writeOut, width: Number.POSITIVE_INFINITY, fieldsOf });
  const visit = (command: CommandUnknownOpts, words: string): void => {
    path = words;
    command.outputHelp();
    for (const child of command.commands) visit(child, `${words} ${child.name()}`.trim());
  };
  visit(program, '');
  return pages;
}
