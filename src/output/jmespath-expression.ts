/** JMESPath, for `--query` and `--where`: checked before the first call, and never a reason to lose an answer. */
import jmespath from 'jmespath';
import { PdiError, UsageError } from '../errors.ts';
import { ExactNumber } from '../json/parse.ts';
import { isSameValue } from '../json/split.ts';

interface ExpressionFlag {
  readonly flag: '--query' | '--where';
  /** An expression that fits. */
  readonly example: string;
  /** What becomes of a value that the expression does not fit. */
  readonly otherwise: string;
}

/** Keeps the first complaint about a value that the expression does not fit. Such a value may have been paid for. */
export class JmespathExpression {
  complaint: PdiError | undefined;

  /** @throws UsageError for a text that is not a JMESPath expression */
  constructor(
    private readonly text: string,
    private readonly use: ExpressionFlag,
  ) {
    refuseBad(text, use);
  }

  /** Returns what the expression finds, or undefined where it does not fit the value. */
  search(value: unknown): { readonly found: unknown } | undefined {
    try {
      return { found: jmespath.search(plainNumbers(value), this.text) };
    } catch (error) {
      const { flag, otherwise } = this.use;
      const reason = error instanceof Error ? error.message : String(error);
      const message = `${flag}: ${reason.replace(/^TypeError: /, '').replace(/\.$/, '')}`;
      this.complaint ??= new PdiError('usage', message, { item: flag, hint: otherwise, cause: error });
      return undefined;
    }
  }
}

/** JMESPath compares only plain numbers. A number is converted only if its value stays the same (`5.0` becomes 5). */
function plainNumbers(value: unknown): unknown {
  if (value instanceof ExactNumber) return isSameValue(value.source) ? Number(value.source) : value;
  if (Array.isArray(value)) return value.map(plainNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plainNumbers(field)]));
}

/** A wrong expression fails even on null, but a correct one may fail on null too. */
function refuseBad(text: string, { flag, example }: ExpressionFlag): void {
  try {
    jmespath.search(null, text);
  } catch (error) {
    if (!(error instanceof Error) || !isWrongForGood(error)) return;
    const message = `${flag}: "${text}" is not a JMESPath expression${reasonIn(error.message)}`;
    throw new UsageError(message, { item: flag, hint: `write one such as ${example}`, cause: error });
  }
}

/** The parser throws errors with other names. Errors with the plain name are recognised by their text. */
const isWrongForGood = ({ name, message }: Error): boolean =>
  name !== 'Error' || /^(?:Unknown function|ArgumentError|Quoted identifier|Unexpected token|Expecting an identifier)/.test(message);

function reasonIn(message: string): string {
  if (/(?:got: |\()EOF/.test(message)) return ': it ends too early';
  const [, unexpected] = /(?:value: |Unknown character:)(.+)$/.exec(message) ?? [];
  if (unexpected !== undefined) return `: ${unexpected} is not expected where it stands`;
  const [, unknown] = /^Unknown function: (.+)$/.exec(message) ?? [];
  if (unknown !== undefined) return `: there is no function ${unknown}`;
  const [, miscounted] = /^ArgumentError: (.+)$/.exec(message) ?? [];
  return miscounted === undefined ? '' : `: ${miscounted}`;
}
