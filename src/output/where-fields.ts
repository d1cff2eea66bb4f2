/**
 * Checks the fields and bare words of an expression before the first call. A misspelt field, and a text without its quotes, are null in every
 * record, so every page would be paid for and nothing kept.
 */
import { edits, nearest } from '../contract/nearest.ts';
import { UsageError } from '../errors.ts';
import { cleanLine } from './clean.ts';
import { type ExpressionNode, nodeAt, treeOf } from './jmespath-tree.ts';
import { hintFor } from './layout.ts';
import type { ExpressionFlag } from './query.ts';

export interface KnownFields {
  readonly names: readonly string[];
  readonly has: (path: string) => boolean;
  /** The parts of all documented paths, also of those within lists. */
  readonly parts: ReadonlySet<string>;
  /** The fields below these lists are not all documented. */
  readonly openLists?: readonly string[];
}

/**
 * Gives named fields of a record that are not documented, which the service may still have. `root` is what the expression looks at.
 * @throws UsageError that names a word that is compared or passed to a function, and is no documented field
 */
export function undocumentedFields(
  flag: ExpressionFlag,
  expression: string,
  fields: KnownFields,
  root: 'record' | 'records',
): readonly string[] {
  const places = [...placesIn(treeOf(expression), root === 'record')];
  const word = bareWord(places, fields);
  if (word !== undefined) {
    const near = nearest(word, fields.names).filter((name) => isNear(word, [name]));
    const hint = `nothing was sent; a text stands in single quotes: '${cleanLine(word)}'${near.length > 0 ? `; the nearest fields: ${near.join(', ')}` : ''}; @.${cleanLine(word)} is a field that is not documented`;
    throw new UsageError(`${flag}: no field is called "${cleanLine(word)}"`, { item: flag, hint });
  }
  const named = places.flatMap(({ node, isOfRecord }) => (isOfRecord ? (namesIn(node, true) ?? []) : []));
  return [...new Set(named)].filter((path) => !fields.has(path));
}

/** @throws UsageError for a field that is not documented, and surely a mistake */
export function refuseMistakes(undocumented: readonly string[], expression: string, { names }: KnownFields): void {
  for (const path of undocumented) {
    const message = `--where: no field is called "${path}"`;
    const quoted = expression.includes(`"${path}"`);
    if (quoted) throw new UsageError(message, { item: '--where', hint: `a text stands in single quotes: '${path}'` });
    if (isNear(path, names)) throw new UsageError(message, { item: '--where', hint: hintFor([path], names) });
  }
}

/** One letter, or a quarter of the name, may be mistyped. */
const isNear = (path: string, names: readonly string[]): boolean =>
  nearest(path, names).some((name) => edits(path, name) <= Math.max(1, path.length / 4));

/** Of these, only the first part looks at the record; the others look at what it gives. */
const steps: ReadonlySet<string> = new Set([
  'Subexpression',
  'IndexExpression',
  'Projection',
  'ValueProjection',
  'FilterProjection',
  'Flatten',
  'Pipe',
]);

/** A part of an expression, and whether it looks at the record itself or at something within. */
interface ExpressionPlace {
  readonly node: ExpressionNode;
  readonly isOfRecord: boolean;
}

function* placesIn(node: ExpressionNode, isOfRecord: boolean): Generator<ExpressionPlace> {
  yield { node, isOfRecord };
  if (namesIn(node, true) !== undefined) return;
  for (const [at, child] of node.children.entries())
    yield* placesIn(child, isOfRecord && node.type !== 'ExpressionReference' && (at === 0 || !steps.has(node.type)));
}

interface Word {
  readonly text: string;
  /** `a || b` may try fields that are not documented. */
  readonly isTried: boolean;
}

/** Finds a word that is most likely a text without its quotes. */
function bareWord(places: readonly ExpressionPlace[], { has, parts, openLists = [] }: KnownFields): string | undefined {
  const given = new Set(places.map(({ node }) => (node.type === 'KeyValuePair' ? node.name : undefined)));
  const named = places.map(({ node }) => namesIn(node, true));
  const hasOpen = openLists.some((list) => named.some((path) => path === list || path?.startsWith(`${list}.`)));
  for (const { node, isOfRecord } of places) {
    const isDocumented = ({ text }: Word): boolean => {
      const path = text.split('.');
      return has(text) || (!isOfRecord && (given.has(path[0]) || path.every((part) => parts.has(part))));
    };
    for (const words of comparedIn(node)) {
      // Beside a documented field it is a text; by itself it may be a field that is not documented.
      const isBesideField = node.type === 'Comparator' && words.some(isDocumented);
      const mayBeField = ({ isTried }: Word) => !isBesideField && (isTried || (hasOpen && !isOfRecord));
      const bare = words.find((word) => !isDocumented(word) && !mayBeField(word));
      if (bare !== undefined) return bare.text;
    }
  }
  return undefined;
}

/** The words that are compared with one another, and those that are passed to a function. */
function comparedIn(node: ExpressionNode): readonly (readonly Word[])[] {
  if (node.type === 'Comparator') return [node.children.flatMap(wordsIn)];
  return node.type === 'Function' ? node.children.map(wordsIn) : [];
}

/** The words that a value is made of, as in `[Seed, Growth]`. `@.name` says that a field is meant. */
function wordsIn(node: ExpressionNode): readonly Word[] {
  const text = namesIn(node, false);
  if (text !== undefined) return [{ text, isTried: false }];
  const words = () => node.children.flatMap(wordsIn);
  switch (node.type) {
    case 'MultiSelectList':
    case 'MultiSelectHash':
    case 'KeyValuePair':
      return words();
    case 'OrExpression':
    case 'AndExpression':
      return words().map((word) => ({ ...word, isTried: true }));
    default:
      return [];
  }
}

/** The path of names with dots between them, which may begin with `@`; undefined for any other part. */
function namesIn(node: ExpressionNode, mayBeginWithCurrent: boolean): string | undefined {
  if (node.type === 'Field') return String(node.name);
  if (node.type !== 'Subexpression') return undefined;
  const [outer, inner] = [nodeAt(node, 0), namesIn(nodeAt(node, 1), mayBeginWithCurrent)];
  if (mayBeginWithCurrent && outer.type === 'Current') return inner;
  const names = namesIn(outer, mayBeginWithCurrent);
  return names === undefined || inner === undefined ? undefined : `${names}.${inner}`;
}
