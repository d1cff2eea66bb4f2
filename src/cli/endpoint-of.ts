/** The operation behind a command: what its `--fields` may name, and what a call costs. Loads the contract, for help and completions. */
import type { Endpoint } from '../contract/endpoint.ts';
import { operations } from '../contract/operations.ts';
import { commandOf } from './endpoints.ts';

const commands: ReadonlyMap<string, string> = new Map(Object.entries(commandOf));

/** By the command's words, in the order of the operations. Commands that call nothing are missing. */
export const endpointOf: ReadonlyMap<string, Endpoint> = new Map(
  Object.entries(operations).map(([operation, endpoint]) => [commands.get(operation) ?? operation, endpoint]),
);
