/** Odd values in every format, read back by programs of others; what such a program does to any file is named apart. CI has them all. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { expect, it } from 'vitest';
import { read, utils } from 'xlsx';
import { type needs, needsProgram, needsPython, python } from '../support/needs.ts';
import { byOffice } from '../support/office.ts';
import { readParquet } from '../support/parquet.ts';
import { newFolder } from '../support/run.ts';
import { pdi } from '../support/service.ts';

type Cells = readonly (readonly unknown[])[];

interface Reader {
  readonly program: string;
  readonly format: string;
  readonly needs: ReturnType<typeof needs>;
  /** The rows of a file, the header first. */
  read(file: string): Cells | Promise<Cells>;
  /** Cases that it is known to read differently, whoever wrote the file. */
  readonly known?: readonly string[];
}

const folder = newFolder();
/** A spreadsheet takes so many characters in a cell. */
const cellLimit = 32_767;

const texts = {
  plain: 'Ada Sample',
  blank: '',
  blanks: '  two  blanks ',
  long: `${'long '.repeat(8000)}end`,
  'line end': 'a\nb',
  'carriage return': 'a\r\nb\rc',
  tab: 'a\tb',
  quotes: 'say "so", they; said',
  markup: '<b>&amp;</b> ]]>',
  escape: '_x000D_ and _x005F_',
  emoji: '👩‍🚀 😀 🇪🇺',
  'beyond U+FFFF': '\u{20bb7}野家',
  'right to left': '\u05e9\u05dc\u05d5\u05dd \u202bworld\u202c',
  combining: 'Zoe\u0308',
  'no-break space': 'a\u00a0b\u2011c',
  formula: '=1+1',
  plus: '+49 170 0000',
  minus: '-5',
  at: '@SUM(A1)',
  digits: '0123456789012345678',
  'leading zero': '00042',
  exponent: '1E5',
  date: '2024-01-05',
  'day of a month': 'MAR1',
  'truth value': 'TRUE',
  'error value': '#N/A',
  'null in words': 'NULL',
  apostrophe: "'quoted'",
  percent: '5%',
};
const numbers: readonly (number | null)[] = [
  null,
  0,
  -1,
  7,
  1234567,
  9007199254740991,
  0.1,
  -4.05,
  1e-7,
  1234567.25,
];

const records: readonly Readonly<Record<string, unknown>>[] = [
  ...Object.values(texts).map((about, at) => ({
    person_id: `per_t${at}`,
    last_updated: null,
    about,
    years_of_experience: at,
  })),
  ...numbers.map((number, at) => ({
    person_id: `per_n${at}`,
    about: null,
    years_of_experience: Number.isInteger(number) ? number : null,
    current_tenure: number,
  })),
];
const cases = [...Object.keys(texts), ...numbers.map((number) => `number ${number}`)];
const fields = ['person_id', 'about', 'years_of_experience', 'current_tenure'];

const inPython = (script: string, file: string) =>
  JSON.parse(
    execFileSync(python, ['-c', `import csv,json,sys\n${script}`, file], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    }),
  );
const ofPython = needsPython();
const ofOffice = { ...ofPython, ...needsProgram('soffice') };

const asCells = (objects: Iterable<Readonly<Record<string, unknown>>>): Cells => [
  fields,
  ...Array.from(objects, (object) => fields.map((name) => object[name])),
];

const csvByPython = (file: string): Cells =>
  inPython(
    "csv.field_size_limit(10**9)\nprint(json.dumps(list(csv.reader(open(sys.argv[1],newline='')))))",
    file,
  );

function byLibreOffice(file: string): Cells {
  const target = join(folder, 'office');
  const input = file.endsWith('.csv')
    ? ['--infilter=Text - txt - csv (StarCalc):44,34,76,1,1/2/2/2']
    : [];
  byOffice([file], 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false', target, ...input);
  return csvByPython(join(target, `${parse(file).name}.csv`));
}

function bySheetJs(file: string): Cells {
  const { SheetNames, Sheets } = read(readFileSync(file), { raw: true, codepage: 65001 });
  return utils.sheet_to_json(Sheets[SheetNames[0] ?? ''] ?? {}, {
    header: 1,
    defval: null,
    raw: true,
  });
}

const recordsInPython = (records: string) => (file: string) =>
  asCells(inPython(`print(json.dumps(${records}))`, file));

const byHyparquet = async (file: string) => asCells((await readParquet(readFileSync(file))).rows);

const rowsByOpenpyxl = [
  's=openpyxl.load_workbook(sys.argv[1],read_only=True).active',
  'print(json.dumps([[c for c in r] for r in s.iter_rows(values_only=True)]))',
];

const readers: readonly Reader[] = [
  { program: 'SheetJS', format: 'xlsx', needs: {}, read: bySheetJs },
  // It makes line ends one.
  { program: 'SheetJS', format: 'csv', needs: {}, read: bySheetJs, known: ['carriage return'] },
  {
    program: 'openpyxl',
    format: 'xlsx',
    needs: needsPython('openpyxl'),
    read: (file) => inPython(['import openpyxl', ...rowsByOpenpyxl].join('\n'), file),
    // It shows the _x000D_ with which a workbook holds a carriage return, and its escape, as they stand in the file.
    known: ['carriage return', 'escape'],
  },
  {
    program: 'LibreOffice',
    format: 'xlsx',
    needs: ofOffice,
    read: byLibreOffice,
    // It writes a number into csv as its format shows it.
    known: ['carriage return', 'number 1234567', 'number 9007199254740991'],
  },
  {
    program: 'LibreOffice',
    format: 'csv',
    needs: ofOffice,
    read: byLibreOffice,
    // Texts that look like numbers or formulas become these; the formula guard and --text-ids are for that.
    known: ['carriage return', 'formula', 'digits', 'leading zero', 'exponent', 'percent'],
  },
  { program: 'Python', format: 'csv', needs: ofPython, read: csvByPython },
  {
    program: 'Python',
    format: 'json',
    needs: ofPython,
    read: recordsInPython('json.load(open(sys.argv[1]))'),
  },
  {
    program: 'Python',
    format: 'ndjson',
    needs: ofPython,
    read: recordsInPython("[json.loads(l) for l in open(sys.argv[1],newline='\\n')]"),
  },
  { program: 'hyparquet and arrow-rs', format: 'parquet', needs: {}, read: byHyparquet },
];

/** A cell of nothing is null or an empty text, depending on the program. */
function isSame(found: unknown, wanted: unknown, format: string): boolean {
  if (wanted === null || wanted === undefined || wanted === '')
    return found === null || found === undefined || found === '';
  if (typeof wanted === 'number') return found !== '' && found !== null && Number(found) === wanted;
  const isCut = format === 'xlsx' && String(wanted).length > cellLimit;
  return isCut
    ? String(found).startsWith(String(wanted).slice(0, cellLimit - 1))
    : String(found) === wanted;
}

for (const { program, format, needs: needed, read: cellsOf, known = [] } of readers) {
  it(`${program} reads ${format} as it was meant`, { timeout: 300_000, ...needed }, async () => {
    const [source, file] = [join(folder, 'records.ndjson'), join(folder, `odd.${format}`)];
    writeFileSync(source, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    const guard = format === 'csv' ? ['--no-formula-guard'] : [];
    await pdi([
      'convert',
      source,
      '--from',
      'person',
      '--fields',
      fields.join(),
      '--out',
      file,
      '--force',
      ...guard,
    ]);
    const [header = [], ...rows] = await cellsOf(file);
    expect(header).toEqual(expect.arrayContaining(fields));
    expect(rows).toHaveLength(records.length);
    const differing = records.flatMap((record, at) => {
      const isAsMeant = fields.every((name) =>
        isSame(rows[at]?.[header.indexOf(name)], record[name], format),
      );
      return isAsMeant ? [] : [cases[at]];
    });
    expect(differing.filter((name) => !known.includes(name ?? ''))).toEqual([]);
  });
}
