/** Finds the operation of a command, for `--fields` and prices. It loads the contract, so it is for help and completions. */
import { operationCommands } from '../commands/index.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { operationNames, operations } from '../contract/operations.ts';

/** Maps the command's words to its endpoint, in the order of the operations. Commands without an operation are missing. */
export const endpointOf: ReadonlyMap<string, Endpoint> = new Map(
  operationNames.map((name) => [operationCommands[name].words, operations[name]]),
);
