/** Every command's help text, evaluated once while the program is built: then a page costs no argument parser. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { createProgram } from '../program.ts';

// Beside the pages, since what reads them must not load the commands for it.
export { topicNames } from './topic-names.ts';

/** Help texts whose long lines are not yet folded, by the command's words; the program's own is under ''. */
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
