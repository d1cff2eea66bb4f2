/**
 * A schema's question "is this value as documented?" as a plain function. zod builds a result object for every field of every
 * record; a bulk job only wants yes or no, and asks zod for its words where the answer is no. Made from the schema itself, once.
 */
import type * as z from 'zod/mini';
import { isNumber } from '../contract/fields.ts';
import { KnownMembers } from '../members.ts';

/**
 * How far a value is as documented: not at all; in what is documented of it; or wholly: then nothing in it is nested that the
 * schema does not describe, and its numbers are members of objects.
 */
export type Fit = 0 | 1 | 2;
const [no, partly] = [0, 1] as const;
export const wholly: Fit = 2;

export type QuickCheck = (value: unknown) => Fit;

const whollyIf = (holds: boolean): Fit => (holds ? wholly : no);
const partlyIf = (holds: boolean): Fit => (holds ? partly : no);

/** Zod's own description of a schema, as far as a yes or no needs it. */
interface Definition {
  readonly type: string;
  /** Further conditions, such as a least length. */
  readonly checks?: readonly unknown[] | undefined;
  readonly innerType?: z.ZodMiniType;
  readonly shape?: Readonly<Record<string, z.ZodMiniType>>;
  /** What unknown fields must be. */
  readonly catchall?: z.ZodMiniType;
  readonly element?: z.ZodMiniType;
  /** Of a custom schema: the condition. */
  readonly fn?: (value: unknown) => unknown;
}

const made = new WeakMap<z.ZodMiniType, QuickCheck>();

/** More than 0 only where `schema.safeParse` succeeds and gives back the value itself. */
export function quickCheckOf(schema: z.ZodMiniType): QuickCheck {
  const known = made.get(schema);
  if (known !== undefined) return known;
  const check = checkOf(schema);
  made.set(schema, check);
  return check;
}

const definitionOf = (schema: z.ZodMiniType): Definition => schema.def;

function checkOf(schema: z.ZodMiniType): QuickCheck {
  const { type, checks = [], innerType, shape, catchall, element, fn } = definitionOf(schema);
  if (checks.length > 0) return askZod(schema);
  if (type === 'string') return (value) => whollyIf(typeof value === 'string');
  if (type === 'boolean') return (value) => whollyIf(typeof value === 'boolean');
  if (type === 'custom' && fn !== undefined) return (value) => partlyIf(Boolean(fn(value)));
  if (type === 'optional' && innerType !== undefined) return orElse(undefined, quickCheckOf(innerType));
  if (type === 'nullable' && innerType !== undefined) return orElse(null, quickCheckOf(innerType));
  if (type === 'array' && element !== undefined) return arrayOf(quickCheckOf(element));
  if (type === 'object' && shape !== undefined && isLoose(catchall)) return objectOf(shape);
  return askZod(schema);
}

/** Kinds of schema that no answer has, or few: zod judges. Where nothing is may matter to it, so that is no quick yes. */
const askZod =
  (schema: z.ZodMiniType): QuickCheck =>
  (value) =>
    partlyIf(value !== undefined && schema.safeParse(value).success);

const isLoose = (catchall: z.ZodMiniType | undefined): boolean => catchall !== undefined && definitionOf(catchall).type === 'unknown';

const orElse =
  (nothing: null | undefined, check: QuickCheck): QuickCheck =>
  (value) =>
    value === nothing ? wholly : check(value);

function arrayOf(check: QuickCheck): QuickCheck {
  return (value) => {
    if (!Array.isArray(value)) return no;
    let fit: Fit = wholly;
    for (const item of value) {
      const found = check(item);
      if (found === no) return no;
      if (found < fit) fit = found;
    }
    return fit;
  };
}

/** As zod sees it. */
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function objectOf(shape: Readonly<Record<string, z.ZodMiniType>>): QuickCheck {
  const fields = Object.entries(shape).map(([name, field]) => {
    const check = quickCheckOf(field);
    return [name, { kinds: plainKindsOf(field), check, needed: check(undefined) === no ? 1 : 0 }] as const;
  });
  const needed = fields.filter(([, field]) => field.needed === 1).length;
  const members = new KnownMembers(new Map(fields));
  return (value) => {
    if (!isObject(value)) return no;
    let fit: Fit = wholly;
    let [place, found] = [0, 0];
    // What is there, not what may be: most records lack most fields, and the engine reads a member that it has just named at once.
    for (const name in value) {
      const field = members.at(place, name);
      place += 1;
      const member = value[name];
      const kind = kindOf(member);
      if (field === undefined) {
        if (kind === nested) fit = partly;
        continue;
      }
      if ((kind & field.kinds) === 0) {
        const inner = field.check(member);
        if (inner === no) return no;
        if (inner < fit) fit = inner;
      }
      found += field.needed;
    }
    return found === needed ? fit : no;
  };
}

/** Kinds of values as bits: most fields are judged without a call. */
const [nested, absent, nothing, string, boolean, number] = [0, 1, 2, 4, 8, 16];

function kindOf(value: unknown): number {
  if (typeof value === 'string') return string;
  if (value === null) return nothing;
  if (value === undefined) return absent;
  if (typeof value === 'number') return number;
  return typeof value === 'boolean' ? boolean : nested;
}

/** The kinds that a schema takes as they are; what else it takes, its check tells. */
function plainKindsOf(schema: z.ZodMiniType): number {
  const { type, checks = [], innerType, fn } = definitionOf(schema);
  if (checks.length > 0) return 0;
  if (type === 'string') return string;
  if (type === 'boolean') return boolean;
  if (fn === isNumber) return number;
  if (innerType === undefined) return 0;
  if (type === 'optional') return absent | plainKindsOf(innerType);
  return type === 'nullable' ? nothing | plainKindsOf(innerType) : 0;
}
