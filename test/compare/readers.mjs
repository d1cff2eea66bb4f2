// @ts-check
/**
 * `npm run build && node test/compare/readers.mjs`: writes odd values in every format, reads each file with programs of others, and
 * prints a table of programs, cells and disagreements with json, those apart that a program is known for. Packages of npm are installed into a folder that is removed again,
 * or are taken from PDI_READERS=FOLDER; programs that are not here are named. Exits 1 where a program disagrees.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import Table from 'cli-table3';

/** @typedef {string | number | boolean | null} Value */
/** @typedef {readonly (readonly unknown[])[]} Table the header first */
/** @typedef {{ program: string, format: string, read: (file: string) => Table | Promise<Table> }} Reader */

const project = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'pdi-readers-'));
const say = (/** @type {string} */ text) => process.stdout.write(`${text}\n`);

const packages = ['exceljs@4.4.0', 'read-excel-file@9.3.17'];
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
/** @type {readonly (number | null)[]} */
const numbers = [null, 0, -1, 7, 1234567, 9007199254740991, 0.1, -4.05, 1e-7, 1234567.25];

const records = [
  ...Object.values(texts).map((about, at) => ({ person_id: `per_t${at}`, last_updated: null, about, years_of_experience: at })),
  ...numbers.map((number, at) => ({
    person_id: `per_n${at}`,
    about: null,
    years_of_experience: Number.isInteger(number) ? number : null,
    current_tenure: number,
  })),
];
const fields = ['person_id', 'about', 'years_of_experience', 'current_tenure'];
const names = [...Object.keys(texts), ...numbers.map((number) => `number ${number}`)];

const pdi = (/** @type {readonly string[]} */ ...argv) =>
  execFileSync(process.execPath, [join(project, 'bin', 'pdi.js'), ...argv, '--fields', fields.join(), '--quiet', '--force'], {
    env: { ...process.env, PDI_CONFIG_DIR: join(folder, 'config'), XDG_STATE_HOME: join(folder, 'state') },
  });

const python = '/usr/bin/python3';
const fromPython = (/** @type {string} */ script, /** @type {string} */ file) =>
  JSON.parse(execFileSync(python, ['-c', script, file], { encoding: 'utf8', maxBuffer: 1 << 28 }));
const hasModule = (/** @type {string} */ name) => spawnSync(python, ['-c', `import ${name}`]).status === 0;
const hasProgram = (/** @type {string} */ name) => spawnSync(name, ['--version']).status === 0;

const viaCsv = (/** @type {string} */ file) =>
  fromPython("import csv,json,sys;csv.field_size_limit(10**9);print(json.dumps(list(csv.reader(open(sys.argv[1],newline='')))))", file);

const fieldsOf = (/** @type {Iterable<Record<string, unknown>>} */ all) => [
  fields,
  ...Array.from(all, (one) => fields.map((name) => one[name])),
];

function gnumeric(/** @type {string} */ file) {
  const target = `${file}.gnumeric.csv`;
  execFileSync('ssconvert', ['-O', 'format=raw quoting-mode=auto', '-T', 'Gnumeric_stf:stf_assistant', file, target], { stdio: 'ignore' });
  return viaCsv(target);
}

function libreOffice(/** @type {string} */ file) {
  const target = join(folder, 'office');
  const options = ['--headless', `-env:UserInstallation=file://${folder}/profile`];
  const input = file.endsWith('.csv') ? ['--infilter=Text - txt - csv (StarCalc):44,34,76,1,1/2/2/2'] : [];
  const output = ['--convert-to', 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false', '--outdir', target];
  execFileSync('soffice', [...options, ...input, ...output, file], { stdio: 'ignore' });
  return viaCsv(join(target, `${parse(file).name}.csv`));
}

const openpyxl = [
  'import openpyxl,json,sys',
  's=openpyxl.load_workbook(sys.argv[1],read_only=True).active',
  'print(json.dumps([[c for c in r] for r in s.iter_rows(values_only=True)]))',
].join('\n');

/** @returns {Promise<{ readers: Reader[], missing: string[] }>} */
async function readersHere() {
  const installed = process.env.PDI_READERS ?? join(folder, 'npm');
  if (process.env.PDI_READERS === undefined)
    spawnSync('npm', ['install', '--prefix', installed, '--no-save', '--no-audit', '--no-fund', ...packages], { stdio: 'ignore' });
  const requireThere = createRequire(join(installed, 'index.js'));
  const isThere = (/** @type {string} */ name) => existsSync(join(installed, 'node_modules', name));
  const requireHere = createRequire(import.meta.url);
  const sheetJs = (/** @type {string} */ file) => {
    const { readFile, utils } = requireHere('xlsx');
    const book = readFile(file, { raw: true, codepage: 65001 });
    return utils.sheet_to_json(book.Sheets[book.SheetNames[0]], { header: 1, defval: null, raw: true });
  };
  /** @type {readonly (Reader & { here: boolean })[]} */
  const all = [
    {
      program: 'exceljs',
      format: 'xlsx',
      here: isThere('exceljs'),
      async read(file) {
        const { Workbook } = requireThere('exceljs');
        const book = new Workbook();
        await book.xlsx.readFile(file);
        /** @type {unknown[][]} */
        const rows = [];
        book.worksheets[0].eachRow((/** @type {{ values: unknown[] }} */ row) => rows.push(row.values.slice(1)));
        return rows;
      },
    },
    {
      program: 'read-excel-file',
      format: 'xlsx',
      here: isThere('read-excel-file'),
      read: async (file) => (await requireThere('read-excel-file/node').default(file, { trim: false }))[0].data,
    },
    { program: 'SheetJS', format: 'xlsx', here: true, read: sheetJs },
    { program: 'SheetJS', format: 'csv', here: true, read: sheetJs },
    { program: 'openpyxl', format: 'xlsx', here: hasModule('openpyxl'), read: (file) => fromPython(openpyxl, file) },
    { program: 'gnumeric', format: 'xlsx', here: hasProgram('ssconvert'), read: gnumeric },
    { program: 'LibreOffice', format: 'xlsx', here: hasProgram('soffice'), read: libreOffice },
    { program: 'LibreOffice', format: 'csv', here: hasProgram('soffice'), read: libreOffice },
    { program: 'Python', format: 'csv', here: hasModule('csv'), read: viaCsv },
    {
      program: 'Python',
      format: 'json',
      here: hasModule('json'),
      read: (file) => fieldsOf(fromPython('import json,sys;print(json.dumps(json.load(open(sys.argv[1]))))', file)),
    },
    {
      program: 'Python',
      format: 'ndjson',
      here: hasModule('json'),
      read: (file) =>
        fieldsOf(fromPython("import json,sys;print(json.dumps([json.loads(l) for l in open(sys.argv[1],newline='\\n')]))", file)),
    },
    {
      program: 'hyparquet',
      format: 'parquet',
      here: true,
      async read(file) {
        const [{ parquetReadObjects }, bytes] = [await import('hyparquet'), readFileSync(file)];
        const rows = await parquetReadObjects({ file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) });
        return fieldsOf(rows);
      },
    },
  ];
  return { readers: all.filter(({ here }) => here), missing: all.filter(({ here }) => !here).map(({ program }) => program) };
}

/** What these programs are known to do, whoever wrote the file: by program and format, the cases. */
/** @type {Readonly<Record<string, readonly string[]>>} */
const known = {
  // They show the _x000D_ with which a workbook holds a carriage return, and its escape, as they stand in the file.
  'exceljs xlsx': ['carriage return', 'escape'],
  'openpyxl xlsx': ['carriage return', 'escape'],
  'gnumeric xlsx': ['carriage return', 'escape'],
  // They make line ends one, and LibreOffice writes a number into csv as its format shows it.
  'SheetJS csv': ['carriage return'],
  'LibreOffice xlsx': ['carriage return', 'number 1234567', 'number 9007199254740991'],
  // Texts that look like numbers or formulas become these; the formula guard and --text-ids are for that.
  'LibreOffice csv': ['carriage return', 'formula', 'digits', 'leading zero', 'exponent', 'percent'],
};

/** A cell of nothing is null or an empty text, depending on the program. */
function isSame(/** @type {unknown} */ found, /** @type {unknown} */ wanted, /** @type {string} */ format) {
  if (wanted === null || wanted === undefined || wanted === '') return found === null || found === undefined || found === '';
  if (typeof wanted === 'number') return found !== '' && found !== null && Number(found) === wanted;
  const cut = format === 'xlsx' && String(wanted).length > cellLimit ? String(wanted).slice(0, cellLimit - 1) : String(wanted);
  return format === 'xlsx' && cut.length >= cellLimit - 1 ? String(found).startsWith(cut) : String(found) === cut;
}

async function main() {
  const source = join(folder, 'records.ndjson');
  writeFileSync(source, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  for (const format of ['json', 'ndjson', 'csv', 'xlsx', 'parquet'])
    pdi('convert', source, '--from', 'person', '--out', join(folder, `odd.${format}`), ...(format === 'csv' ? ['--no-formula-guard'] : []));
  const { readers, missing } = await readersHere();
  const table = new Table({ head: ['program', 'format', 'cells', 'known of it', 'disagreements'], style: { head: [], border: [] } });
  /** @type {string[]} */
  const details = [];
  for (const { program, format, read } of readers) {
    const [header = [], ...rows] = await read(join(folder, `odd.${format}`));
    const wanted = /** @type {readonly Record<string, Value>[]} */ (records);
    const places = fields.map((name) => header.indexOf(name));
    let explained = 0;
    let differing = places.includes(-1) || rows.length !== wanted.length ? 1 : 0;
    if (differing > 0) details.push(`${program}, ${format}: ${rows.length} rows below ${JSON.stringify(header)}`);
    for (const [at, record] of wanted.entries()) {
      for (const [column, name] of fields.entries()) {
        const found = rows[at]?.[places[column] ?? 0];
        if (isSame(found, record[name], format)) continue;
        if (known[`${program} ${format}`]?.includes(names[at] ?? '')) {
          explained += 1;
          continue;
        }
        differing += 1;
        const [one, other] = [record[name], found].map((value) => JSON.stringify(value)?.slice(0, 60));
        details.push(`${program}, ${format}, ${name}, ${names[at]}: ${one} is read as ${other}`);
      }
    }
    table.push([program, format, wanted.length * fields.length, explained, differing]);
  }
  say(table.toString());
  for (const detail of details) say(detail);
  if (missing.length > 0) say(`not here: ${missing.join(', ')}`);
  process.exitCode = details.length > 0 ? 1 : 0;
}

try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
