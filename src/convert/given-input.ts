/** `convert` gives rows the input back that `--with-input` put into their records. */
import { separatedText } from '../input/separated.ts';
import { isObject } from '../json/parse.ts';
import type { OwnCells, OwnTable } from '../rows/input-row.ts';
import { ApiRecord } from '../rows/record.ts';
import type { ResultRow } from '../rows/result-row.ts';
import { standIn } from './conversion.ts';

const inputField = 'pdi_input';

interface GivenInput {
  readonly own?: OwnTable;
  /** Gives the row without the field, which its input or its own cells hold instead. */
  readonly restored: (row: ResultRow) => ResultRow;
}

const delimiter = ',';

/** Decides by the first rows. Gives undefined if they have no such field, or one that is neither a text nor the cells of a table. */
export function givenInput(rows: readonly ResultRow[]): GivenInput | undefined {
  const [first, ...others] = rows.map(inputIn);
  const isSame = typeof first === 'string' ? isText : (input: unknown) => isObject(input) && Object.values(input).every(isText);
  if (first === undefined || ![first, ...others].every(isSame)) return undefined;
  if (!isObject(first)) return { restored: (row) => ({ ...withoutInput(row), input: String(inputIn(row) ?? ''), given: inputIn(row) }) };
  const header = Object.keys(first);
  const ownOf = (input: unknown): OwnCells => {
    const cells = header.map((name) => (isObject(input) ? String(input[name] ?? '') : ''));
    return { raw: separatedText(cells, delimiter), cells };
  };
  const own = { header, rawHeader: separatedText(header, delimiter), delimiter, lineEnd: '\r\n' } as const;
  return { own, restored: (row) => ({ ...withoutInput(row), own: ownOf(inputIn(row)), given: inputIn(row) }) };
}

const isText = (value: unknown): value is string => typeof value === 'string';

function inputIn({ record }: ResultRow): unknown {
  const value = Array.isArray(record?.value) ? record.value[0] : record?.value;
  return isObject(value) ? value[inputField] : undefined;
}

function withoutInput(row: ResultRow): ResultRow {
  const value = row.record?.value;
  const rest = Array.isArray(value) ? value.map(withoutField) : withoutField(value);
  return (isObject(rest) ? standIn(rest) : undefined) ?? { ...row, record: new ApiRecord(rest) };
}

function withoutField(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { [inputField]: _, ...rest } = value;
  return rest;
}
