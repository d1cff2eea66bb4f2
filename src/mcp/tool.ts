/** Defines a tool of `pdi mcp`: its name, how it is listed, and what a call of it gets. */
import type { InputRequiredResult, Tool as ListedTool } from '@modelcontextprotocol/server';
import type { Endpoint } from '../contract/endpoint.ts';
import type { JsonObject } from '../json/exact.ts';

export interface McpRules {
  /** When the person is asked; `charged` if unset. A deletion counts as charged, whatever it costs. */
  readonly confirm?: 'always' | 'charged' | 'never' | undefined;
  readonly allowChanges?: boolean | undefined;
  readonly readOnly?: boolean | undefined;
  readonly tools?: readonly string[] | undefined;
}

/** A tool has the words of its command for a name, in the characters that every client takes. */
export const toolNameOf = (words: string): string => words.replaceAll(/[ -]/g, '_');

export const ownToolNames = ['plan', 'budget'] as const;

export interface ConsentQuestion {
  /** What would be bought, by its keys. Some of it may have been bought by another call when the answer of the person comes. */
  readonly subject: readonly string[];
  readonly text: string;
  readonly isFree: boolean;
  /** Names the call in a refusal: `person, per_1`. */
  readonly label: string;
  readonly item?: string | undefined;
}

export interface ToolCall {
  readonly input: JsonObject;
  /** It is true if nothing more may be sent: the session ends, or the client has taken the call back. */
  readonly stopped: () => boolean;
  /** An answer may cross with the client's word that it waits no more: then `keep` is called. */
  readonly ifUnheard: (keep: () => void) => void;
  /** @throws UsageError without consent; ToBeAsked, which goes to the client as it is */
  readonly ask: (question: ConsentQuestion) => Promise<void>;
}

/** The client has to ask the person first, and then calls again. */
export class ToBeAsked extends Error {
  constructor(readonly result: InputRequiredResult) {
    super('the client asks the person');
  }
}

export type Arguments = NonNullable<Endpoint['query']>;

export interface Tool {
  readonly listed: ListedTool;
  readonly takes: Arguments;
  /** Gives the result in JSON. @throws PdiError, which becomes the error object of the result, or ToBeAsked */
  readonly call: (call: ToolCall) => Promise<string>;
}
