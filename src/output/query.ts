/** `--query` reshapes what json and ndjson print, and `--where` keeps records, by JMESPath. It is checked before the first call, and never loses an answer. */
import { PdiError, pluralize, UsageError } from '../errors.ts';
import { ExactNumber, isObject, isSameValue } from '../json/parse.ts';
import { jsonText } from '../json/write.ts';
import type { ResultRow } from '../rows/result-row.ts';
import { type ExpressionNode, evaluate, isFalse, treeOf, unclosedQuote } from './jmespath-tree.ts';
import { contentReader } from './json.ts';
import type { Formatter, Layout } from './layout.ts';
import { columnsFrom } from './read.ts';

const words = {
  '--query': { example: '"[].company.name"', otherwise: 'the expression does not fit the answer, which is written as it came' },
  '--where': { example: "'signal_score >= `8`'", otherwise: 'the expression does not fit some records, which are kept' },
} as const;

export type ExpressionFlag = keyof typeof words;

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

  /** Returns what the expression finds, or `otherwise` where it does not fit the value. */
  search(value: unknown, otherwise: unknown): unknown {
    const { flag } = this;
    try {
      // What `--where` finds is only compared, so a number past 2^53 may be rounded.
      return evaluate(this.tree, plainNumbers(value, flag === '--where'));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const message = `${flag}: ${reason === 'TypeError' ? unsortable : reason.replace(/^TypeError: /, '').replace(/\.$/, '')}`;
      this.complaint ??= new PdiError('usage', message, { item: flag, hint: words[flag].otherwise, cause: error });
      return otherwise;
    }
  }
}

/** The library says no more of it than the name of the error. */
const unsortable = 'what is sorted must be all numbers or all texts, of no more than 15 digits';

/** JMESPath compares only plain numbers. Where they may be printed, a number is converted only if its value stays (`5.0` becomes 5). */
function plainNumbers(value: unknown, mayRound: boolean): unknown {
  if (value instanceof ExactNumber) return mayRound || isSameValue(value.source) ? Number(value.source) : value;
  if (Array.isArray(value)) return value.map((item) => plainNumbers(item, mayRound));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plainNumbers(field, mayRound)]));
}

function checkedTree(text: string, flag: ExpressionFlag): ExpressionNode {
  try {
    const tree = treeOf(text);
    for (const part of partsOf(tree)) {
      if (typeof part.value === 'number' && Math.abs(part.value) > Number.MAX_SAFE_INTEGER) throw new Error(tooLong);
      if (part.type === 'Function') tryOnNulls(part);
    }
    return tree;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (error.message === tooLong) throw new UsageError(`${flag}: "${text}" ${tooLong}`, { item: flag, hint: 'compare another field' });
    const message = `${flag}: "${text}" is not a JMESPath expression${reasonIn(error.message)}`;
    throw new UsageError(message, { item: flag, hint: `write one such as ${words[flag].example}`, cause: error });
  }
}

const tooLong = 'has a number with more than 15 digits, which cannot be compared exactly';

/** The inner parts come first, as they are evaluated. */
function* partsOf(node: ExpressionNode): Generator<ExpressionNode> {
  for (const child of node.children) yield* partsOf(child);
  yield node;
}

/** A record may never reach a call of a function, so each is tried by itself. One that is correct may fail on null too. */
function tryOnNulls(call: ExpressionNode): void {
  try {
    evaluate({ ...call, children: call.children.map(() => ({ type: 'Current', children: [] })) }, null);
  } catch (error) {
    if (error instanceof Error && /^(?:Unknown function|ArgumentError)/.test(error.message)) throw error;
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
function filtered({ status, error, input, record, given }: ResultRow): unknown {
  const job = { pdi_status: status, pdi_error: error ?? null, ...(given !== undefined && { pdi_input: given }) };
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
  const lineOf = (row: ResultRow): string => {
    const result = found(contentOf(row));
    return result === null ? '' : `${jsonText(result)}\n`;
  };
  return {
    rows(rows) {
      if (format === 'ndjson') return rows.map(lineOf).join('');
      for (const row of rows) contents.push(contentOf(row));
      return '';
    },
    end: () => (format === 'ndjson' ? '' : `${jsonText(found(layout.one ? contents[0] : contents), 2)}\n`),
    complaint: () => query.complaint,
  };
}
