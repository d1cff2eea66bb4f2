/** Tells formats that are no list of identifiers by their first bytes or lines, so that none is asked line by line. Pure. */
import { shellWord, type UsageError } from '../errors.ts';
import { countLines, mistakeIn, refuseMerge } from './lines.ts';

interface OtherFormat {
  readonly what: string;
  readonly called?: string;
  readonly hint: string;
}

const asList = 'Give lines, CSV, TSV, NDJSON, JSON or a workbook (.xlsx).';
const bySpreadsheet = 'Open it in a spreadsheet and save it as .xlsx or as CSV UTF-8.';
const withoutPassword = 'Save it as .xlsx without a password, or the sheet as CSV UTF-8.';
const archive: OtherFormat = {
  what: 'is an archive',
  hint: 'Unpack it, and give one file of it, or join them with `pdi … -i -`.',
};
const packed = (command: string): OtherFormat => ({
  what: 'is packed',
  hint: `Unpack it, for example: ${command} FILE | pdi … -i -`,
});
const database: OtherFormat = { what: 'is a database', hint: 'Export the table as CSV UTF-8.' };
const columnar: OtherFormat = {
  what: 'is binary',
  hint: 'Write it as CSV or NDJSON, for example with DuckDB.',
};
const picture: OtherFormat = { what: 'is a picture', hint: asList };

/** `at` is where the bytes stand. What begins as a word may needs a proof: a byte that no text has. */
const binaries: readonly (OtherFormat & {
  readonly bytes: string;
  readonly at?: number;
  readonly needsProof?: true;
})[] = [
  {
    bytes: '\xd0\xcf\x11\xe0',
    what: 'is an old workbook (.xls), or one with a password',
    hint: withoutPassword,
  },
  {
    bytes: '%PDF-',
    what: 'is a PDF',
    hint: 'Copy its table into a spreadsheet, and save it as .xlsx or CSV UTF-8.',
  },
  { bytes: '%!PS', what: 'is PostScript', hint: asList },
  { bytes: 'SQLite format 3', called: 'SQLite', ...database },
  { bytes: 'Standard Jet DB', at: 4, called: 'Access', ...database },
  { bytes: 'Standard ACE DB', at: 4, called: 'Access', ...database },
  { bytes: '7z\xbc\xaf\x27\x1c', called: '7z', ...archive },
  { bytes: 'Rar!\x1a\x07', called: 'RAR', ...archive },
  { bytes: 'ustar', at: 257, called: 'tar', ...archive },
  { bytes: 'BZh', needsProof: true, called: 'bzip2', ...packed('bunzip2 -c') },
  { bytes: '\xfd7zXZ\x00', called: 'xz', ...packed('xz -dc') },
  { bytes: '(\xb5/\xfd', called: 'zstd', ...packed('zstd -dc') },
  { bytes: '\x04"M\x18', called: 'lz4', ...packed('lz4 -dc') },
  { bytes: '\x1f\x9d', called: 'compress', ...packed('uncompress -c') },
  { bytes: 'PAR1', needsProof: true, called: 'Parquet', ...columnar },
  { bytes: 'ARROW1', needsProof: true, called: 'Arrow', ...columnar },
  { bytes: 'FEA1', needsProof: true, called: 'Feather', ...columnar },
  { bytes: 'Obj\x01', called: 'Avro', ...columnar },
  { bytes: 'ORC', needsProof: true, called: 'ORC', ...columnar },
  { bytes: '$FL2', needsProof: true, called: 'SPSS', ...columnar },
  { bytes: '<stata_dta>', called: 'Stata', ...columnar },
  { bytes: 'bplist00', called: 'property list', ...columnar },
  { bytes: '\x89PNG', ...picture },
  { bytes: '\xff\xd8\xff', ...picture },
  { bytes: 'GIF8', needsProof: true, ...picture },
  { bytes: '\x00\x00\xfe\xff', ...utf32('big') },
  { bytes: '\xff\xfe\x00\x00', ...utf32('little') },
];

function utf32(end: 'big' | 'little'): OtherFormat {
  return {
    what: `is UTF-32 (${end}-endian)`,
    hint: `Write it as UTF-8: iconv -f UTF-32${end === 'big' ? 'BE' : 'LE'} -t UTF-8 FILE | pdi … -i -`,
  };
}

export const bytesLookedAt = 512;

export function refuseBinary(start: Buffer, isZip: boolean, name: string): void {
  const other = isZip ? otherZip(start) : otherBinary(start);
  if (other !== undefined) throw noList(name, other);
}

function otherBinary(start: Buffer): OtherFormat | undefined {
  const text = start.toString('latin1');
  const found = binaries.find(
    ({ bytes, at, needsProof }) => text.startsWith(bytes, at) && (!needsProof || hasNoText(start)),
  );
  if (found !== undefined) return found;
  if (isDbf(start)) return { ...database, called: 'dBASE' };
  return isOldSheet(start) ? { what: 'is an old workbook (.xls)', hint: bySpreadsheet } : undefined;
}

const hasNoText = (start: Buffer): boolean => start.some((byte) => byte < 0x09 || byte > 0x7e);

/** A type, then the day of the last change. */
const isDbf = (start: Buffer): boolean =>
  [0x03, 0x30, 0x31, 0x83, 0x8b, 0xf5].includes(start[0] ?? 0) &&
  between(start[2], 1, 12) &&
  between(start[3], 1, 31) &&
  start.includes(0);

const isOldSheet = (start: Buffer): boolean =>
  start[0] === 0x09 && [0, 2, 4, 8].includes(start[1] ?? 1) && start.includes(0);

const between = (byte: number | undefined, least: number, most: number): boolean =>
  byte !== undefined && byte >= least && byte <= most;

const zipEntry = { nameLength: 26, name: 30 };

/** Gives what a ZIP archive is by the name of its first file; undefined for workbooks, and where that does not tell. */
function otherZip(start: Buffer): OtherFormat | undefined {
  if (start.length < zipEntry.name) return undefined;
  const end = zipEntry.name + start.readUInt16LE(zipEntry.nameLength);
  const first = start.toString('utf8', zipEntry.name, end);
  if (first === 'mimetype') return { what: 'is an OpenDocument file (.ods)', hint: bySpreadsheet };
  if (/^(?:Index|Data|Metadata)\/|^Index\.zip$|^preview[\w-]*\.jpg$/.test(first)) {
    return {
      what: 'is an Apple document (.numbers)',
      hint: 'Export it as .xlsx or as CSV (UTF-8).',
    };
  }
  if (first === '' || first.endsWith('/') || /^xl\/|\.(?:xml|rels|bin|vml)$/i.test(first))
    return undefined;
  const hint = `Unpack it, and give one file of it: unzip -p FILE ${shellWord(first.replace(/[^\w./ -]/g, '?'))} | pdi … -i -`;
  return {
    what: `is a ZIP archive of files (${first.replace(/[^\x20-\x7e]/g, '?')} …), not a workbook`,
    hint,
  };
}

const unknownBinary: OtherFormat = { what: 'is binary, not text', hint: asList };

/** @throws UsageError: a NUL byte shows that these bytes, from `firstLine` on, are no text, or not in the encoding that was taken for theirs */
export function refuseNul(chunk: Buffer, name: string, firstLine: number): void {
  const at = chunk.indexOf(0);
  if (at < 0) return;
  const line = firstLine + countLines(chunk.subarray(0, at));
  throw noList(name, wideText(chunk) ?? (line === 1 ? unknownBinary : withNul(line)));
}

/** What has lines before a NUL may be text all the same. */
const withNul = (line: number): OtherFormat => ({
  what: `is binary, not text: line ${line} holds a NUL byte`,
  hint: `If the rest is text: tr -d '\\000' < FILE | pdi … -i -`,
});

/** Text of two or four bytes a character has most of its zeros at the same places. */
function wideText(chunk: Buffer): OtherFormat | undefined {
  const zeros = [0, 0, 0, 0];
  for (const [at, byte] of chunk.subarray(0, chunk.length & ~3).entries())
    if (byte === 0) zeros[at % 4] = (zeros[at % 4] ?? 0) + 1;
  const [first = 0, second = 0, third = 0, fourth = 0] = zeros;
  const characters = chunk.length >> 2;
  if (characters > 0 && first === characters && second === characters && fourth === 0)
    return utf32('big');
  if (characters > 0 && fourth === characters && third === characters && first === 0)
    return utf32('little');
  const [even, odd] = [first + third, second + fourth];
  if (even + odd < Math.max(4, chunk.length / 8) || Math.min(even, odd) * 8 > Math.max(even, odd))
    return undefined;
  const [end, encoding] = even > odd ? ['big', 'utf-16be'] : ['little', 'utf-16le'];
  return {
    what: `is UTF-16 (${end}-endian) without a byte order mark`,
    hint: `Say --encoding ${encoding}.`,
  };
}

const asRecords = 'Write its records as CSV, NDJSON or JSON.';
const html: OtherFormat = { what: 'is HTML', hint: bySpreadsheet };
const xml: OtherFormat = { what: 'is XML', hint: asRecords };
const yaml: OtherFormat = {
  what: 'is YAML',
  hint: 'Write it as JSON: yq -o json FILE | pdi … -i -',
};
const sql: OtherFormat = {
  what: 'is SQL',
  hint: 'Load it into the database, and export the table as CSV UTF-8.',
};
const mail: OtherFormat = { what: 'is mail', hint: 'Copy the identifiers out of it, one a line.' };

const drawing: OtherFormat = {
  what: 'is a drawn table',
  hint: 'Write it as CSV where it was made, for example with duckdb -csv, sqlite3 -csv, psql --csv, or in nu with to csv.',
};
/** Corners, crosses and upright lines; a level line may also be a ruler. */
const drawn = '[\\u2502\\u2503\\u2506\\u2507\\u250a-\\u254b\\u254e\\u254f\\u2551-\\u2570]';
const firstLines = '^(?:[^\\n]*\\n){0,19}?[^\\S\\n]*';

const mailField =
  '(?:Received|Return-Path|Delivered-To|From|To|Cc|Subject|Date|Message-ID|MIME-Version|Content-[A-Z][\\w-]*|DKIM-Signature|Reply-To|X-[\\w-]+)';

/** Nothing of a list begins like these, but notes above the header of a table may look like some. */
const texts: readonly (OtherFormat & { readonly pattern: RegExp; readonly mayBeNotes?: true })[] = [
  {
    pattern:
      /^<\?mso-application|^<\?xml[^>]*>\s*<\?mso-application|^<(?:\?xml[^>]*>\s*<)?(?:ss:)?Workbook[\s>]/i,
    what: 'is a spreadsheet in XML',
    hint: bySpreadsheet,
  },
  {
    pattern: /^(?:<\?xml[^>]*>\s*)?<office:document/i,
    what: 'is an OpenDocument spreadsheet in XML',
    hint: bySpreadsheet,
  },
  {
    pattern:
      /^<(?:!doctype\s+html|html|head|body|table|meta|div|style|script|title|tr|td|p|center|font)(?:[\s>/]|$)/i,
    ...html,
  },
  { pattern: /^<!--[\s\S]*?<(?:html|table)[\s>]/i, ...html },
  { pattern: /^<[!?]/, ...xml },
  {
    pattern:
      /^<([a-z][\w.-]*(?::[\w.-]+)?)(?:\s+[\w:.-]+\s*=[^>]*)?>[\s\S]*<\/|^<[a-z][\w:.-]*(?:\s+[\w:.-]+\s*=\s*["'][^>]*)?\/>/i,
    ...xml,
  },
  { pattern: /^<[a-z][\w:.-]*\s+[\w:.-]+\s*=\s*["'][^>]*>/i, ...xml },
  {
    pattern: /^\{\\rtf/i,
    what: 'is RTF',
    hint: 'Save it as plain text (UTF-8), one identifier a line.',
  },
  { pattern: /^BEGIN:VCARD\b/i, what: 'is a vCard', hint: 'Export the contacts as CSV.' },
  {
    pattern: /^BEGIN:V(?:CALENDAR|EVENT|TODO|JOURNAL)\b/i,
    what: 'is a calendar (iCalendar)',
    hint: asList,
  },
  { pattern: /^-{5}BEGIN [A-Z]/, what: 'is a key or a certificate', hint: asList },
  {
    pattern: /^(?:version:\s*\d+\s+)?dn::?\s+\S+=/i,
    what: 'is LDIF',
    hint: 'Export the entries as CSV.',
  },
  {
    pattern:
      /^%YAML\b|^---[^\S\n]*(?:#[^\n]*)?\r?\n(?:\s*#[^\n]*\n)*\s*(?:- |-\s*$|["']?[\w.-]+["']?:(?:\s|$))/,
    ...yaml,
  },
  {
    pattern: /^ID;P[^\n]*\n(?:P;P|[BC];[XYK]|F;|O;|NN;|NU;|W;|E\s)/,
    what: 'is a spreadsheet in SYLK',
    hint: bySpreadsheet,
  },
  { pattern: /^TABLE\r?\n\s*0,1\r?\n/, what: 'is a spreadsheet in DIF', hint: bySpreadsheet },
  { pattern: /^socialcalc:version:/, what: 'is a spreadsheet in SocialCalc', hint: bySpreadsheet },
  {
    pattern: /^(?:diff --(?:git|cc|combined) |Index: \S+\n=+\n|--- \S[^\n]*\n\+\+\+ \S)/,
    what: 'is a patch',
    hint: 'Apply it, and give the file that it changes.',
  },
  { pattern: /^\\(?:documentclass|begin)\b/, what: 'is LaTeX', hint: asList },
  { pattern: /^From \S+ .*\d{2}:\d{2}.*\r?\n[\w-]+:/, called: 'mbox', ...mail },
  {
    pattern:
      /^(?:\s|--[^\n]*\n|\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/;?)*(?:CREATE\s+(?:TABLE|DATABASE|SCHEMA|TEMP)\b|INSERT\s+(?:IGNORE\s+)?INTO\s|DROP\s+(?:TABLE|DATABASE)\b|PRAGMA\s+\w+\s*=|BEGIN(?:\s+TRANSACTION)?;|SET\s+(?:NAMES\s|@?@?[\w.]+\s*(?:=|TO\s))|COPY\s+\S+\s*\(|USE\s+[`[]|LOCK\s+TABLES\s|START\s+TRANSACTION;|SELECT\s[^\n]*\sFROM\s|REPLACE\s+INTO\s)/i,
    ...sql,
  },
  {
    pattern: /^--\s*\r?\n--\s*PostgreSQL database dump|^--\s+(?:MySQL|MariaDB|phpMyAdmin)\b/i,
    ...sql,
  },
  {
    pattern: new RegExp(`${firstLines}[\\u2500\\u2501\\u2550 ]*${drawn}`),
    mayBeNotes: true,
    ...drawing,
  },
  {
    pattern: new RegExp(`${firstLines}[-=]{2,}(?:[^\\S\\n]+[-=]{2,})+[^\\S\\n]*(?:\\r?\\n|$)`),
    mayBeNotes: true,
    ...drawing,
  },
  {
    pattern: /^(?:\*{5,} *\d+\. row \*{5,}|[-\u2500]\[ RECORD \d+ \]|# A tibble: |\|={3,}\r?\n)/,
    ...drawing,
  },
  { pattern: /^[\w.-]+ +[:=] [^\n]*\n *[\w.-]+ +[:=] /, mayBeNotes: true, ...drawing },
  {
    pattern: new RegExp(`^${mailField}:[^\\n]*\\n(?:[ \\t][^\\n]*\\n)*${mailField}:`, 'i'),
    mayBeNotes: true,
    ...mail,
  },
  {
    pattern:
      /^(?:#[^\n]*\n\s*)*(?:- +(?!https?:\/\/)(?:["']?[\w.-]+["']?: |\S[^\n]*\n *- +\S)|["']?[\w.-]+["']?:[^\S\n]*\r?\n(?: *- |[ ]+["']?[\w.-]+["']?:(?:\s|$))|[\w.-]+: +[^\n]*\n[\w.-]+:(?: |\r?\n))/,
    mayBeNotes: true,
    ...yaml,
  },
  {
    pattern:
      /^(?:(?:[#;][^\n]*|[\w.-]+[^\S\n]*=[^\n]*)\n\s*)*\[+[\w. "-]+\]+[^\S\n]*\r?\n\s*[\w."-]+\s*=/,
    mayBeNotes: true,
    what: 'is TOML or INI',
    hint: asRecords,
  },
];

/** As programs for data print a table: a column of numbers from 0 or 1 without a name. */
const numberedRows =
  /^[^\S\n]+[^\s,;|][^\n,;\t|]*\n(?:0[^\S\n]+[^\n,;\t|]+\n1|1[^\S\n]+[^\n,;\t|]+\n2)[^\S\n]/;

export function refuseOtherText(head: string, hasHeader: boolean, name: string): void {
  refuseMerge(head, name);
  if (numberedRows.test(head)) throw noList(name, drawing);
  const text = head.trimStart();
  const other = texts.find(
    ({ pattern, mayBeNotes }) => !(hasHeader && mayBeNotes) && pattern.test(text),
  );
  if (other !== undefined) throw noList(name, other);
}

const noList = (name: string, { what, called, hint }: OtherFormat): UsageError =>
  mistakeIn(name, called === undefined ? what : `${what} (${called})`, hint);
