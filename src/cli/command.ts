/** A command of the line as data: program, start page, help, man page, completion and prices are derived from it. */
import type { Command as Parser } from '@commander-js/extra-typings';
import type { FailureCode } from '../errors.ts';

export type { Parser };

/** A word that other words follow, such as `lists`, or the words of a command. */
export interface Words {
  /** As typed after `pdi`: `lists people delete`. */
  readonly words: string;
  /** One line for the list of commands. */
  readonly summary: string;
  readonly description: string;
  /** For the start page, where the summary is too long for it. */
  readonly brief?: string;
}

/** A command line that works as it stands, and what it is for. */
export type Example = readonly [line: string, purpose: string];

/** Runs a command's work in a context made from the root options. */
export type Launch<Context> = (work: (context: Context) => Promise<void>) => Promise<void>;

export interface Command<Context> extends Words {
  readonly examples: readonly Example[];
  /** Adds arguments, options and what to do; nothing heavy may load before that is done. */
  readonly define: (parser: Parser, launch: Launch<Context>) => void;
  /** Set where it asks the service on its way to something else: those of an operation always do. */
  readonly asksService?: true;
  /** Set where it does more than ask and print, so that a dry run of it would be no dry run. */
  readonly changes?: true;
  /** What it may end with beside 0, 1 and 2, where that does not follow from what it asks and reads. */
  readonly exits?: readonly FailureCode[];
}

/** All commands, and the parser that they are in. */
export interface CommandTree<Context> {
  readonly program: Parser;
  readonly commands: readonly Command<Context>[];
}

export const narrowest = 20;
