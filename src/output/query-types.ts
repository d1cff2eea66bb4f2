/** Comparisons that the documented types make false for every record: they would keep nothing of what is paid for. */
import { type Column, isFigure } from '../contract/columns.ts';
import { listed, UsageError } from '../errors.ts';
import { isNumber, isObject, jsonText } from '../json/exact.ts';
import { isDay } from '../rows/days.ts';
import { type ExpressionNode, treeOf } from './jmespath-tree.ts';

type ValueType = 'number' | 'text' | 'date' | 'flag' | 'list' | 'object';

const words: Readonly<Record<ValueType, string>> = {
  number: 'a number',
  text: 'a text',
  date: 'a date',
  flag: 'true or false',
  list: 'a list',
  object: 'an object',
};

/** What is known of a part: its type, the field it is of, and its value where that is written down. */
interface KnownValue {
  readonly type: ValueType | undefined;
  readonly column?: Column | undefined;
  readonly value?: unknown;
}

/** A path of the record, as `--fields` takes it; `undefined` where nothing is known of the value. */
type RecordPlace = string | typeof allRecords | undefined;

const allRecords = Symbol('the list of all records');

export interface TypeCheck {
  readonly flag: '--where' | '--query';
  readonly columnAt: (path: string) => Column | undefined;
  readonly root: 'record' | 'records';
}

/** Gives remarks on values that the document does not give. @throws UsageError for a comparison that no record fits */
export function refuseNeverTrue(expression: string, check: TypeCheck): readonly string[] {
  return [...remarksOn(treeOf(expression), check.root === 'records' ? allRecords : '', check)];
}

function* remarksOn(node: ExpressionNode, place: RecordPlace, check: TypeCheck): Generator<string> {
  const { type, children } = node;
  if (type === 'Comparator' || type === 'Function') yield* remarksOnTypes(node, place, check);
  const [first] = children;
  for (const [at, child] of children.entries())
    yield* remarksOn(child, at === 0 ? place : placeOfPart(node, first, place), check);
}

/** The first part looks at the value itself, the others at what it gives. */
function placeOfPart(
  { type }: ExpressionNode,
  first: ExpressionNode | undefined,
  place: RecordPlace,
): RecordPlace {
  if (first === undefined || type === 'ExpressionReference' || type === 'Function')
    return type === 'Function' ? place : undefined;
  if (/^(?:Subexpression|IndexExpression|Pipe)$/.test(type)) return placeOf(first, place);
  if (/^(?:Filter)?Projection$/.test(type)) return elementOf(placeOf(first, place));
  return type === 'ValueProjection' ? undefined : place;
}

function placeOf(node: ExpressionNode, place: RecordPlace): RecordPlace {
  const { type, children, name } = node;
  const [first, second] = children;
  if (type === 'Field')
    return typeof place === 'string'
      ? place === ''
        ? String(name)
        : `${place}.${String(name)}`
      : undefined;
  if (type === 'Current' || type === 'Identity') return place;
  if (first === undefined) return undefined;
  if (type === 'Flatten') return placeOf(first, place) === allRecords ? allRecords : undefined;
  if (second === undefined || !/^(?:Subexpression|IndexExpression|Pipe)$/.test(type))
    return undefined;
  const inner = placeOf(first, place);
  if (second.type === 'Index') return elementOf(inner);
  return second.type === 'Slice' ? inner : placeOf(second, inner);
}

function elementOf(list: RecordPlace): RecordPlace {
  if (list === allRecords) return '';
  return list === undefined ? undefined : `${list}.0`;
}

function typeOf({ kind, numeric, element, fields }: Column): ValueType | undefined {
  if (element !== undefined || kind === 'list') return 'list';
  if (fields !== undefined) return 'object';
  if (isFigure(kind) || numeric === true) return 'number';
  if (kind === 'json') return undefined;
  return kind === 'date' || kind === 'flag' ? kind : 'text';
}

function knownValue(
  node: ExpressionNode | undefined,
  place: RecordPlace,
  { columnAt }: TypeCheck,
): KnownValue {
  if (node === undefined) return { type: undefined };
  if (node.type === 'Literal') return { type: typeOfValue(node.value), value: node.value };
  if (node.type === 'Function') return { type: results[String(node.name)] };
  const path = placeOf(node, place);
  const column = typeof path === 'string' && path !== '' ? columnAt(path) : undefined;
  return { type: column && typeOf(column), column };
}

function typeOfValue(value: unknown): ValueType | undefined {
  if (isNumber(value)) return 'number';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'flag';
  if (Array.isArray(value)) return 'list';
  return isObject(value) ? 'object' : undefined;
}

const results: Readonly<Record<string, ValueType>> = {
  ...Object.fromEntries(
    ['abs', 'avg', 'ceil', 'floor', 'length', 'sum', 'to_number'].map((name) => [name, 'number']),
  ),
  ...Object.fromEntries(['join', 'to_string', 'type'].map((name) => [name, 'text'])),
  ...Object.fromEntries(['contains', 'ends_with', 'starts_with'].map((name) => [name, 'flag'])),
};

const textFunctions = /^(?:starts_with|ends_with)$/;

function* remarksOnTypes(
  node: ExpressionNode,
  place: RecordPlace,
  check: TypeCheck,
): Generator<string> {
  const [one, other] = node.children.map((child) => knownValue(child, place, check));
  if (one === undefined || other === undefined) return;
  const name = String(node.name);
  if (node.type === 'Comparator') {
    if (name !== 'NE') refuseUnlike(one, other, name === 'EQ', check);
    yield* remarkOnValue(
      one.column === undefined ? other : one,
      one.column === undefined ? one : other,
      check,
    );
  } else if (
    textFunctions.test(name) ||
    (name === 'contains' && one.type !== 'list' && one.type !== 'object')
  ) {
    if (
      one.column !== undefined &&
      one.type !== undefined &&
      one.type !== 'text' &&
      one.type !== 'date'
    )
      throw objection(one.column, one.type, `${name} looks at a text`, check);
  } else if (name === 'contains' && one.column !== undefined) {
    const path = one.column.name;
    const element = check.columnAt(`${path}.0`);
    if (element === undefined) return;
    const type = typeOf(element);
    if (type !== undefined && other.type !== undefined && !areAlike(type, other.type))
      throw objection(
        one.column,
        'list',
        `each element is ${words[type]}, and ${shown(other)} is ${words[other.type]}`,
        check,
      );
    yield* remarkOnValue({ type, column: { ...element, name: path } }, other, check);
  }
}

const areAlike = (type: ValueType, other: ValueType): boolean =>
  type === other || (isText(type) && isText(other));
const isText = (type: ValueType): boolean => type === 'text' || type === 'date';

/** Two texts have an order, and two numbers; a comparison with null is null. */
function refuseUnlike(
  operand: KnownValue,
  other: KnownValue,
  isEquality: boolean,
  check: TypeCheck,
): void {
  const [field, value] = operand.column === undefined ? [other, operand] : [operand, other];
  const { column, type } = field;
  if (column === undefined || type === undefined || value.type === undefined) return;
  const isUndated =
    type === 'date' &&
    typeof value.value === 'string' &&
    !mayBeDate(value.value, isEquality && column.dateTime === undefined);
  const isUnordered = !isEquality && !isText(type) && type !== 'number';
  if (areAlike(type, value.type) && !isUndated && !isUnordered) return;
  throw objection(column, type, adviceFor(column, type, value), check);
}

/** A day may be compared with the beginning of one, such as a month. */
const mayBeDate = (text: string, isWhole: boolean): boolean =>
  isWhole ? isDay(text) : /^\d{1,4}(?:-(?:\d{1,2}(?:-(?:\d{1,2}(?:[T ].*)?)?)?)?)?$/.test(text);

function adviceFor(
  { name }: Column,
  type: ValueType,
  { value, column, type: of = 'text' }: KnownValue,
): string {
  if (column !== undefined) return `${column.name} is ${words[of]}, and no record has both alike`;
  if (type === 'number') {
    const isFigureText =
      typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value));
    return `write ${isFigureText ? `\`${value.trim()}\`` : 'one'} in backticks${isFigureText ? '' : ', such as `8`'}`;
  }
  if (type === 'flag')
    return `write \`${/^(?:true|yes|1)$/i.test(String(value)) || typeof value !== 'string' ? 'true' : 'false'}\` in backticks, after ==`;
  if (type === 'date') return "write a day in single quotes, such as '2026-06-30'";
  if (type === 'text')
    return `write ${of === 'number' ? `to_number(${name}), or ` : ''}'${jsonText(value)}' in single quotes`;
  return type === 'list'
    ? `write contains(${name}, 'TEXT'), or length(${name}) for how many it has`
    : 'name one of its fields';
}

const shown = ({ value, column }: KnownValue): string => column?.name ?? jsonText(value ?? null);

const objection = (
  { name }: Column,
  type: ValueType,
  advice: string,
  { flag }: TypeCheck,
): UsageError =>
  new UsageError(`${flag}: ${name} is ${words[type]}: ${advice}`, {
    item: flag,
    hint: 'no record can match; nothing was read or sent',
  });

function* remarkOnValue(
  { column }: KnownValue,
  { value }: KnownValue,
  { flag }: TypeCheck,
): Generator<string> {
  if (column?.values === undefined || typeof value !== 'string' || column.values.includes(value))
    return;
  yield `${flag}: ${column.name} is documented as ${listed(column.values)}, and not as ${JSON.stringify(value)}`;
}
