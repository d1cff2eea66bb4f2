/** Applies `--query`, a JMESPath expression, to what json and ndjson would print. */
import { jsonText } from '../json/write.ts';
import type { ResultRow } from '../rows/result-row.ts';
import type { Formatter } from './formatter.ts';
import { JmespathExpression } from './jmespath-expression.ts';
import { contentReader } from './json.ts';
import type { Layout } from './layout.ts';

/** A value that does not fit is written unchanged. */
function found(query: JmespathExpression, value: unknown): unknown {
  const result = query.search(value);
  return result === undefined ? value : result.found;
}

/** The query needs the whole document, so all rows are kept in memory. */
function documentFormatter(layout: Layout, query: JmespathExpression): Formatter {
  const contentOf = contentReader(layout);
  const contents: unknown[] = [];
  return {
    rows(rows) {
      for (const row of rows) contents.push(contentOf(row));
      return '';
    },
    end: () => `${jsonText(found(query, layout.one ? contents[0] : contents), 2)}\n`,
    complaint: () => query.complaint,
  };
}

function lineFormatter(layout: Layout, query: JmespathExpression): Formatter {
  const contentOf = contentReader(layout);
  const line = (row: ResultRow): string => {
    const result = found(query, contentOf(row));
    return result === null ? '' : `${jsonText(result)}\n`;
  };
  return { rows: (rows) => rows.map(line).join(''), end: () => '', complaint: () => query.complaint };
}

/** Returns the formatter of a query. @throws UsageError for a text that is not a JMESPath expression */
export function queryFormatter(format: 'json' | 'ndjson', layout: Layout, text: string): Formatter {
  const query = new JmespathExpression(text, {
    flag: '--query',
    example: '"[].company.name"',
    otherwise: 'the expression does not fit the answer, which is written as it came',
    mayRound: false,
  });
  return format === 'json' ? documentFormatter(layout, query) : lineFormatter(layout, query);
}
