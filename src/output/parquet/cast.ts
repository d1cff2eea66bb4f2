/** Turns the values of a record into those of typed fields. What does not fit is null there, and told by its path. */
import { type ExactNumber, isNumber, isObject } from '../../json/parse.ts';
import { isSameValue } from '../../json/split.ts';
import { jsonText } from '../../json/write.ts';
import type { FieldType, ScalarType, TypedField } from './typed-fields.ts';

const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);
const dayMs = 86_400_000;

const dayShape = /^([1-9]\d{3})-(0[1-9]|1[0-2])-(\d{2})$/;
const timeShape = /^(\d{4}-\d{2}-\d{2})[T ]([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,6})0*)?(Z|[+-][01]\d:[0-5]\d)?$/;

/** Days since 1970. February 30 would be taken for March 2, so the day of the month is compared. */
function dayNumber(text: string): number | undefined {
  const [, year, month, day] = dayShape.exec(text) ?? [];
  const read = Date.UTC(Number(year), Number(month) - 1, Number(day));
  return new Date(read).getUTCDate() === Number(day) ? read / dayMs : undefined;
}

function microsecondsOf(text: string, isLocal: boolean): bigint | undefined {
  const [, date = '', hours, minutes, seconds, fraction = '', zone] = timeShape.exec(text) ?? [];
  const day = dayNumber(date);
  if (day === undefined || (isLocal && zone !== undefined)) return undefined;
  const [, sign = '', zoneHours = '0', zoneMinutes = '0'] = /^([+-])(\d{2}):(\d{2})$/.exec(zone ?? '') ?? [];
  const offset = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === '-' ? -1 : 1);
  const atSeconds = day * 86_400 + (Number(hours) * 60 + Number(minutes) - offset) * 60 + Number(seconds);
  return BigInt(atSeconds) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
}

function integerOf(value: number | ExactNumber): bigint | undefined {
  // Written otherwise (5.0, 1e3), a number may be an integer all the same.
  const digits = /^-?\d{1,19}$/;
  const sent = String(value);
  const text = digits.test(sent) || !isSameValue(sent) ? sent : String(Number(sent));
  const integer = digits.test(text) ? BigInt(text) : undefined;
  return integer !== undefined && integer >= int64Min && integer <= int64Max ? integer : undefined;
}

function doubleOf(value: number | ExactNumber): number | undefined {
  if (typeof value === 'number') return value;
  return isSameValue(value.source) ? Number(value.source) : undefined;
}

const scalarCasts: Readonly<Record<ScalarType, (value: unknown) => unknown>> = {
  text: (value) => (typeof value === 'string' ? value : undefined),
  any: (value) => (typeof value === 'string' ? value : jsonText(value)),
  integer: (value) => (isNumber(value) ? integerOf(value) : undefined),
  double: (value) => (isNumber(value) ? doubleOf(value) : undefined),
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
