/** Files as people have them: every encoding, careless rows, quotes that are never closed. Read whole and in order, or refused before a call. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { parse } from 'csv-parse/sync';
import { describe } from 'vitest';
import { between, type NonEmpty, pick, type Random } from '../../src/sandbox/dataset/random.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { newFolder, run } from '../support/run.ts';
import { campaign, drawn } from './campaign.ts';
import { luck, seed } from './effort.ts';
import { checkBook, twiceIn } from './money.ts';
import type { Case, Check } from './tally.ts';

const encodings = ['utf-8', 'utf-8 with BOM', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
type Encoding = (typeof encodings)[number];

const words: NonEmpty<string> = [
  'plain',
  'Müller',
  '12 € net',
  'naïve café',
  '“quoted”',
  '=1+1',
  '007',
  "O'Neill",
  ' blanks ',
];
const scripts: NonEmpty<string> = ['日本語', 'Ωmega', '🙂 face', 'שלום', 'ľščťž', '👩‍💻'];
const farWords: NonEmpty<string> = [...scripts, '\u202eturned', '\u001b[2J', 'a\ufeffb', '\u00a0'];
const quotedWords: NonEmpty<string> = [
  'a, b; c\td',
  'say "hi"',
  'two\nlines',
  'three\r\nlines,\nand "more"',
];

/** A row as it stands in the file, and what must come back of it. */
interface StrangeRow {
  readonly text: string;
  /** The cells of the header's columns. */
  readonly own: readonly string[];
  readonly id: string;
  /** A cell with text past the header: it is not sent. */
  readonly isInvalid: boolean;
  /** It has as many cells as the header, and comes back byte for byte. */
  readonly isWhole: boolean;
}

interface StrangeFile {
  readonly told: string;
  readonly bytes: Buffer;
  readonly delimiter: string;
  readonly header: readonly string[];
  readonly rows: readonly StrangeRow[];
  /** How many rows can be read; all, where nothing is wrong. */
  readonly readable: number;
  /** What makes it readable; undefined where nothing need, or can. */
  readonly remedy: readonly string[] | undefined;
}

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

/** A cell, and how it is written. */
function drawCell(
  random: Random,
  encoding: Encoding,
  delimiter: string,
): readonly [cell: string, written: string] {
  const isQuoted = random() < 0.2;
  const cell = isQuoted
    ? pick(random, quotedWords)
    : encoding !== 'windows-1252' && random() < 0.3
      ? pick(random, farWords)
      : pick(random, words);
  return [cell, isQuoted || cell.includes(delimiter) || random() < 0.1 ? quoted(cell) : cell];
}

function drawRow(random: Random, id: string, encoding: Encoding, delimiter: string): StrangeRow {
  const [first, second, last] = [1, 2, 3].map(() => drawCell(random, encoding, delimiter));
  const cells = [first, [id, id] as const, second, last].map((cell) => cell ?? ['', '']);
  const shape = pick(random, [
    'whole',
    'whole',
    'whole',
    'short',
    'empty cells past the header',
    'text past the header',
  ]);
  const own = cells.map(([cell]) => cell);
  const written = cells.map(([, text]) => text);
  if (shape === 'short') {
    const kept = between(random, 2, 3);
    const filled = own.map((cell, at) => (at < kept ? cell : ''));
    return {
      id,
      own: filled,
      text: written.slice(0, kept).join(delimiter),
      isInvalid: false,
      isWhole: false,
    };
  }
  if (shape === 'text past the header') {
    const past = pick(random, ['more', 'x']);
    const merged = [...own.slice(0, 3), `${own[3]}${delimiter}${past}`];
    return {
      id,
      own: merged,
      text: [...written, past].join(delimiter),
      isInvalid: true,
      isWhole: false,
    };
  }
  const filler = shape === 'whole' ? '' : delimiter.repeat(between(random, 1, 3));
  return {
    id,
    own,
    text: written.join(delimiter) + filler,
    isInvalid: false,
    isWhole: filler === '',
  };
}

const commands = [
  {
    name: 'person',
    column: 'person_id',
    idOf: (number: number) => `per_sample${number}`,
    result: 'person_id',
  },
  {
    name: 'resolve',
    column: 'profnet_urn',
    idOf: (number: number) => `urn:profnet:member:S${number}`,
    result: 'query.profnet_urn',
  },
] as const;
type Command = (typeof commands)[number];

function drawFile(random: Random, { column, idOf }: Command): StrangeFile {
  const encoding = pick(random, encodings);
  const delimiter = pick(random, [',', ',', ';', '\t']);
  const lineEnd = pick(random, ['\n', '\r\n']);
  const header = ['name', column, 'note', 'remark é'];
  const count = between(random, 3, 60);
  const rows = Array.from({ length: count }, () =>
    drawRow(random, idOf(between(random, 1, 100)), encoding, delimiter),
  );
  const texts = rows.map(({ text }) => text);
  const open = random() < 0.3 ? between(random, 0, count - 1) : undefined;
  if (open !== undefined) texts[open] = `"${texts[open]?.replaceAll('"', '') ?? ''}`;
  const blank = () => (random() < 0.1 ? lineEnd : '');
  const lines = [header.join(delimiter), ...texts].map((line) => line + lineEnd + blank());
  const text = lines.join('');
  // Without a flag, bytes of windows-1252 are no text from the header's accent on.
  const isForeign = encoding === 'windows-1252';
  return {
    told: `${encoding}, ${JSON.stringify(delimiter)}, ${JSON.stringify(lineEnd)}, ${count} rows, a quote open at ${open}`,
    bytes: encodedAs(encoding, random() < 0.1 ? text.slice(0, -lineEnd.length) : text),
    delimiter,
    header,
    rows,
    readable: open ?? count,
    remedy: isForeign ? ['--encoding', 'windows-1252'] : undefined,
  };
}

/** What windows-1252 has between 0x80 and 0x9f, of what is drawn here. */
const windows: Readonly<Record<string, number>> = { '€': 0x80, '“': 0x93, '”': 0x94 };

function encodedAs(encoding: Encoding, text: string): Buffer {
  if (encoding === 'windows-1252')
    return Buffer.from(Array.from(text, (letter) => windows[letter] ?? letter.charCodeAt(0)));
  if (encoding === 'utf-8') return Buffer.from(text);
  if (encoding === 'utf-8 with BOM') return Buffer.from(`\ufeff${text}`);
  const little = Buffer.from(`\ufeff${text}`, 'utf16le');
  return encoding === 'utf-16le' ? little : little.swap16();
}

/** In pieces that end anywhere, amid a character too. */
function pieces(random: Random, bytes: Buffer): readonly Buffer[] {
  const cuts = Array.from({ length: between(random, 0, 4) }, () =>
    between(random, 0, bytes.length),
  ).toSorted((one, other) => one - other);
  return [0, ...cuts]
    .map((from, at) => bytes.subarray(from, cuts[at] ?? bytes.length))
    .filter((piece) => piece.length > 0);
}

const strangeCase = (index: number): Case => ({
  name: `a strange file ${index}`,
  async run(check) {
    const random = luck('a strange file', index);
    const command = commands[index % commands.length] ?? commands[0];
    const file = drawFile(random, command);
    const isPiped = random() < 0.5;
    const home = newFolder();
    const path = join(home, pick(random, ['people.csv', 'people.txt', 'people']));
    writeFileSync(path, file.bytes);
    const out = random() < 0.5 ? join(home, 'out.csv') : undefined;
    const sandbox = await startSandbox();
    const env = { PDI_BASE_URL: sandbox.baseUrl, PDI_API_KEY: sandbox.keys.full };
    const runWith = async (...more: readonly string[]) => {
      const input = isPiped ? { stdin: Readable.from(pieces(random, file.bytes)) } : {};
      const argv = [
        command.name,
        '-i',
        isPiped ? '-' : path,
        '--column',
        command.column,
        '-o',
        'csv',
        '--fields',
        command.result,
      ];
      const flags = [
        ...(file.delimiter === '\t' ? ['--delimiter', '\\t'] : []),
        ...(out === undefined ? [] : ['--out', out]),
      ];
      const { code, stdout, stderr } = await run([...argv, ...flags, ...more], {
        home,
        env,
        ...input,
      });
      const text = out === undefined ? stdout : existsSync(out) ? readFileSync(out, 'utf8') : '';
      const told = `${command.name}, ${isPiped ? 'pipe' : 'file'}, ${file.told}, ${more.join(' ')}: exit ${code}: ${stderr}`;
      return { code, stderr, text, told };
    };
    try {
      if (file.remedy !== undefined) {
        const refused = await runWith();
        check(
          refused.code === 2 && /--encoding windows-1252/.test(refused.stderr),
          'broken',
          `not refused: ${refused.told}`,
        );
        check(
          refused.text === '' && sandbox.bill().length === 0,
          'billed twice',
          `it bought: ${refused.told}`,
        );
      }
      const end = await runWith(...(file.remedy ?? []));
      const isWhole = file.readable === file.rows.length;
      const before = file.rows.slice(0, file.readable);
      // Where no row can be used, all is refused, a pipe too.
      const isUsable = before.some(({ isInvalid }) => !isInvalid);
      const isPartial = before.some(({ isInvalid }) => isInvalid);
      const code = isWhole && isUsable ? (isPartial ? 8 : 0) : 2;
      check(end.code === code, 'broken', `not exit ${code}: ${end.told}`);
      const read = isUsable && (isWhole || isPiped) ? before : [];
      checkRows(check, end.text, command, { ...file, readable: read.length }, end.told);
      const ids = new Set(read.flatMap(({ id, isInvalid }) => (isInvalid ? [] : [id])));
      const due = command.name === 'person' ? ids.size : 0;
      const bill = sandbox.bill();
      check(twiceIn(bill).length === 0, 'billed twice', `${twiceIn(bill).join(', ')}: ${end.told}`);
      check(bill.length === due, 'broken', `${bill.length} on the bill, ${due} due: ${end.told}`);
      await checkBook(check, home, bill);
    } finally {
      await sandbox.stop();
    }
  },
});

/** Every row that can be read, once, in order, its own cells the same characters, beside its own answer. */
function checkRows(
  check: Check,
  text: string,
  { name, result, column }: Command,
  file: StrangeFile,
  told: string,
): void {
  const due = file.rows.slice(0, file.readable);
  if (text === '' && due.length === 0) return;
  const [header = [], ...rows] = cellsOf(text, file.delimiter);
  const answer = column === result ? `${name}_${result}` : result;
  const expected = [
    ...file.header,
    header.includes(answer) ? answer : result,
    'pdi_status',
    'pdi_error',
  ];
  check(
    JSON.stringify(header) === JSON.stringify(expected),
    'wrong joins',
    `header ${JSON.stringify(header)}: ${told}`,
  );
  check(rows.length >= due.length, 'rows lost', `${rows.length} of ${due.length}: ${told}`);
  check(rows.length <= due.length, 'rows doubled', `${rows.length} of ${due.length}: ${told}`);
  for (const [at, { own, id, isInvalid, text: written, isWhole }] of due.entries()) {
    const cells = rows[at] ?? [];
    const sound = isInvalid ? ['', 'invalid'] : [id, 'ok'];
    const isJoined = JSON.stringify(cells.slice(0, 6)) === JSON.stringify([...own, ...sound]);
    const isUntouched =
      !isWhole || text.includes(`\n${written}${file.delimiter}${id}${file.delimiter}ok`);
    check(
      isUntouched,
      'wrong joins',
      `row ${at + 1} has other bytes than ${JSON.stringify(written)}: ${told}`,
    );
    if (
      !check(
        isJoined,
        'wrong joins',
        `row ${at + 1} is ${JSON.stringify(cells)}, not ${JSON.stringify(own)}: ${told}`,
      )
    )
      return;
  }
}

function cellsOf(text: string, delimiter: string): readonly (readonly string[])[] {
  const rows: unknown = parse(text, { delimiter, relax_column_count: false, relax_quotes: false });
  return Array.isArray(rows) ? rows : [];
}

describe(`strange files (seed ${seed})`, () => {
  campaign('strange files', { atOnce: 3 }, drawn(24, 240, strangeCase));
});
