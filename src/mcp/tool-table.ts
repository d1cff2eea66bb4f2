/** Makes all tools of a server: one for each operation, from the contract and the words of its command, and two of pdi's own. */

import { type OperationName, operations } from '../contract/operations.ts';
import { budgetTool } from './budget-tool.ts';
import { kindOfTool } from './listing.ts';
import { operationTool } from './operation-tool.ts';
import { isPlanned, planTool } from './plan-tool.ts';
import { resolveTool } from './resolve-tool.ts';
import type { Tool } from './tool.ts';
import type { ToolSession } from './tool-session.ts';
import { type ToolWords, toolNameOf } from './tool-words.ts';

export type OperationWords = Readonly<Record<OperationName, ToolWords>>;

interface ToolChoice {
  readonly names: readonly string[] | undefined;
  readonly readOnly: boolean;
}

export function toolTable(words: OperationWords, session: ToolSession, { names, readOnly }: ToolChoice): ReadonlyMap<string, Tool> {
  const isOperation = (name: string): name is OperationName => Object.hasOwn(words, name);
  const isWanted = (name: string): boolean => names === undefined || names.includes(name);
  const nameOfTool = (operation: OperationName): string => toolNameOf(words[operation].words);
  const all = Object.keys(words).filter(isOperation);
  const mayBeListed = all.filter((operation) => !readOnly || kindOfTool(operations[operation]) === 'read');
  const planned = new Map(all.filter(isPlanned).map((operation) => [nameOfTool(operation), operation]));
  const tools = [
    ...mayBeListed.map((operation) => toolOf(operation, words[operation], session)),
    planTool(session.calls, planned),
    budgetTool(session.calls),
  ];
  return new Map(tools.map((tool) => [tool.listed.name, tool] as const).filter(([name]) => isWanted(name)));
}

const toolOf = (operation: OperationName, words: ToolWords, session: ToolSession): Tool =>
  operation === 'resolvePeople' ? resolveTool(words, session) : operationTool(operation, words, session);
