/** `--query` reshapes what json and ndjson print, and `--where` keeps records, by JMESPath. It is checked before the first call, and never loses an answer. */
import { isAtOrBelow } from '../contract/columns.ts';
import { PdiError, pluralize, UsageError } from '../errors.ts';
import { isObject, jsonText } from '../json/exact.ts';
import { edits, nearest } from '../rows/nearest.ts';
import type { ResultRow } from '../rows/row.ts';
import { cleanLine } from './clean.ts';
import {
  type ExpressionNode,
  evaluate,
  isFalse,
  nodeAt,
  treeOf,
  unclosedQuote,
  withDoubles,
} from './jmespath-tree.ts';
import { contentReader } from './json.ts';
import { type Formatter, hintFor, type Layout } from './layout.ts';
import { columnsFrom } from './read.ts';

const words = {
  '--query': {
    example: '"[].company.name"',
    otherwise: 'the expression does not fit the answer, which is written as it came',
  },
  '--where': {
    example: "'signal_score >= `8`'",
    otherwise: 'the expression does not fit some records, which are kept',
  },
} as const;

type ExpressionFlag = keyof typeof words;

/** Keeps the first complaint about a value that the expression does not fit. Such a value may have been paid for. */
class JmespathExpression {
  complaint: PdiError | undefined;
  private readonly tree: ExpressionNode;

  constructor(
    text: string,
    private readonly flag: ExpressionFlag,
  ) {
    this.tree = checkedTree(text, flag);
  }

  search(value: unknown, otherwise: unknown): unknown {
    const { flag } = this;
    try {
      return evaluate(this.tree, withDoubles(value, false));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const message = `${flag}: ${reason.replace(/^TypeError: /, '').replace(/\.$/, '')}`;
      this.complaint ??= new PdiError('usage', message, {
        item: flag,
        hint: words[flag].otherwise,
        cause: error,
      });
      return otherwise;
    }
  }
}

function checkedTree(text: string, flag: ExpressionFlag): ExpressionNode {
  try {
    const tree = treeOf(text);
    for (const part of partsOf(tree)) {
      const values = [part.value].flat(Number.POSITIVE_INFINITY);
      if (
        values.some((one) => typeof one === 'number' && Math.abs(one) > Number.MAX_SAFE_INTEGER)
      ) {
        const message = `${flag}: "${text}" has a number with more than 15 digits, which cannot be compared exactly`;
        throw new UsageError(message, {
          item: flag,
          hint: "compare the texts: to_string(FIELD) == 'DIGITS'",
        });
      }
      if (part.type === 'Function') tryOnNulls(part);
    }
    return tree;
  } catch (error) {
    if (!(error instanceof Error) || error instanceof UsageError) throw error;
    const message = `${flag}: "${text}" is not a JMESPath expression${reasonIn(error.message)}`;
    throw new UsageError(message, {
      item: flag,
      hint: `write one such as ${words[flag].example}`,
      cause: error,
    });
  }
}

/** The inner parts come first, as they are evaluated. */
function* partsOf(node: ExpressionNode): Generator<ExpressionNode> {
  for (const child of node.children) yield* partsOf(child);
  yield node;
}

/** A record may never reach a call of a function, so each is tried by itself. One that is correct may fail on null too. */
function tryOnNulls(call: ExpressionNode): void {
  try {
    evaluate(
      { ...call, children: call.children.map(() => ({ type: 'Current', children: [] })) },
      null,
    );
  } catch (error) {
    if (error instanceof Error && /^(?:Unknown function|ArgumentError)/.test(error.message))
      throw error;
  }
}

function reasonIn(message: string): string {
  if (message.startsWith(unclosedQuote)) return `: ${message}`;
  if (/(?:got: |\()EOF/.test(message)) return ': it ends too early';
  const [, unexpected] = /(?:value: |Unknown character:)(.+)$/.exec(message) ?? [];
  if (unexpected !== undefined) return `: ${unexpected} is not expected where it stands`;
  const [, unknown] = /^Unknown function: (.+)$/.exec(message) ?? [];
  if (unknown !== undefined) return `: there is no function ${unknown}`;
  const [, miscounted] = /^ArgumentError: (.+)$/.exec(message) ?? [];
  return miscounted === undefined ? '' : `: ${miscounted}`;
}

export class RowFilter extends JmespathExpression {
  private read = 0;
  private kept = 0;

  constructor(text: string) {
    super(text, '--where');
  }

  keptOf(rows: readonly ResultRow[]): readonly ResultRow[] {
    const kept = rows.filter((row) => !isFalse(this.search(filtered(row), true)));
    this.read += rows.length;
    this.kept += kept.length;
    return kept;
  }

  get remark(): string {
    return `--where kept ${this.kept} of ${pluralize(this.read, 'record')}`;
  }
}

/** Gives the record, the first of several matches, or what ndjson writes in its place, with status and input of the row. */
function filtered({ status, error, input, record, inputValue }: ResultRow): unknown {
  const job = {
    pdi_status: status,
    pdi_error: error ?? null,
    ...(inputValue !== undefined && { pdi_input: inputValue }),
  };
  if (record === undefined) return { input: input ?? null, ...job };
  const value = columnsFrom({ status, record });
  return isObject(value) ? { ...job, ...value } : value;
}

/** A query of json needs the whole document, so all rows are kept in memory. @throws UsageError for a text that is not a JMESPath expression */
export function queryFormatter(format: 'json' | 'ndjson', layout: Layout, text: string): Formatter {
  const query = new JmespathExpression(text, '--query');
  const contentOf = contentReader(layout);
  const found = (content: unknown): unknown => query.search(content, content);
  const contents: unknown[] = [];
  let [read, shown] = [0, 0];
  const lineOf = (row: ResultRow): string => {
    const result = found(contentOf(row));
    read += 1;
    if (result !== null) shown += 1;
    return result === null ? '' : `${jsonText(result)}\n`;
  };
  return {
    rows(rows) {
      if (format === 'ndjson') return rows.map(lineOf).join('');
      for (const row of rows) contents.push(contentOf(row));
      return '';
    },
    end: () =>
      format === 'ndjson'
        ? ''
        : `${jsonText(found(layout.isSingle ? contents[0] : contents), 2)}\n`,
    complaint: () => query.complaint,
    remark: () =>
      shown === 0 && read > 0
        ? `--query gave null for ${pluralize(read, 'record')}, and ndjson has no line of that`
        : undefined,
  };
}

interface KnownFields {
  readonly names: readonly string[];
  readonly has: (path: string) => boolean;
  readonly parts: ReadonlySet<string>;
  /** The fields below these lists are not all documented. */
  readonly openLists?: readonly string[];
}

/** Fields that only the service may know. @throws UsageError for a bare word, which would be null in every record that is paid for */
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
    const shown = cleanLine(word);
    const written = /^(?:null|true|false)$/.test(word)
      ? `write a value in backticks: \`${shown}\``
      : `write a text in single quotes: '${shown}'`;
    const fieldsNear = near.length > 0 ? `; the nearest fields: ${near.join(', ')}` : '';
    const asField = /^[A-Za-z_][\w.]*$/.test(word)
      ? `; @.${shown} is a field that is not documented`
      : '';
    const hint = `nothing was sent; ${written}${fieldsNear}${asField}`;
    throw new UsageError(`${flag}: no field is called "${shown}"`, { item: flag, hint });
  }
  const named = places.flatMap(({ node, isOfRecord }) =>
    isOfRecord ? (namesIn(node, true) ?? []) : [],
  );
  return [...new Set(named)].filter((path) => !fields.has(path));
}

export function refuseMistakes(
  undocumented: readonly string[],
  expression: string,
  { names }: KnownFields,
): void {
  for (const path of undocumented) {
    const message = `--where: no field is called "${path}"`;
    const quoted = expression.includes(`"${path}"`);
    if (quoted)
      throw new UsageError(message, {
        item: '--where',
        hint: `write a text in single quotes: '${path}'`,
      });
    if (isNear(path, names))
      throw new UsageError(message, { item: '--where', hint: hintFor([path], names) });
  }
}

/** One letter, or a quarter of the name, may be mistyped. */
const isNear = (path: string, names: readonly string[]): boolean =>
  nearest(path, names).some((name) => edits(path, name) <= Math.max(1, path.length / 4));

/** Of these, only the first part looks at the record; the others look at what it gives. */
const steps = /^(?:Subexpression|IndexExpression|(?:Value|Filter)?Projection|Flatten|Pipe)$/;

interface ExpressionPlace {
  readonly node: ExpressionNode;
  readonly isOfRecord: boolean;
}

function* placesIn(node: ExpressionNode, isAround: boolean): Generator<ExpressionPlace> {
  const isOfRecord = isAround && node.type !== 'ExpressionReference';
  yield { node, isOfRecord };
  if (namesIn(node, true) !== undefined) return;
  for (const [at, child] of node.children.entries())
    yield* placesIn(child, isOfRecord && (at === 0 || !steps.test(node.type)));
}

/** These take a value, which a bare word that is no field would make null. `&word` is one of the elements of a list. */
const takesValues = /^(?:Comparator|Function|ExpressionReference)$/;

function bareWord(
  places: readonly ExpressionPlace[],
  { has, parts, openLists = [] }: KnownFields,
): string | undefined {
  const given = new Set(
    places.map(({ node }) => (node.type === 'KeyValuePair' ? node.name : undefined)),
  );
  const named = places.map(({ node }) => namesIn(node, true));
  const hasOpen = openLists.some((list) =>
    named.some((path) => path !== undefined && isAtOrBelow(path, list)),
  );
  for (const { node, isOfRecord } of places) {
    const isDocumented = (word: string): boolean => {
      const path = word.split('.');
      return (
        has(word) || (!isOfRecord && (given.has(path[0]) || path.every((part) => parts.has(part))))
      );
    };
    const compared = takesValues.test(node.type) ? node.children : [];
    // Beside a documented field it is a text; by itself it may be a field that is not documented.
    const isBesideField = compared.flatMap((part) => wordsIn(part, true)).some(isDocumented);
    if (hasOpen && !isOfRecord && !isBesideField) continue;
    const suspects = compared.flatMap((part) =>
      wordsIn(part, isBesideField && node.type === 'Comparator'),
    );
    const bare = suspects.find((word) => !isDocumented(word));
    if (bare !== undefined) return bare;
  }
  return undefined;
}

const composed: ReadonlySet<string> = new Set([
  'MultiSelectList',
  'MultiSelectHash',
  'KeyValuePair',
]);
const choices: ReadonlySet<string> = new Set(['OrExpression', 'AndExpression']);

/** The words of a value, as in `[Seed, Growth]`; `withTried`: those of `a || b` too, which may try fields that are not documented. */
function wordsIn(node: ExpressionNode, withTried: boolean): readonly string[] {
  // `@.name` says that a field is meant.
  const names = namesIn(node, false);
  if (names !== undefined) return [names];
  const mayHold = composed.has(node.type) || (withTried && choices.has(node.type));
  return mayHold ? node.children.flatMap((child) => wordsIn(child, withTried)) : [];
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
