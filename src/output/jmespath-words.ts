/**
 * Finds a text without its quotes in a JMESPath expression: a bare word that is compared or passed to a function, and is no documented field.
 * It would be null in every record, so that a feed would be paid for and nothing kept. Pure.
 */
import { type ExpressionNode, nodeAt, pairsOf } from './jmespath-tree.ts';

interface DocumentedFields {
  has(path: string): boolean;
  /** The fields below it are not all documented. */
  isOpen(path: string): boolean;
}

/** What a part of an expression looks at: a path into the record (`''` is the record), many records, named values, or what nobody knows. */
type Seen = { readonly path: string } | { readonly records: true } | { readonly named: ReadonlyMap<string, Seen> } | undefined;

interface Word {
  readonly text: string;
  readonly isDocumented: boolean;
  /** Beside a documented field it is a text; by itself it may be a field that is not documented. */
  readonly isInOpen: boolean;
}

/** Gives the first such word, as it is written; undefined where there is none. */
export function bareWordIn(tree: ExpressionNode, fields: DocumentedFields, root: 'record' | 'records'): string | undefined {
  const reader = new WordReader(fields);
  reader.scopeOf(tree, root === 'record' ? { path: '' } : { records: true });
  return reader.found;
}

/** These functions give a list back, or one of its elements. */
const keepsList: ReadonlySet<unknown> = new Set(['sort_by', 'sort', 'reverse', 'to_array', 'not_null']);
const givesElement: ReadonlySet<unknown> = new Set(['max_by', 'min_by']);

const choices: ReadonlySet<string> = new Set(['OrExpression', 'AndExpression']);

class WordReader {
  found: string | undefined;

  constructor(private readonly fields: DocumentedFields) {}

  /** Looks at the words of a part, and says what its value is. */
  scopeOf(node: ExpressionNode, scope: Seen): Seen {
    const part = (at: number, within: Seen = scope): Seen => this.scopeOf(nodeAt(node, at), within);
    switch (node.type) {
      case 'Field':
        return below(scope, String(node.name));
      case 'Identity':
      case 'Current':
        return scope;
      case 'Subexpression':
      case 'IndexExpression':
      case 'Pipe':
        return part(1, part(0));
      case 'Index':
        return elementOf(scope);
      case 'Slice':
      case 'Literal':
        return node.type === 'Slice' ? scope : undefined;
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
      case 'Comparator':
        this.compare(node, scope);
        return undefined;
      case 'MultiSelectHash':
        return { named: new Map(pairsOf(node).map(({ name, value }) => [name, this.scopeOf(value, scope)])) };
      case 'Function':
        return this.call(node, scope);
      default:
        for (const at of node.children.keys()) part(at);
        return undefined;
    }
  }

  private compare(node: ExpressionNode, scope: Seen): void {
    const words = [0, 1].flatMap((at) => this.wordsIn(nodeAt(node, at), scope));
    for (const word of words) {
      const isBesideField = words.some((other) => other.isDocumented);
      if (!word.isDocumented && (!word.isInOpen || isBesideField)) this.found ??= word.text;
    }
    for (const at of [0, 1]) this.scopeOf(nodeAt(node, at), scope);
  }

  private call(node: ExpressionNode, scope: Seen): Seen {
    const places = [...node.children.keys()];
    const references = places.filter((at) => nodeAt(node, at).type === 'ExpressionReference');
    const scopes = places.map((at) => (references.includes(at) ? undefined : this.argument(nodeAt(node, at), scope)));
    const list = scopes.find((_scope, at) => !references.includes(at));
    for (const at of references) this.argument(nodeAt(nodeAt(node, at), 0), elementOf(list), false);
    if (keepsList.has(node.name)) return list;
    return givesElement.has(node.name) ? elementOf(list) : undefined;
  }

  private argument(node: ExpressionNode, scope: Seen, isValue = true): Seen {
    const words = isValue ? this.wordsIn(node, scope) : [];
    for (const word of words) if (!word.isDocumented && !word.isInOpen) this.found ??= word.text;
    return this.scopeOf(node, scope);
  }

  /** The words that a value is made of, as in `[Seed, Growth]`. */
  private wordsIn(node: ExpressionNode, scope: Seen): readonly Word[] {
    const parts = () => [...node.children.keys()].flatMap((at) => this.wordsIn(nodeAt(node, at), scope));
    if (node.type === 'MultiSelectList') return parts();
    // `a || b` may try fields that are not documented.
    if (choices.has(node.type)) return parts().map((word) => ({ ...word, isInOpen: true }));
    if (node.type === 'MultiSelectHash') return pairsOf(node).flatMap(({ value }) => this.wordsIn(value, scope));
    return [this.wordIn(node, scope) ?? []].flat();
  }

  /** A name, or names with dots between them; `@.name` says that a field is meant. */
  private wordIn(node: ExpressionNode, scope: Seen): Word | undefined {
    const text = namesIn(node);
    if (text === undefined || scope === undefined || 'records' in scope) return undefined;
    if ('named' in scope) return { text, isDocumented: scope.named.has(text.split('.', 1)[0] ?? ''), isInOpen: false };
    const path = joined(scope.path, text);
    return { text, isDocumented: this.fields.has(path), isInOpen: this.fields.isOpen(scope.path) };
  }
}

function namesIn(node: ExpressionNode): string | undefined {
  if (node.type === 'Field') return String(node.name);
  if (node.type !== 'Subexpression') return undefined;
  const [outer, inner] = [namesIn(nodeAt(node, 0)), namesIn(nodeAt(node, 1))];
  return outer === undefined || inner === undefined ? undefined : `${outer}.${inner}`;
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
