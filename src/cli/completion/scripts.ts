/** Makes the completion script of each shell from the command tree. */

import { settings, storedSettings } from '../../config/settings.ts';
import { outputFormats } from '../../output/formats.ts';
import { faultNames } from '../../sandbox/faults.ts';
import { endpointOf } from '../endpoint-of.ts';
import { topicNames } from '../help/topic-names.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { powershellScript } from './powershell.ts';
import type { Shell } from './shells.ts';
import { type CommandShape, type CompletionHints, completionTree, type ValueHints } from './tree.ts';
import { zshScript } from './zsh.ts';

export const scriptFiles: Readonly<Record<Shell, string>> = { bash: 'pdi.bash', zsh: '_pdi', fish: 'pdi.fish', powershell: 'pdi.ps1' };

const writers = { bash: bashScript, zsh: zshScript, fish: fishScript, powershell: powershellScript } as const;

const values: ValueHints = {
  '--input': { kind: 'file', isInput: true },
  '--out': { kind: 'file' },
  '--add-from': { kind: 'file', isInput: true },
  '--delete-from': { kind: 'file', isInput: true },
  '--profile': { kind: 'profile' },
  '--fields': { kind: 'fields' },
  '--column': { kind: 'columns' },
  '--output': { kind: 'choices', choices: outputFormats },
  '--fault': { kind: 'choices', choices: faultNames },
};

const names = storedSettings.map(({ name }) => name);

const hints: CompletionHints = {
  values,
  arguments: {
    help: topicNames,
    'config get': names,
    'config unset': names,
    'config set': names,
    ...Object.fromEntries(names.map((name) => [`config set ${name}`, name === settings.output.name ? outputFormats : []])),
  },
  fieldsOf: (path) => endpointOf.get(path)?.columns.map(({ name }) => name) ?? [],
};

export const completionScript = (shell: Shell, program: CommandShape): string => writers[shell](completionTree(program, hints));
