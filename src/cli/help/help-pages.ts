/** Every command's help text is made once, while the program is built, so that help needs no argument parser. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { createProgram } from '../program.ts';

// The names are here, because readers of the pages must not load the commands.
export { topicNames } from './topic-names.ts';

/** Help texts by the command's words, with long lines not yet folded. The text of the program itself is under ''. */
export const helpPages: Readonly<Record<string, string>> = writtenPages();

function writtenPages(): Readonly<Record<string, string>> {
  const pages: Record<string, string> = {};
  let path = '';
  const writeOut = (text: string) => {
    pages[path] = `${pages[path] ?? ''}${text}`;
  };
  const { program } = createProgram(async () => {}, { writeOut, width: Number.POSITIVE_INFINITY });
  const visit = (command: CommandUnknownOpts, words: string): void => {
    path = words;
    command.outputHelp();
    for (const child of command.commands) visit(child, `${words} ${child.name()}`.trim());
  };
  visit(program, '');
  return pages;
}
