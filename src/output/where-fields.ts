/** Checks the fields that `--where` names. A misspelt one is in no record, so every page would be paid for and nothing kept. */
import { edits, nearest } from '../contract/nearest.ts';
import { UsageError } from '../errors.ts';
import { cleanLine } from './clean.ts';
import { type ExpressionNode, nodeAt, pairsOf, treeOf } from './jmespath-tree.ts';
import { bareWordIn } from './jmespath-words.ts';
import { hintFor } from './layout.ts';

/** Gives the paths from the record on that an expression names, such as `company.hq.city`. The expression must be one. */
function fieldsNamedBy(expression: string): readonly string[] {
  const paths = new Set<string>();
  const visit = (node: ExpressionNode): void => {
    const path = pathOf(node);
    if (path !== undefined) paths.add(path);
    else for (const part of partsAtRecord(node)) visit(part);
  };
  visit(treeOf(expression));
  return [...paths];
}

function pathOf(node: ExpressionNode): string | undefined {
  if (node.type === 'Field') return String(node.name);
  if (node.type !== 'Subexpression') return undefined;
  const [outer, inner] = [nodeAt(node, 0), nodeAt(node, 1)];
  // `@` is the record.
  if (outer.type === 'Current') return pathOf(inner);
  const names = [pathOf(outer), pathOf(inner)];
  return names.includes(undefined) ? undefined : names.join('.');
}

/** Of these, only the first part looks at the record; the others look at what it gives. */
const stepTypes: ReadonlySet<string> = new Set([
  'Subexpression',
  'IndexExpression',
  'Projection',
  'ValueProjection',
  'FilterProjection',
  'Flatten',
  'Pipe',
]);

function partsAtRecord(node: ExpressionNode): readonly ExpressionNode[] {
  const { type, children } = node;
  if (type === 'ExpressionReference') return [];
  if (type === 'MultiSelectHash') return pairsOf(node).map(({ value }) => value);
  const parts = stepTypes.has(type) ? children.slice(0, 1) : children;
  return parts.filter((part) => typeof part === 'object' && part !== null);
}

export interface KnownFields {
  readonly names: readonly string[];
  readonly has: (path: string) => boolean;
  /** The fields below these lists are not all documented. */
  readonly openLists?: readonly string[];
}

/**
 * A text without its quotes is null in every record, so all pages would be paid for, and nothing kept. `root` is what the expression looks at.
 * @throws UsageError that names the word
 */
export function refuseBareWords(
  flag: '--query' | '--where',
  expression: string,
  { names, has, openLists = [] }: KnownFields,
  root: 'record' | 'records',
): void {
  const isOpen = (path: string): boolean => openLists.some((list) => path === list || path.startsWith(`${list}.`));
  const word = bareWordIn(treeOf(expression), { has, isOpen }, root);
  if (word === undefined) return;
  const message = `${flag}: no field is called "${cleanLine(word)}"`;
  const near = nearest(word, names).filter((name) => isNear(word, [name]));
  const hint = `nothing was sent; a text stands in single quotes: '${cleanLine(word)}'${near.length > 0 ? `; the nearest fields: ${near.join(', ')}` : ''}; @.${cleanLine(word)} is a field that is not documented`;
  throw new UsageError(message, { item: flag, hint });
}

/** Gives named fields that are not documented, which the service may still have. @throws UsageError for one that is surely a mistake */
export function undocumentedFields(expression: string, { names, has }: KnownFields): readonly string[] {
  const unknown = fieldsNamedBy(expression).filter((path) => !has(path));
  for (const path of unknown) {
    const message = `--where: no field is called "${path}"`;
    const quoted = expression.includes(`"${path}"`);
    if (quoted) throw new UsageError(message, { item: '--where', hint: `a text stands in single quotes: '${path}'` });
    if (isNear(path, names)) throw new UsageError(message, { item: '--where', hint: hintFor([path], names) });
  }
  return unknown;
}

/** One letter, or a quarter of the name, may be mistyped. */
const isNear = (path: string, names: readonly string[]): boolean =>
  nearest(path, names).some((name) => edits(path, name) <= Math.max(1, path.length / 4));
