/**
 * A stored key belongs to the base URL of its profile and is never sent to another. What it belongs to is written beside it
 * (`api-key-for`, `key-command-for`), so that no later change of `base-url`, by us or by hand, can redirect it.
 *
 * - A key is used where the base URL in force is, as a whole, the one it belongs to: a gateway may serve several services
 *   from one origin, told apart by path.
 * - `config set base-url` within one origin (`/api/v1` to `/api/v2`) takes the key along; to another origin it does not.
 * - A key that was stored before any base URL is known is sent nowhere until `config set base-url` binds it.
 */
import { normalBaseUrl, sameOrigin } from './base-url.ts';

/** The stored settings that lead to a key. */
export const boundNames = ['key-command', 'api-key'] as const;
export type BoundName = (typeof boundNames)[number];

type StoredValues = Readonly<Record<string, unknown>>;

export const bindingName = (name: BoundName): string => `${name}-for`;

export const isBoundName = (name: string): name is BoundName => boundNames.some((bound) => bound === name);

/** The base URL that a stored key or key-command belongs to; undefined: none yet. A file written by hand binds by its `base-url`. */
export function boundTo(values: StoredValues, name: BoundName): string | undefined {
  const written = bindingName(name);
  return normalBaseUrl(Object.hasOwn(values, written) ? values[written] : values['base-url']);
}

/** A profile's values after a change, and what the user should know about it. */
export interface Rebound {
  readonly values: StoredValues;
  readonly notes: readonly string[];
}

/** The binding of a key that is just being stored: the profile's base URL, else the one in force. */
export function bindNew(values: StoredValues, name: BoundName, inForce: string | undefined): Rebound {
  const { [bindingName(name)]: _former, ...rest } = values;
  const target = normalBaseUrl(values['base-url']) ?? normalBaseUrl(inForce);
  if (target !== undefined) return { values: { ...rest, [bindingName(name)]: target }, notes: [] };
  const note = `${name} is not sent anywhere until this profile has a base URL: run pdi config set base-url URL`;
  return { values: rest, notes: [note] };
}

function rebindOne(values: StoredValues, name: BoundName, next: string): Rebound {
  const written = bindingName(name);
  const former = boundTo(values, name);
  if (former === undefined || former === next) return { values: { ...values, [written]: next }, notes: [] };
  if (sameOrigin(former, next)) return { values: { ...values, [written]: next }, notes: [`${name} now belongs to ${next}`] };
  const note = `${name} was stored for ${former} and is not sent to ${next}: run pdi config set ${name} to store one for it`;
  return { values: { ...values, [written]: former }, notes: [note] };
}

/** The bindings of a profile whose base URL becomes `next`. `values` still has the former base URL. */
export function rebind(values: StoredValues, next: string): Rebound {
  const present = boundNames.filter((name) => Object.hasOwn(values, name));
  return present.reduce<Rebound>(
    (so, name) => {
      const one = rebindOne(so.values, name, next);
      return { values: one.values, notes: [...so.notes, ...one.notes] };
    },
    { values, notes: [] },
  );
}

/** Writes down what was only implied by `base-url`, which is about to go. */
export function pinned(values: StoredValues): StoredValues {
  const implied = boundNames.filter((name) => Object.hasOwn(values, name) && !Object.hasOwn(values, bindingName(name)));
  const bindings = implied.map((name) => [bindingName(name), boundTo(values, name)] as const);
  return { ...values, ...Object.fromEntries(bindings.filter(([, target]) => target !== undefined)) };
}
