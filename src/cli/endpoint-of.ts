/** The operation behind a command: what its `--fields` may name, and what a call costs. Loads the contract, for help and completions. */
import { operationCommands } from '../commands/index.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { operations } from '../contract/operations.ts';

const wordsOf: ReadonlyMap<string, string> = new Map(Object.entries(operationCommands).map(([operation, { words }]) => [operation, words]));

/** By the command's words, in the order of the operations. Commands that call nothing are missing. */
export const endpointOf: ReadonlyMap<string, Endpoint> = new Map(
  Object.entries(operations).map(([operation, endpoint]) => [wordsOf.get(operation) ?? operation, endpoint]),
);
