/** Ways to spoil what was good: a text by its characters, a JSON text by its values. */
import fc from 'fast-check';
import { anyCharacter } from '../support/any-text.ts';

export const nested = (levels: number, open = '[', close = ']'): string =>
  `${open.repeat(levels)}1${close.repeat(levels)}`;

/** Pieces that parsers, terminals, spreadsheets and object-minded code have stumbled over. */
const pieces: readonly string[] = [
  ...[
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '\n',
    '\r\n',
    '\r',
    '\t',
    ' ',
    ';',
    "'",
    '\u0000',
    '\ufeff',
    '\ufffd',
    '\u2028',
  ],
  ...[
    '\u001b]0;title\u0007',
    '\u001b[2J',
    '\u0090',
    '\u009d',
    '\u202e',
    '\u200d',
    '\\ud800',
    '\\u0000',
    '\\u001b[31m',
  ],
  ...[
    'null',
    'true',
    '-0',
    '1e999',
    '1e-999',
    '0.10',
    '9007199254740993',
    '9'.repeat(400),
    'NaN',
    '{}',
    '[]',
    '""',
  ],
  ...[
    '"__proto__":{"x":1},',
    '"constructor":{"prototype":null},',
    '"toString":1,',
    '"length":-1,',
    '"then":1,',
  ],
  ...[
    '=1+1',
    '@SUM(A1)',
    '-2+3',
    '../..',
    '%2f',
    '<script>',
    '{"a":1,"a":2}',
    nested(40),
    nested(600),
    nested(600, '{"a":', '}'),
  ],
];

/** Values that stand where another kind was expected, as JSON text: what no parser gives back may be among them. */
const values: readonly string[] = [
  ...[
    'null',
    'true',
    '0',
    '-0',
    '1e999',
    '-1',
    '1.5',
    '9007199254740993',
    '0.12345678901234567890',
    '9'.repeat(400),
    '""',
    '[]',
    '{}',
  ],
  ...[
    '[[]]',
    '[null]',
    '[{}]',
    '[[1,[2]]]',
    '{"toString":1}',
    '{"__proto__":null}',
    '{"constructor":1,"length":3}',
    '{"then":1}',
  ],
  ...[
    '{"source":"1"}',
    '"\\ud800"',
    '"\\u0000"',
    '"\\u001b]0;x\\u0007y"',
    '"=1+1"',
    '"\\n"',
    '" "',
    '"../.."',
    '"株式会社"',
    '"👩‍💻"',
  ],
  ...[
    '"per_1"',
    '"2026-13-45"',
    nested(40),
    nested(600),
    nested(40, '{"a":', '}'),
    `"${'word '.repeat(2000)}"`,
  ],
  ...[`"${'x'.repeat(30_000)}"`, `[${'"a",'.repeat(3000)}"b"]`],
];

/** A place in a text or a tree, wherever that ends: from 0 to 1. */
const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });

const insertion = fc.record({
  kind: fc.constant('insert' as const),
  at: place,
  piece: fc.constantFrom(...pieces),
});
const deletion = fc.record({
  kind: fc.constant('delete' as const),
  at: place,
  length: fc.integer({ min: 1, max: 40 }),
});
const repetition = fc.record({
  kind: fc.constant('repeat' as const),
  at: place,
  length: fc.integer({ min: 1, max: 40 }),
});
const truncation = fc.record({ kind: fc.constant('truncate' as const), at: place });
const noise = fc.record({
  kind: fc.constant('insert' as const),
  at: place,
  piece: fc.string({ unit: anyCharacter, maxLength: 5 }),
});

export type Edit =
  | { readonly kind: 'insert'; readonly at: number; readonly piece: string }
  | { readonly kind: 'delete' | 'repeat'; readonly at: number; readonly length: number }
  | { readonly kind: 'truncate'; readonly at: number };

export const edits: fc.Arbitrary<readonly Edit[]> = fc.array(
  fc.oneof(insertion, deletion, repetition, noise, truncation),
  {
    minLength: 1,
    maxLength: 4,
  },
);

export const edited = (text: string, all: readonly Edit[]): string => all.reduce(applied, text);

function applied(text: string, edit: Edit): string {
  const at = Math.floor(edit.at * (text.length + 1));
  switch (edit.kind) {
    case 'insert':
      return text.slice(0, at) + edit.piece + text.slice(at);
    case 'delete':
      return text.slice(0, at) + text.slice(at + edit.length);
    case 'repeat':
      return text.slice(0, at + edit.length) + text.slice(at);
    case 'truncate':
      return text.slice(0, at);
  }
}

/** A value of a JSON text by its place, and what to put there. */
export interface Exchange {
  readonly at: number;
  readonly value: string;
}

export const exchanges: fc.Arbitrary<readonly Exchange[]> = fc.array(
  fc.record({
    at: place,
    value: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...values) }, fc.json({ maxDepth: 3 })),
  }),
  { maxLength: 3 },
);

/** JSON text with some of its values, keys untouched, exchanged for others. */
export function exchanged(text: string, all: readonly Exchange[]): string {
  return all.reduce((json, { at, value }, index) => {
    const mark = `value exchanged ${index}`;
    return marked(json, at, mark).replace(JSON.stringify(mark), () => value);
  }, text);
}

/** The text with `mark` in place of one value; the text itself where it is no JSON any more. */
function marked(text: string, at: number, mark: string): string {
  let count = 0;
  const visit = (_key: string, value: unknown): unknown => {
    count += 1;
    return value;
  };
  try {
    const parsed: unknown = JSON.parse(text);
    JSON.stringify(parsed, visit);
    const chosen = Math.floor(at * count);
    count = 0;
    return JSON.stringify(parsed, (_key, value: unknown) => (count++ === chosen ? mark : value));
  } catch {
    return text;
  }
}
