/** The completion scripts: each gives the program the words that are typed, and shows what it offers. The build puts the files in here. */
import { readFileSync } from 'node:fs';

const textOf = (file: string): string =>
  readFileSync(new URL(`../../../completions/${file}`, import.meta.url), 'utf8');

export const completionScripts = {
  bash: textOf('pdi.bash'),
  zsh: textOf('_pdi'),
  fish: textOf('pdi.fish'),
  powershell: textOf('pdi.ps1'),
};

export type Shell = keyof typeof completionScripts;
