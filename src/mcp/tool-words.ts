/** The words of a command, from which its tool is made. */
export interface ToolWords {
  /** As typed after `pdi`: `lists people delete`. */
  readonly words: string;
  readonly summary: string;
  readonly description: string;
}

/** A tool of `pdi mcp` has the words of its command for a name, in the characters that every client takes. */
export const toolNameOf = (words: string): string => words.replaceAll(/[ -]/g, '_');

/** These tools belong to no operation. */
export const ownToolNames = ['plan', 'budget'] as const;
