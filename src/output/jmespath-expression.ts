/** Evaluates JMESPath for `--query` and `--where`. It is checked before the first call, and never loses an answer. */
import { PdiError, UsageError } from '../errors.ts';
import { ExactNumber, isObject } from '../json/parse.ts';
import { isSameValue } from '../json/split.ts';
import { type ExpressionNode, evaluate, treeOf, unclosedQuote } from './jmespath-tree.ts';

interface ExpressionFlag {
  readonly flag: '--query' | '--where';
  readonly example: string;
  readonly otherwise: string;
  /** What it finds is only compared, so a number past 2^53 may be rounded. */
  readonly mayRound: boolean;
}

/** Keeps the first complaint about a value that the expression does not fit. Such a value may have been paid for. */
export class JmespathExpression {
  complaint: PdiError | undefined;
  private readonly tree: ExpressionNode;

  constructor(
    text: string,
    private readonly use: ExpressionFlag,
  ) {
    this.tree = checkedTree(text, use);
  }

  /** Returns what the expression finds, or undefined where it does not fit the value. */
  search(value: unknown): { readonly found: unknown } | undefined {
    try {
      return { found: evaluate(this.tree, plainNumbers(value, this.use)) };
    } catch (error) {
      const { flag, otherwise } = this.use;
      const reason = error instanceof Error ? error.message : String(error);
      const message = `${flag}: ${reason === 'TypeError' ? unsortable : reason.replace(/^TypeError: /, '').replace(/\.$/, '')}`;
      this.complaint ??= new PdiError('usage', message, { item: flag, hint: otherwise, cause: error });
      return undefined;
    }
  }
}

/** The library says no more of it than the name of the error. */
const unsortable = 'what is sorted must be all numbers or all texts, of no more than 15 digits';

/** JMESPath compares only plain numbers. Where they may be printed, a number is converted only if its value stays (`5.0` becomes 5). */
function plainNumbers(value: unknown, use: Pick<ExpressionFlag, 'mayRound'>): unknown {
  if (value instanceof ExactNumber) return use.mayRound || isSameValue(value.source) ? Number(value.source) : value;
  if (Array.isArray(value)) return value.map((item) => plainNumbers(item, use));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plainNumbers(field, use)]));
}

function checkedTree(text: string, { flag, example }: ExpressionFlag): ExpressionNode {
  try {
    const tree = treeOf(text);
    const parts = [...partsOf(tree)];
    const rounded = parts.find(({ value }) => typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER);
    if (rounded !== undefined) throw new Error(tooLong);
    // Null does not reach each call of a function, so each is tried by itself.
    tryOnNull(tree);
    for (const tried of parts.flatMap(callOnNulls)) tryOnNull(treeOf(tried));
    return tree;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const message = `${flag}: "${text}" is not a JMESPath expression${reasonIn(error.message)}`;
    if (error.message === tooLong) throw new UsageError(`${flag}: "${text}" ${tooLong}`, { item: flag, hint: 'compare another field' });
    throw new UsageError(message, { item: flag, hint: `write one such as ${example}`, cause: error });
  }
}

const tooLong = 'has a number with more than 15 digits, which cannot be compared exactly';

function* partsOf(tree: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (isObject(tree)) yield tree;
  if (typeof tree !== 'object' || tree === null || (isObject(tree) && tree.type === 'Literal')) return;
  for (const part of Object.values(tree)) yield* partsOf(part);
}

const callOnNulls = ({ type, name, children }: Readonly<Record<string, unknown>>): string[] =>
  type === 'Function' && Array.isArray(children) ? [`${name}(${children.map(() => '@').join()})`] : [];

/** A wrong expression fails even on null, but a correct one may fail on null too. */
function tryOnNull(tree: ExpressionNode): void {
  try {
    evaluate(tree, null);
  } catch (error) {
    if (error instanceof Error && isWrongForGood(error)) throw error;
  }
}

/** The parser throws errors with other names. Errors with the plain name are recognised by their text. */
const isWrongForGood = ({ name, message }: Error): boolean =>
  name !== 'Error' || /^(?:Unknown function|ArgumentError|Quoted identifier|Unexpected token|Expecting an identifier)/.test(message);

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
