/** A command is data. Program, start page, help, man page, completion and prices are derived from it. */
import type {
  OptionValues,
  Command as Parser,
  Command as ParserOf,
} from '@commander-js/extra-typings';
import type { FailureCode } from '../exit.ts';
import type { Tools } from '../road/tools.ts';
import type { Choices } from './choices.ts';

export interface Words {
  /** As typed after `pdi`: `lists people delete`. */
  readonly words: string;
  readonly summary: string;
  readonly description: string;
  readonly brief?: string;
}

export type Work = (choices: Choices, tools: Tools) => Promise<void>;

/** The failures of whatever may be stopped from outside while it runs. */
export const stops: readonly FailureCode[] = ['hung_up', 'interrupted', 'terminated'];

export type TopicPart =
  | string
  | { readonly heading: string }
  | { readonly rows: readonly (readonly [term: string, meaning: string])[] }
  /** Commands, each with its purpose. A test types them into a shell. */
  | { readonly examples: readonly (readonly [lines: string, purpose: string])[] }
  /** Lines for another program than a shell, or lines that pdi prints. */
  | { readonly listing: string };

export interface Command extends Words {
  readonly examples: readonly (readonly [line: string, purpose: string])[];
  /** What it prints, if no operation says so. */
  readonly fields?: readonly string[];
  readonly remarks?: readonly TopicPart[];
  /** Set if the command asks the service as one of its steps. Commands of an operation always ask. */
  readonly asksService?: true;
  /** Set if the command does more than ask and print, so it cannot have a dry run. */
  readonly changes?: true;
  /** Failures besides exit codes 0, 1 and 2 that do not follow from what the command asks and reads. */
  readonly exits?: readonly FailureCode[];
  readonly define: (parser: Parser, launch: (work: Work) => Promise<void>) => void;
}

interface Declaration<A extends unknown[], O extends OptionValues> extends Omit<Command, 'define'> {
  readonly takes: (parser: Parser) => ParserOf<A, O>;
  /** Nothing heavy may load before this runs. */
  readonly run: (
    choices: Choices,
    tools: Tools,
    ...given: [...A, O, ParserOf<A, O>]
  ) => Promise<void>;
}

export const command = <A extends unknown[], O extends OptionValues>({
  takes,
  run,
  ...data
}: Declaration<A, O>): Command => ({
  ...data,
  define: (parser, launch) =>
    takes(parser).action((...given) => launch((choices, tools) => run(choices, tools, ...given))),
});
