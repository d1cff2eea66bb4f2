/** A stored key is sent only to the base URL written beside it (`api-key-for`), so that a change of `base-url` cannot redirect it. */
import { normalBaseUrl } from './base-url.ts';

export const boundNames = ['key-command', 'api-key'] as const;
export type BoundName = (typeof boundNames)[number];

export const bindingName = (name: BoundName): string => `${name}-for`;

export const isBoundName = (name: string): name is BoundName => boundNames.some((bound) => bound === name);

/** A file written by hand binds a key by its `base-url`. It is undefined for a key without a base URL, which is sent nowhere. */
export function boundTo(values: Readonly<Record<string, unknown>>, name: BoundName): string | undefined {
  const written = bindingName(name);
  return normalBaseUrl(Object.hasOwn(values, written) ? values[written] : values['base-url']);
}
