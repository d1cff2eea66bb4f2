/** Turns the values of a record into those of typed fields. What does not fit is null there, and told by its path. */
import { type ExactNumber, isNumber, isObject, nearestDouble } from '../../json/parse.ts';
import { isSameValue } from '../../json/split.ts';
import { jsonText } from '../../json/write.ts';
import { localSeconds, parseIsoTime } from '../../rows/iso-time.ts';
import type { FieldType, ScalarType, TypedField } from './typed-fields.ts';

const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);
/** A time of day in a column of days would be lost, so it does not fit there. */
function dayNumber(text: string): number | undefined {
  const time = parseIsoTime(text);
  return time === undefined || time.hasTime ? undefined : time.day;
}

function microsecondsOf(text: string, isLocal: boolean): bigint | undefined {
  const time = parseIsoTime(text);
  if (time === undefined || !time.hasTime || (isLocal && time.offset !== undefined)) return undefined;
  return BigInt(localSeconds(time) - (time.offset ?? 0)) * 1_000_000n + BigInt(time.micros);
}

function integerOf(value: number | ExactNumber): bigint | undefined {
  // Written otherwise (5.0, 1e3), a number may be an integer all the same.
  const digits = /^-?\d{1,19}$/;
  const sent = String(value);
  const text = digits.test(sent) || !isSameValue(sent) ? sent : String(Number(sent));
  const integer = digits.test(text) ? BigInt(text) : undefined;
  return integer !== undefined && integer >= int64Min && integer <= int64Max ? integer : undefined;
}

const scalarCasts: Readonly<Record<ScalarType, (value: unknown) => unknown>> = {
  text: (value) => (typeof value === 'string' ? value : undefined),
  any: (value) => (typeof value === 'string' ? value : jsonText(value)),
  integer: (value) => (isNumber(value) ? integerOf(value) : undefined),
  // A decimal with more digits than a double holds is the nearest double, as sums of it need no more.
  double: (value) => (isNumber(value) ? nearestDouble(value) : undefined),
  boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  day: (value) => (typeof value === 'string' ? dayNumber(value) : undefined),
  instant: (value) => (typeof value === 'string' ? microsecondsOf(value, false) : undefined),
  'local time': (value) => (typeof value === 'string' ? microsecondsOf(value, true) : undefined),
};

/** Keeps, by path, what no field takes: a value that does not fit, or one whose field is not documented. */
export class Leftovers {
  /** A field may be called `__proto__`. */
  readonly values: Record<string, unknown> = Object.create(null);
  misfit = false;
  isEmpty = true;
  private readonly above: (string | number)[] = [];

  add(name: string | number, value: unknown): void {
    this.values[[...this.above, name].join('.')] = value;
    this.isEmpty = false;
  }

  below<T>(name: string | number, work: () => T): T {
    this.above.push(name);
    const result = work();
    this.above.pop();
    return result;
  }
}

/** Returns the value as a field of the type takes it. What does not fit is null, and a leftover under `name`. */
export function cast(value: unknown, type: FieldType, name: string | number, leftovers: Leftovers): unknown {
  if (value === undefined || value === null) return null;
  const fitting = typeof type === 'string' ? scalarCasts[type](value) : leftovers.below(name, () => nested(value, type, leftovers));
  if (fitting !== undefined) return fitting;
  leftovers.add(name, value);
  leftovers.misfit = true;
  return null;
}

function nested(value: unknown, type: Exclude<FieldType, string>, leftovers: Leftovers): unknown {
  if ('fields' in type) return isObject(value) ? object(value, type.fields, leftovers) : undefined;
  return Array.isArray(value) ? value.map((item, index) => cast(item, type.list, index, leftovers)) : undefined;
}

function object(value: Readonly<Record<string, unknown>>, fields: readonly TypedField[], leftovers: Leftovers): unknown {
  const result: Record<string, unknown> = {};
  let known = 0;
  for (const { name, type } of fields) {
    if (Object.hasOwn(value, name)) known += 1;
    result[name] = cast(value[name], type, name, leftovers);
  }
  if (known < Object.keys(value).length) addUnknown(value, result, leftovers);
  return result;
}

/** Adds the keys of `value` that are not `known`; what is null says nothing. */
export function addUnknown(value: Readonly<Record<string, unknown>>, known: object, leftovers: Leftovers): void {
  for (const name of Object.keys(value)) {
    const unknown = value[name];
    if (!Object.hasOwn(known, name) && unknown !== null && unknown !== undefined) leftovers.add(name, unknown);
  }
}
