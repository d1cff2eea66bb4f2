/** The commands as the user finds them: the whole tree, walked. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Command } from '../../src/cli/command.ts';
import { allCommands } from '../../src/front/commands.ts';
import { createProgram } from '../../src/front/program.ts';

export interface Node {
  readonly path: string;
  readonly parser: CommandUnknownOpts;
}

/** The commands below one, groups among them. */
const nodesOf = (parser: CommandUnknownOpts, before = ''): readonly Node[] =>
  parser.commands.flatMap((child) => {
    const path = `${before} ${child.name()}`.trim();
    return [{ path, parser: child }, ...nodesOf(child, path)];
  });

export const program = createProgram(async () => {});
export const nodes = nodesOf(program);
/** These have other commands below them, and can be run all the same. */
const both: readonly string[] = ['store', 'book', 'bookmarks', 'sandbox'];
export const leaves = nodes.filter(
  ({ path, parser }) => parser.commands.length === 0 || both.includes(path),
);

/** The command of these words. */
export function commandOf(path: string): Command {
  const found = allCommands.find(({ words }) => words === path);
  if (found === undefined) throw new Error(`there is no command ${path}`);
  return found;
}

export const groups = nodes.filter(({ parser }) => parser.commands.length > 0);
