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
  /** The fields below these lists are not all documented. */
  readonly openLists?: readonly string[];
}

/**
 * Gives named fields of a record that are not documented, which the service may still have. `root` is what the expression looks at.
 * @throws UsageError that names a bare word
 */
export function undocumentedFields(
  flag: ExpressionFlag,
  expression: string,
  fields: KnownFields,
  root: 'record' | 'records',
): readonly string[] {
  const reader = new WordReader(fields);
  reader.scopeOf(treeOf(expression), root === 'record' ? { path: '' } : { records: true });
  const { bareWord: word, undocumented } = reader;
  if (word === undefined) return [...undocumented];
  const message = `${flag}: no field is called "${cleanLine(word)}"`;
  const near = nearest(word, fields.names).filter((name) => isNear(word, [name]));
  const hint = `nothing was sent; a text stands in single quotes: '${cleanLine(word)}'${near.length > 0 ? `; the nearest fields: ${near.join(', ')}` : ''}; @.${cleanLine(word)} is a field that is not documented`;
  throw new UsageError(message, { item: flag, hint });
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

/** What a part of an expression looks at: a path into the record (`''` is the record), many records, named values, or what nobody knows. */
type Seen = { readonly path: string } | { readonly records: true } | { readonly named: ReadonlyMap<string, Seen> } | undefined;

interface Word {
  readonly text: string;
  readonly isDocumented: boolean;
  /** Beside a documented field it is a text; by itself it may be a field that is not documented. */
  readonly isInOpen: boolean;
}

/** These functions give a list back, or one of its elements. */
const keepsList: ReadonlySet<unknown> = new Set(['sort_by', 'sort', 'reverse', 'to_array', 'not_null']);
const givesElement: ReadonlySet<unknown> = new Set(['max_by', 'min_by']);

class WordReader {
  /** A word that is compared or passed to a function, and is no documented field: most likely a text without its quotes. */
  bareWord: string | undefined;
  readonly undocumented = new Set<string>();

  constructor(private readonly fields: KnownFields) {}

  /** Looks at the words of a part, and says what its value is. */
  scopeOf(node: ExpressionNode, scope: Seen): Seen {
    const part = (at: number, within: Seen = scope): Seen => this.scopeOf(nodeAt(node, at), within);
    const names = namesIn(node, true);
    if (names !== undefined) {
      if (scope !== undefined && 'path' in scope && scope.path === '' && !this.fields.has(names)) this.undocumented.add(names);
      return names.split('.').reduce(below, scope);
    }
    switch (node.type) {
      case 'Identity':
      case 'Current':
      case 'Slice':
        return scope;
      case 'Subexpression':
      case 'IndexExpression':
      case 'Pipe':
        return part(1, part(0));
      case 'Index':
        return elementOf(scope);
      case 'Projection':
        return listOf(part(1, elementOf(part(0))));
      case 'ValueProjection':
        part(0);
        return undefined;
      case 'FilterProjection': {
        const element = elementOf(part(0));
        part(2, element);
        return listOf(part(1, element));
      }
      case 'Flatten':
        return part(0);
      case 'Comparator': {
        const words = node.children.flatMap((child) => this.wordsIn(child, scope));
        this.judge(
          words,
          words.some(({ isDocumented }) => isDocumented),
        );
        break;
      }
      case 'MultiSelectHash':
        return { named: new Map(node.children.map((pair) => [String(pair.name), this.scopeOf(nodeAt(pair, 0), scope)])) };
      case 'Function':
        return this.call(node, scope);
    }
    for (const child of node.children) this.scopeOf(child, scope);
    return undefined;
  }

  private judge(words: readonly Word[], isBesideField: boolean): void {
    this.bareWord ??= words.find(({ isDocumented, isInOpen }) => !isDocumented && (!isInOpen || isBesideField))?.text;
  }

  private call(node: ExpressionNode, scope: Seen): Seen {
    const references = node.children.filter(({ type }) => type === 'ExpressionReference');
    const values = node.children.filter((child) => !references.includes(child));
    const [list] = values.map((value) => {
      this.judge(this.wordsIn(value, scope), false);
      return this.scopeOf(value, scope);
    });
    for (const reference of references) this.scopeOf(nodeAt(reference, 0), elementOf(list));
    if (keepsList.has(node.name)) return list;
    return givesElement.has(node.name) ? elementOf(list) : undefined;
  }

  /** The words that a value is made of, as in `[Seed, Growth]`. */
  private wordsIn(node: ExpressionNode, scope: Seen): readonly Word[] {
    const parts = () => node.children.flatMap((child) => this.wordsIn(child, scope));
    switch (node.type) {
      case 'MultiSelectList':
      case 'MultiSelectHash':
      case 'KeyValuePair':
        return parts();
      case 'OrExpression':
      case 'AndExpression':
        // `a || b` may try fields that are not documented.
        return parts().map((word) => ({ ...word, isInOpen: true }));
      default:
        return [this.wordIn(node, scope) ?? []].flat();
    }
  }

  /** A name, or names with dots between them; `@.name` says that a field is meant. */
  private wordIn(node: ExpressionNode, scope: Seen): Word | undefined {
    const text = namesIn(node, false);
    if (text === undefined || scope === undefined || 'records' in scope) return undefined;
    if ('named' in scope) return { text, isDocumented: scope.named.has(text.split('.', 1)[0] ?? ''), isInOpen: false };
    const { has, openLists = [] } = this.fields;
    const isInOpen = openLists.some((list) => scope.path === list || scope.path.startsWith(`${list}.`));
    return { text, isDocumented: has(joined(scope.path, text)), isInOpen };
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

const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function below(scope: Seen, name: string): Seen {
  if (scope === undefined || 'records' in scope) return undefined;
  return 'named' in scope ? scope.named.get(name) : { path: joined(scope.path, name) };
}

function elementOf(scope: Seen): Seen {
  if (scope === undefined || 'named' in scope) return scope;
  if ('records' in scope) return { path: '' };
  return scope.path === '' ? undefined : { path: `${scope.path}.0` };
}

/** What stands for each element of a list stands for the list as well: the next step takes an element of it again. */
function listOf(element: Seen): Seen {
  if (element === undefined || 'named' in element || 'records' in element) return element;
  if (element.path === '') return { records: true };
  return element.path.endsWith('.0') ? { path: element.path.slice(0, -'.0'.length) } : undefined;
}
