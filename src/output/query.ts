/** Applies `--query`, a JMESPath expression, to what json and ndjson would print. */
import jmespath from 'jmespath';
import { PdiError } from '../errors.ts';
import { ExactNumber } from '../json/parse.ts';
import { isSameValue } from '../json/split.ts';
import { jsonText } from '../json/write.ts';
import type { ResultRow } from '../rows/result-row.ts';
import type { Formatter } from './formatter.ts';
import { contentReader } from './json.ts';
import type { Layout } from './layout.ts';

function search(value: unknown, expression: string): unknown {
  try {
    return jmespath.search(plainNumbers(value), expression);
  } catch (error) {
    const message = `--query: ${error instanceof Error ? error.message : String(error)}`;
    const hint = 'the expression does not fit the answer, which is written as it came';
    throw new PdiError('usage', message, { item: '--query', hint, cause: error });
  }
}

/** JMESPath compares only plain numbers. A number is converted only if its value stays the same (`5.0` becomes 5). */
function plainNumbers(value: unknown): unknown {
  if (value instanceof ExactNumber) return isSameValue(value.source) ? Number(value.source) : value;
  if (Array.isArray(value)) return value.map(plainNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plainNumbers(field)]));
}

/** A wrong expression fails even on null, but a correct one may fail on null too. @throws PdiError for a wrong one */
function refuseBad(expression: string): void {
  try {
    jmespath.search(null, expression);
  } catch (error) {
    if (!(error instanceof Error) || !isWrongForGood(error)) return;
    const message = `--query: "${expression}" is not a JMESPath expression${reasonIn(error.message)}`;
    throw new PdiError('usage', message, { item: '--query', hint: 'write one such as "[].company.name"', cause: error });
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

/** Keeps the first complaint. A value that does not fit is written unchanged, because it may have been paid for. */
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

/** The query needs the whole document, so all rows are kept in memory. */
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

/** A record with a null result gives no line. */
function lineFormatter(layout: Layout, query: Query): Formatter {
  const contentOf = contentReader(layout);
  const line = (row: ResultRow): string => {
    const found = query.of(contentOf(row));
    return found === null ? '' : `${jsonText(found)}\n`;
  };
  return { rows: (rows) => rows.map(line).join(''), end: () => '', complaint: () => query.complaint };
}

/** Returns the formatter of a query. @throws PdiError for a text that is not a JMESPath expression */
export function queryFormatter(format: 'json' | 'ndjson', layout: Layout, expression: string): Formatter {
  refuseBad(expression);
  const query = new Query(expression);
  return format === 'json' ? documentFormatter(layout, query) : lineFormatter(layout, query);
}
