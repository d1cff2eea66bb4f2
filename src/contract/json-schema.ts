/** Describes the contract's schemas as JSON Schema, and checks the values of a request. */
import * as z from 'zod/mini';
import type { PathParameter } from './endpoint.ts';
import { facts } from './fields.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Only the beginning of a person id is documented, and nothing of a company's. */
export const shapeSchemas: Readonly<Record<PathParameter['shape'], JsonSchema>> = {
  company: { type: 'string' },
  person: { type: 'string', pattern: '^per_' },
  uuid: { type: 'string', format: 'uuid' },
  integer: { type: 'integer' },
};

/** Zod cannot describe the contract's own number checks, so the noted facts describe them. */
export const described = { metadata: facts, unrepresentable: 'any' } as const;

/** The dialect is left out, because those who embed the schema set it. */
export function jsonSchemaOf(schema: z.core.$ZodType): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, described);
  return rest;
}

/** Gives the dotted path of the first value that is not as the schema says; undefined where all are, '' for the whole. */
export function misfitIn(schema: z.core.$ZodType, value: unknown): string | undefined {
  const issue = z.safeParse(schema, value).error?.issues[0];
  if (issue === undefined) return undefined;
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  return [...issue.path, ...unknown].map(String).join('.');
}
