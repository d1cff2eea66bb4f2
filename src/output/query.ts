/** `--query`: a JMESPath expression over what json and ndjson would print, for machines without jq. */
import jmespath from 'jmespath';
import { PdiError } from '../errors.ts';
import { ExactNumber } from '../json/parse.ts';
import { isSameValue } from '../json/split.ts';
import { jsonText } from '../json/write.ts';
import type { ResultRow } from '../rows/result-row.ts';
import type { Formatter } from './formatter.ts';
import { contentReader } from './json.ts';
import type { Layout } from './layout.ts';

/** @throws PdiError `usage` where the expression does not fit the value */
function search(value: unknown, expression: string): unknown {
  try {
    return jmespath.search(plainNumbers(value), expression);
  } catch (error) {
    const message = `--query: ${error instanceof Error ? error.message : String(error)}`;
    const hint = 'the expression does not fit the answer, which is written as it came';
    // Whether the answer was billed, the run knows.
    throw new PdiError('usage', message, { item: '--query', hint, cause: error });
  }
}

/** A number as JMESPath can compare it, wherever that changes no more than how it is written (`5.0` is 5). */
function plainNumbers(value: unknown): unknown {
  if (value instanceof ExactNumber) return isSameValue(value.source) ? Number(value.source) : value;
  if (Array.isArray(value)) return value.map(plainNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plainNumbers(field)]));
}

/** Asked of nothing, a good expression may fail for want of a value; a bad one fails before it looks. @throws PdiError */
function refuseBad(expression: string): void {
  try {
    jmespath.search(null, expression);
  } catch (error) {
    if (!(error instanceof Error) || !isWrongForGood(error)) return;
    const message = `--query: "${expression}" is not a JMESPath expression${reasonIn(error.message)}`;
    throw new PdiError('usage', message, { item: '--query', hint: 'write one such as "[].company.name"', cause: error });
  }
}

/** Of an expression itself: the library's parser has errors of its own, or trips; the others are told by what they say. */
const isWrongForGood = ({ name, message }: Error): boolean =>
  name !== 'Error' || /^(?:Unknown function|ArgumentError|Quoted identifier|Unexpected token|Expecting an identifier)/.test(message);

/** What the library says of a bad expression, without its words for tokens; empty where nothing else is left. */
function reasonIn(message: string): string {
  if (/(?:got: |\()EOF/.test(message)) return ': it ends too early';
  const [, unexpected] = /(?:value: |Unknown character:)(.+)$/.exec(message) ?? [];
  if (unexpected !== undefined) return `: ${unexpected} is not expected where it stands`;
  const [, unknown] = /^Unknown function: (.+)$/.exec(message) ?? [];
  if (unknown !== undefined) return `: there is no function ${unknown}`;
  const [, miscounted] = /^ArgumentError: (.+)$/.exec(message) ?? [];
  return miscounted === undefined ? '' : `: ${miscounted}`;
}

/** Asks, and keeps the first complaint: what it is about comes out unasked, since it may have been paid for. */
class Query {
  complaint: PdiError | undefined;

  constructor(private readonly expression: string) {}

  of(value: unknown): unknown {
    try {
      return search(value, this.expression);
    } catch (error) {
      if (!(error instanceof PdiError)) throw error;
      this.complaint ??= error;
      return value;
    }
  }
}

/** Asks once, of the whole document: memory holds all of it, like every filter over an array. */
function documentFormatter(layout: Layout, query: Query): Formatter {
  const contentOf = contentReader(layout);
  const contents: unknown[] = [];
  return {
    rows(rows) {
      for (const row of rows) contents.push(contentOf(row));
      return '';
    },
    end: () => `${jsonText(query.of(layout.one ? contents[0] : contents), 2)}\n`,
    complaint: () => query.complaint,
  };
}

/** Asks of each record; one for which the answer is null gives no line. */
function lineFormatter(layout: Layout, query: Query): Formatter {
  const contentOf = contentReader(layout);
  const line = (row: ResultRow): string => {
    const found = query.of(contentOf(row));
    return found === null ? '' : `${jsonText(found)}\n`;
  };
  return { rows: (rows) => rows.map(line).join(''), end: () => '', complaint: () => query.complaint };
}

/** The formatter of a query. @throws PdiError for an expression that is none */
export function queryFormatter(format: 'json' | 'ndjson', layout: Layout, expression: string): Formatter {
  refuseBad(expression);
  const query = new Query(expression);
  return format === 'json' ? documentFormatter(layout, query) : lineFormatter(layout, query);
}
