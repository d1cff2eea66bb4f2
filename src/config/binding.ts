/** A stored key is sent only to the base URL written beside it (`api-key-for`), so that a change of `base-url` cannot redirect it. */
import { normalBaseUrl, sameOrigin } from './base-url.ts';

export const boundNames = ['key-command', 'api-key'] as const;
export type BoundName = (typeof boundNames)[number];

export type StoredValues = Readonly<Record<string, unknown>>;

export const bindingName = (name: BoundName): string => `${name}-for`;

export const isBoundName = (name: string): name is BoundName => boundNames.some((bound) => bound === name);

/** A file written by hand binds a key by its `base-url`. It is undefined for a key without a base URL, which is sent nowhere. */
export function boundTo(values: StoredValues, name: BoundName): string | undefined {
  const written = bindingName(name);
  return normalBaseUrl(Object.hasOwn(values, written) ? values[written] : values['base-url']);
}

export interface Rebound {
  readonly values: StoredValues;
  readonly notes: readonly string[];
}

/** Binds a key that is just being stored to the profile's base URL, else to the one in force. */
export function bindNew(values: StoredValues, name: BoundName, inForce: string | undefined): Rebound {
  const { [bindingName(name)]: _former, ...rest } = values;
  const target = normalBaseUrl(values['base-url']) ?? normalBaseUrl(inForce);
  if (target !== undefined) return { values: { ...rest, [bindingName(name)]: target }, notes: [] };
  const note = `${name} is not sent anywhere until this profile has a base URL: run pdi config set base-url URL`;
  return { values: rest, notes: [note] };
}

/** Binds the keys of a profile whose base URL becomes `next`; `values` still has the former one. */
export function rebind(values: StoredValues, next: string): Rebound {
  const bindings: Record<string, string> = {};
  const notes: string[] = [];
  for (const name of boundNames.filter((bound) => Object.hasOwn(values, bound))) {
    const former = boundTo(values, name) ?? next;
    // Within one origin the key goes along, such as from `/api/v1` to `/api/v2`.
    const goesAlong = sameOrigin(former, next);
    bindings[bindingName(name)] = goesAlong ? next : former;
    if (!goesAlong)
      notes.push(`${name} was stored for ${former} and is not sent to ${next}: run pdi config set ${name} to store one for it`);
    else if (former !== next) notes.push(`${name} now belongs to ${next}`);
  }
  return { values: { ...values, ...bindings }, notes };
}

/** Writes down the bindings that only `base-url` implied, because it is about to be removed. */
export function pinned(values: StoredValues): StoredValues {
  const implied = boundNames.filter((name) => Object.hasOwn(values, name) && !Object.hasOwn(values, bindingName(name)));
  const bindings = implied.map((name) => [bindingName(name), boundTo(values, name)] as const);
  return { ...values, ...Object.fromEntries(bindings.filter(([, target]) => target !== undefined)) };
}
