/** What a command does, as plain values. `cli/choices.ts` makes them of the command line, the environment and the profile. */
import type { Age, BudgetLimits } from '../config/values.ts';
import type { OutputFormat } from '../output/formats.ts';
import type { Look } from '../output/layout.ts';

export interface Show extends Look {
  /** The words of the command, which workbooks and titles name. */
  readonly command: string;
  readonly format: OutputFormat;
  readonly out: string | undefined;
  readonly force: boolean;
  /** For a card that is taller than the terminal. */
  readonly pager: string | undefined;
  /** The program that takes the rows in place of standard output. */
  readonly program: readonly [string, ...string[]] | undefined;
  readonly isForStdout: boolean;
  readonly showsProgress: boolean;
  readonly quiet: boolean;
  readonly failIfEmpty: boolean;
  readonly fields: string | undefined;
  readonly where: string | undefined;
  readonly withInput: boolean;
}

/** What may be bought, and what is remembered of it. */
export interface Rules {
  readonly cap: number | 'unlimited';
  readonly limits: BudgetLimits;
  readonly fresh: boolean;
  readonly retryUnknown: boolean;
  readonly restart: boolean;
  readonly stopOnError: boolean;
  /** It was said, so that not even a job that finds nothing ends early. */
  readonly goesOnError: boolean;
  readonly maxAge: Age;
  /** In milliseconds; a sandbox's answers are invented, so they are kept only if the user asks. */
  readonly keptFor: number;
  readonly keepVersions: number;
  readonly profile: string;
  /** What the calls are counted for in place of FILE. */
  readonly tag?: string | undefined;
  /** What they are counted for in place of the command. */
  readonly countedAs?: string;
}

export interface CallRules {
  readonly concurrency: number;
  /** From so many at once their number adapts, up to `concurrency`. */
  readonly startsWith?: number;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly maxWaitMs: number;
  readonly rate: number | undefined;
}

export interface Plan {
  readonly isDry: boolean;
  readonly show: Show;
  readonly rules: Rules;
  readonly calls: CallRules;
}
