/** The commands as the user finds them: the whole tree, walked. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { createProgram } from '../../src/cli/program.ts';

export interface Node {
  readonly path: string;
  readonly command: CommandUnknownOpts;
}

/** The commands below one, groups among them. */
const nodesOf = (command: CommandUnknownOpts, before = ''): readonly Node[] =>
  command.commands.flatMap((child) => {
    const path = `${before} ${child.name()}`.trim();
    return [{ path, command: child }, ...nodesOf(child, path)];
  });

export const program = createProgram(async () => {}, { writeOut: () => {}, width: 80 });
export const nodes = nodesOf(program);
export const leaves = nodes.filter(({ command }) => command.commands.length === 0);
export const groups = nodes.filter(({ command }) => command.commands.length > 0);
