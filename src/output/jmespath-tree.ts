/** Evaluates JMESPath as specified, where the package that parses it compares null as 0. It orders texts too, because days are texts. */
import jmespath from 'jmespath';
import {
  ExactNumber,
  isNested,
  isNumber,
  isNumberText,
  isObject,
  isSameValue,
  jsonText,
  parseJson,
} from '../json/exact.ts';

declare module 'jmespath' {
  export function compile(expression: string): unknown;
}

/** A pair of `{name: expression}` has one child, and the bounds of a slice are its value. */
export interface ExpressionNode {
  readonly type: string;
  readonly name?: unknown;
  readonly value?: unknown;
  readonly children: readonly ExpressionNode[];
}

function nodeOf(tree: unknown): ExpressionNode {
  if (!isObject(tree) || typeof tree.type !== 'string') throw new Error('no tree of an expression');
  const { type, name, value, children } = tree;
  if (type === 'KeyValuePair') return { type, name, children: [nodeOf(value)] };
  if (type === 'Slice') return { type, value: children, children: [] };
  return { type, name, value, children: Array.isArray(children) ? children.map(nodeOf) : [] };
}

/** A word behind `(` or `,` that begins with `@` is more than `@` alone, which the package's parser overlooks. */
const beginsWithCurrent = /([(,]\s*)@(?!\s*[,)])/g;

export const unclosedQuote = 'a quote is not closed';

const quotedParts = /('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`)/s;

/** @throws Error for a text that is no expression, also for one whose quote is not closed */
export function treeOf(expression: string): ExpressionNode {
  const parts = expression.split(quotedParts);
  const unquoted = parts.filter((_part, at) => at % 2 === 0);
  const quote = unquoted
    .map((part) => /['"`]/.exec(part)?.[0])
    .find((found) => found !== undefined);
  if (quote !== undefined) throw new Error(`${unclosedQuote}: ${quote}`);
  for (const part of unquoted) {
    if (/\[[-\d\s]*(?::[-\d\s]*){3}/.test(part)) throw new Error('value: :');
    if (/\[[-\d\s]*:[-\d\s]*:\s*-?0+\s*\]/.test(part)) throw new Error('value: 0');
  }
  const readable = parts.map((part, at) =>
    at % 2 === 0 ? part.replace(beginsWithCurrent, '$1(@)') : quoted(part),
  );
  return nodeOf(jmespath.compile(readable.join('')));
}

/** The package takes the backslash off the first escaped quote of a text or a value alone. */
function quoted(part: string): string {
  if (part.startsWith('"')) return part;
  const unescaped = part
    .slice(1, -1)
    .replace(/\\(.)/gs, (pair, character) => (character === part[0] ? character : pair));
  return `\`${(part.startsWith("'") ? JSON.stringify(unescaped) : unescaped).replaceAll('`', '\\u0060')}\``;
}

/** Gives what the expression finds; null for nothing. @throws Error where a function does not fit a value */
export function evaluate(node: ExpressionNode, value: unknown): unknown {
  const found = (at: number, within = value): unknown => evaluate(nodeAt(node, at), within);
  switch (node.type) {
    case 'Field':
      return fieldOf(value, String(node.name));
    case 'Literal':
      return node.value;
    case 'Identity':
    case 'Current':
      return value;
    case 'Subexpression':
    case 'IndexExpression':
    case 'Pipe':
      return found(1, found(0));
    case 'Index':
      return Array.isArray(value) ? (value.at(Number(node.value)) ?? null) : null;
    case 'Slice':
      return Array.isArray(value) ? sliced(value, node.value) : null;
    case 'Projection':
      return projected(found(0), nodeAt(node, 1));
    case 'ValueProjection':
      return projected(valuesOf(found(0)), nodeAt(node, 1));
    case 'FilterProjection':
      return projected(kept(found(0), nodeAt(node, 2)), nodeAt(node, 1));
    case 'Flatten':
      return flattened(found(0));
    case 'Comparator':
      return compared(String(node.name), found(0), found(1));
    case 'OrExpression':
    case 'AndExpression': {
      // Each side is evaluated once, or nested expressions would take twice the time a level.
      const first = found(0);
      return isFalse(first) === (node.type === 'OrExpression') ? found(1) : first;
    }
    case 'NotExpression':
      return isFalse(found(0));
    case 'MultiSelectList':
      return value === null ? null : node.children.map((child) => evaluate(child, value));
    case 'MultiSelectHash':
      return value === null
        ? null
        : Object.fromEntries(
            node.children.map((pair) => [pair.name, evaluate(nodeAt(pair, 0), value)]),
          );
    case 'Function':
      return called(node, value);
    default:
      throw new Error(`unknown part of an expression: ${node.type}`);
  }
}

export function nodeAt({ children, type }: ExpressionNode, at: number): ExpressionNode {
  const node = children[at];
  if (node === undefined) throw new Error(`${type} lacks a part`);
  return node;
}

/** Inherited names such as `constructor` are no fields. */
const fieldOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null;

/** The package slices the places, because it would leave out elements that are null. */
function sliced(list: readonly unknown[], bounds: unknown): unknown {
  const texts = Array.isArray(bounds) ? bounds.map((bound: unknown) => bound ?? '') : [];
  const places: unknown = jmespath.search([...list.keys()], `[${texts.join(':')}]`);
  return Array.isArray(places) ? places.map((place: unknown) => list[Number(place)]) : null;
}

const projected = (list: unknown, onto: ExpressionNode): unknown =>
  Array.isArray(list)
    ? list.map((item: unknown) => evaluate(onto, item)).filter((item) => item !== null)
    : null;

const kept = (list: unknown, condition: ExpressionNode): unknown =>
  Array.isArray(list) ? list.filter((item: unknown) => !isFalse(evaluate(condition, item))) : null;

const valuesOf = (value: unknown): unknown => (isObject(value) ? Object.values(value) : null);

const flattened = (list: unknown): unknown => (Array.isArray(list) ? list.flat() : null);

/** In JMESPath, 0 is true. */
export function isFalse(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.keys(value).length === 0;
  return value === null || value === undefined || value === false || value === '';
}

function compared(comparator: string, one: unknown, other: unknown): unknown {
  if (comparator === 'EQ') return isEqual(one, other);
  if (comparator === 'NE') return !isEqual(one, other);
  const areTexts = typeof one === 'string' && typeof other === 'string';
  if (!areTexts && !(isNumber(one) && isNumber(other))) return null;
  const [left, right] = areTexts ? [one, other] : [Number(one), Number(other)];
  if (comparator === 'LT') return left < right;
  if (comparator === 'LTE') return left <= right;
  return comparator === 'GT' ? left > right : left >= right;
}

/** A number in an expression is a double, so a fraction with more digits is equal to the nearest one; a whole number is not. */
function isEqual(one: unknown, other: unknown): boolean {
  if (isNumber(one) && isNumber(other) && typeof one !== typeof other)
    return Number(one) === Number(other) && !Number.isInteger(Number(one));
  return jmespath.search([one, other], '@[0] == @[1]') === true;
}

/** The package would evaluate the expression that these take for each element with its own comparisons. */
const takingKey: ReadonlySet<string> = new Set(['sort_by', 'max_by', 'min_by', 'map']);

const comparing: ReadonlySet<string> = new Set(['sort', 'max', 'min']);

function called(node: ExpressionNode, value: unknown): unknown {
  const name = String(node.name);
  const isReference = node.children.map(({ type }) => type === 'ExpressionReference');
  const values = node.children.map((child, at) =>
    isReference[at] === true ? undefined : evaluate(child, value),
  );
  const own = values.length === 1 ? ownAnswer(name, values[0]) : ownAnswerOfTwo(name, values);
  if (own !== undefined) return own;
  const [list, key] = name === 'map' ? [1, 0] : [0, 1];
  const items = values[list];
  if (
    !takingKey.has(name) ||
    values.length !== 2 ||
    isReference[key] !== true ||
    !Array.isArray(items)
  )
    return jmespath.search(
      values.map((one) => asHandedOn(name, one)),
      `${name}(${isReference.map((is, at) => (is ? '&@' : `[${at}]`)).join()})`,
    );
  const expression = nodeAt(nodeAt(node, key), 0);
  const keyOf = (item: unknown): unknown => evaluate(expression, item);
  return name === 'map' ? items.map(keyOf) : found(name, items, keyOf);
}

/** Gives what the package gets wrong: it knows only doubles, takes no text for 0, and cuts characters in half. Undefined for all else. */
function ownAnswer(name: string, value: unknown): unknown {
  if (comparing.has(name) && Array.isArray(value))
    return found(`${name}_by`, value, (item) => item);
  if (name === 'avg' && Array.isArray(value) && value.length === 0) return null;
  if (name === 'to_string' && (isNumber(value) || isNested(value))) return jsonText(value);
  if (name === 'to_number' && isNumber(value)) return value;
  if (typeof value !== 'string') return undefined;
  if (name === 'to_number')
    return isNumberText(value) ? withDoubles(parseJson(value), false) : null;
  if (name === 'length') return [...value].length;
  return name === 'reverse' ? [...value].reverse().join('') : undefined;
}

/** The package finds no list or object in a list, compares numbers as doubles, and overlooks a beginning that comes again. */
function ownAnswerOfTwo(name: string, [value, other, ...more]: readonly unknown[]): unknown {
  if (more.length > 0) return undefined;
  if (name === 'contains' && Array.isArray(value)) return value.some((one) => isEqual(one, other));
  const areTexts = typeof value === 'string' && typeof other === 'string';
  return name === 'starts_with' && areTexts ? value.startsWith(other) : undefined;
}

/** The package finds the greatest and the least of numbers alone. */
function found(
  name: string,
  items: readonly unknown[],
  keyOf: (item: unknown) => unknown,
): unknown {
  const keyed = items.map((item) => ({ item, key: withDoubles(keyOf(item)) }));
  const areAlike = ['number', 'string'].some((type) =>
    keyed.every(({ key }) => typeof key === type),
  );
  if (!areAlike) throw new Error('only numbers alone, or texts alone, can be sorted');
  const direction = name === 'max_by' ? -1 : 1;
  const sorted = keyed.toSorted(({ key }, { key: other }) => direction * orderOf(key, other));
  return name === 'sort_by' ? sorted.map(({ item }) => item) : (sorted[0]?.item ?? null);
}

const orderOf = (one: unknown, other: unknown): number =>
  Number(compared('GT', one, other)) - Number(compared('LT', one, other));

/** These hand on what they get, or what is in it: a number keeps all its digits. */
const handingOn: ReadonlySet<string> = new Set(['not_null', 'to_array']);
const handingOnInner: ReadonlySet<string> = new Set(['merge', 'reverse', 'values']);

/** The package would take an `ExactNumber` for an object. */
const asHandedOn = (name: string, value: unknown): unknown =>
  handingOn.has(name) || (handingOnInner.has(name) && isNested(value)) ? value : withDoubles(value);

/** Gives each number as the nearest double; unless it `mayRound`, those alone whose value stays (`5.0` becomes 5). */
export function withDoubles(value: unknown, mayRound = true): unknown {
  if (value instanceof ExactNumber)
    return mayRound || isSameValue(value.source) ? Number(value.source) : value;
  if (Array.isArray(value)) return value.map((item) => withDoubles(item, mayRound));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, withDoubles(field, mayRound)]),
  );
}
