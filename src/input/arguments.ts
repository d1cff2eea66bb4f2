/** Identifiers typed on the command line, as an input like any other. */
import type { Input, InputRow } from '../rows/input-row.ts';

/** One row an argument; `line` is the argument's position, from 1. An empty argument is a row without text. */
export function argumentInput(identifiers: readonly string[]): Input {
  const rows = identifiers.map((written, index): InputRow => ({ line: index + 1, text: written.trim() || undefined }));
  return { kind: 'lines', name: 'arguments', batches: oneBatch(rows), close: () => undefined };
}

async function* oneBatch(rows: readonly InputRow[]): AsyncGenerator<readonly InputRow[]> {
  if (rows.length > 0) yield rows;
}
