/** What a word of the command line is given to register its command. */
import type { Command } from '@commander-js/extra-typings';
import type { Context } from './context.ts';

/** Runs a command's work in a context made from the root options; `command` is what the ledger and messages call it. */
export type Launch = (command: string, work: (context: Context) => Promise<void>) => Promise<void>;

/** What a word adds its command to. */
export type Program = Command;
