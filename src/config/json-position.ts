/** Finds where a text stops being JSON, because `JSON.parse` tells the place for some mistakes only. */

interface Position {
  readonly line: number;
  readonly column: number;
}

function failureOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}

/** While more text could still make this valid, `JSON.parse` complains only about its end. */
function mayGoOn(start: string): boolean {
  const message = failureOf(start);
  if (message === undefined || /end of JSON|Unterminated string/.test(message)) return true;
  const position = /at position (\d+)/.exec(message)?.[1];
  return position !== undefined && Number(position) >= start.length;
}

/** Gives the first character that no valid JSON could have there; the end of a text that is only cut off. */
export function syntaxErrorPosition(text: string): Position {
  let valid = 0;
  let invalid = text.length + 1;
  while (invalid - valid > 1) {
    const middle = Math.floor((valid + invalid) / 2);
    if (mayGoOn(text.slice(0, middle))) valid = middle;
    else invalid = middle;
  }
  const lines = text.slice(0, valid).split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}
