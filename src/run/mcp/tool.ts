/** What a tool of `pdi mcp` is: how it is listed, and what a call of it gets. */
import type { InputRequiredResult } from '@modelcontextprotocol/server';
import type { JsonSchema } from '../../contract/json-schema.ts';

/** As `tools/list` shows it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object' } & JsonSchema;
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint?: boolean; readonly idempotentHint?: boolean };
}

/** What the person is asked about one call. */
export interface Question {
  /** It is the same when the same call comes again, with the answer of the person. */
  readonly subject: string;
  /** Written when it is asked, because it says what is left. @throws PdiError where nothing is left, so that nobody need be asked */
  readonly text: () => Promise<string>;
  /** Names the call in a refusal: `person, per_1`. */
  readonly label: string;
}

/** As the client sent them. */
export type GivenArguments = Readonly<Record<string, unknown>>;

export interface ToolCall {
  readonly given: GivenArguments;
  /** Whether nothing more may be sent: the session ends, or the client has taken the call back. */
  readonly stopped: () => boolean;
  /**
   * Asks the person. Undefined where they agreed; in the newer protocol, what the client has to ask before it calls again.
   * @throws UsageError where they did not agree, or cannot be asked
   */
  readonly ask: (question: Question) => Promise<InputRequiredResult | undefined>;
}

/** The result in JSON, or what the client has to ask first. */
export type ToolAnswer = string | InputRequiredResult;

export interface Tool {
  readonly listed: ListedTool;
  /** @throws PdiError, which becomes the error object of the result */
  readonly call: (call: ToolCall) => Promise<ToolAnswer>;
}
