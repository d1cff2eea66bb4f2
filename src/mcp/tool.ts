/** Defines a tool of `pdi mcp`: how it is listed, and what a call of it gets. */
import type { InputRequiredResult } from '@modelcontextprotocol/server';
import type { JsonSchema } from '../contract/json-schema.ts';

export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object' } & JsonSchema;
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint?: boolean; readonly idempotentHint?: boolean };
}

export interface ConsentQuestion {
  /** It is the same when the same call comes again, with the answer of the person. */
  readonly subject: string;
  /** It is written when it is asked, because it says what is left. @throws PdiError if nothing is left */
  readonly text: () => Promise<string>;
  /** Names the call in a refusal: `person, per_1`. */
  readonly label: string;
}

export type GivenArguments = Readonly<Record<string, unknown>>;

export interface ToolCall {
  readonly given: GivenArguments;
  /** It is true if nothing more may be sent: the session ends, or the client has taken the call back. */
  readonly stopped: () => boolean;
  /** An answer may cross with the client's word that it waits no more: then `keep` is called. */
  readonly ifUnheard: (keep: () => void) => void;
  /** Gives undefined if the person agreed, else what the client has to ask first. @throws UsageError without consent */
  readonly ask: (question: ConsentQuestion) => Promise<InputRequiredResult | undefined>;
}

/** It is the result in JSON, or what the client has to ask first. */
export type ToolAnswer = string | InputRequiredResult;

export interface Tool {
  readonly listed: ListedTool;
  /** @throws PdiError, which becomes the error object of the result */
  readonly call: (call: ToolCall) => Promise<ToolAnswer>;
}
