/** Formats that are no list are refused by name, whatever the file is called, before a row is read. */
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { failureOf } from '../support/failure.ts';
import { fileOf, pdi } from '../support/service.ts';
import { zipOf } from './book.ts';
import { expectRefused, openFile, openPiped, rowsUntilFailure, textsOf } from './reading.ts';

const bytes = (...parts: (string | readonly number[])[]): Buffer =>
  Buffer.concat(
    parts.map((part) =>
      typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part),
    ),
  );
const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);
const ole = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
const tar = bytes(
  'people.csv',
  zeros(90),
  '0000644\0',
  zeros(149),
  'ustar\x0000',
  zeros(248),
  'company_id\nc-1\n',
  zeros(497),
);

const texts: readonly [what: string, content: string, message: RegExp][] = [
  [
    'HTML with a doctype',
    '<!DOCTYPE html>\n<html><body><table><tr><td>c-1</td></tr></table></body></html>\n',
    /is HTML$/,
  ],
  [
    'a table that is called .xls',
    '<table border="1">\n<tr><th>company_id</th></tr>\n<tr><td>c-1</td></tr>\n</table>\n',
    /is HTML$/,
  ],
  [
    'HTML as Excel writes it',
    '<html xmlns:o="urn:schemas-microsoft-com:office:office">\n<head>\n',
    /is HTML$/,
  ],
  ['HTML in capitals behind blanks', '\n  <HTML>\n<BODY>\nc-1\n', /is HTML$/],
  ['a page behind a comment', '<!-- made by x -->\n<html>\n', /is HTML$/],
  ['XML', '<?xml version="1.0"?>\n<companies>\n<company id="c-1"/>\n</companies>\n', /is XML$/],
  [
    'XML without a declaration',
    '<companies>\n<company><id>c-1</id></company>\n</companies>\n',
    /is XML$/,
  ],
  [
    'an XML spreadsheet',
    '<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook>\n',
    /is a spreadsheet in XML$/,
  ],
  [
    'a flat OpenDocument',
    '<?xml version="1.0"?>\n<office:document xmlns:office="urn:x">\n',
    /is an OpenDocument spreadsheet in XML$/,
  ],
  ['RTF', '{\\rtf1\\ansi\\deff0 {\\fonttbl}\nc-1\\par\n}\n', /is RTF$/],
  ['a vCard', 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada Sample\r\nEND:VCARD\r\n', /is a vCard$/],
  ['a calendar', 'BEGIN:VCALENDAR\nVERSION:2.0\nEND:VCALENDAR\n', /is a calendar/],
  ['LDIF', 'dn: cn=Ada,dc=acme,dc=example\ncn: Ada\n', /is LDIF$/],
  ['YAML with a mark', '---\n- company_id: c-1\n- company_id: c-2\n', /is YAML$/],
  ['a YAML list', '- c-1\n- c-2\n', /is YAML$/],
  ['YAML records', '- company_id: c-1\n  name: Acme\n', /is YAML$/],
  ['a YAML mapping', 'companies:\n  - c-1\n  - c-2\n', /is YAML$/],
  ['YAML fields', '# all of them\ncompany_id: c-1\nname: Acme\n', /is YAML$/],
  ['SYLK', 'ID;PWXL;N;E\nC;Y1;X1;K"company_id"\nE\n', /is a spreadsheet in SYLK$/],
  ['DIF', 'TABLE\n0,1\n"EXCEL"\nVECTORS\n0,2\n', /is a spreadsheet in DIF$/],
  [
    'SocialCalc',
    'socialcalc:version:1.5\nMIME-Version: 1.0\n\npart:sheet\ncell:A1:t:company_id\n',
    /is a spreadsheet in SocialCalc$/,
  ],
  ['mail', 'From: ada@acme.example\nTo: bob@acme.example\nSubject: x\n\nc-1\n', /is mail$/],
  ['mail as it is sent', 'Subject: x\r\n y\r\nFrom: ada@acme.example\r\n\r\nc-1\r\n', /is mail$/],
  ['mail with folded fields', 'Received: from a\n by b\nDate: x\n\nc-1\n', /is mail$/],
  [
    'a mailbox',
    'From ada@acme.example Thu Jan  1 00:00:00 2026\nSubject: x\n\nc-1\n',
    /is mail \(mbox\)$/,
  ],
  [
    'an SQL dump',
    "CREATE TABLE company (id text);\nINSERT INTO company VALUES ('c-1');\n",
    /is SQL$/,
  ],
  [
    'SQL behind comments',
    "-- dump\n/* x */\nINSERT INTO company (id) VALUES ('c-1');\n",
    /is SQL$/,
  ],
  ['a dump of PostgreSQL', '--\n-- PostgreSQL database dump\n--\n\nSET x = 0;\n', /is SQL$/],
  ['TOML below a title', 'title = "x"\n\n[[company]]\nid = "c-1"\n', /is TOML or INI$/],
  ['a patch', '--- a/ids.txt\n+++ b/ids.txt\n@@ -1 +1 @@\n-c-1\n+c-2\n', /is a patch$/],
  [
    'a merge in NDJSON',
    '{"company_id":"c-1"}\n<<<<<<< .mine\n{"company_id":"c-2"}\n',
    /holds an unresolved merge: line 2$/,
  ],
  [
    'a merge in JSON',
    '[{"company_id":"c-1"},\n<<<<<<< a\n{"company_id":"c-2"}\n]',
    /holds an unresolved merge: line 2$/,
  ],
  [
    'a merge of Perforce',
    '>>>> ORIGINAL ids#1\nc-1\n==== THEIRS ids#2\nc-2\n<<<<\n',
    /holds an unresolved merge: line 1$/,
  ],
  ['a merge of three', 'diff --cc ids.txt\n++<<<<<<< HEAD\n +c-1\n', /is a patch$/],
  [
    'a box of DuckDB',
    '┌────────────┐\n│ company_id │\n├────────────┤\n│ c-1        │\n└────────────┘\n',
    /is a drawn table$/,
  ],
  [
    'a box below notes',
    'Today:\n\n╔════════════╗\n║ company_id ║\n╚════════════╝\n',
    /is a drawn table$/,
  ],
  ['a box of nushell', '───┬──────\n # │ name \n───┼──────\n 0 │ Acme \n', /is a drawn table$/],
  [
    'a table of psql',
    ' company_id │ name \n────────────┼──────\n c-1        │ A\n',
    /is a drawn table$/,
  ],
  [
    'columns of sqlite3',
    'company_id  name\n----------  ----\nc-1         Acme\n',
    /is a drawn table$/,
  ],
  [
    'a simple table',
    '==========  ====\ncompany_id  name\n==========  ====\nc-1         A\n',
    /is a drawn table$/,
  ],
  [
    'rows of pandas',
    '  company_id  name\n0        c-1  Acme\n1        c-2  Beta\n',
    /is a drawn table$/,
  ],
  ['rows of R', '  company_id name\n1        c-1 Acme\n2        c-2 Beta\n', /is a drawn table$/],
  [
    'records of mysql',
    '*************************** 1. row ***************************\ncompany_id: c-1\n',
    /is a drawn table$/,
  ],
  ['records of PowerShell', '\ncompany_id : c-1\nname       : Acme\n', /is a drawn table$/],
  ['a tree', 'companies\n├── c-1\n└── c-2\n', /is a drawn table$/],
  [
    'a certificate',
    '-----BEGIN CERTIFICATE-----\nMIIabc\n-----END CERTIFICATE-----\n',
    /is a key or a certificate$/,
  ],
  ['an event', 'BEGIN:VEVENT\nUID:1\nEND:VEVENT\n', /is a calendar/],
  ['LaTeX', '\\begin{tabular}{ll}\nc-1 & A \\\\\n\\end{tabular}\n', /is LaTeX$/],
  ['TOML', '[companies]\nids = ["c-1"]\n', /is TOML or INI$/],
];

const binaries: readonly [what: string, content: Buffer, message: RegExp][] = [
  ['PDF', bytes('%PDF-1.7\n%', [0xe2, 0xe3], '\n1 0 obj\n'), /is a PDF$/],
  ['SQLite', bytes('SQLite format 3\0', [16, 0, 1, 1]), /is a database \(SQLite\)$/],
  [
    'dBASE',
    bytes([0x03, 126, 5, 1, 2, 0, 0, 0, 97, 0], zeros(20), 'COMPANY_ID'),
    /is a database \(dBASE\)$/,
  ],
  ['Access', bytes([0, 1, 0, 0], 'Standard ACE DB\0', zeros(20)), /is a database \(Access\)$/],
  ['tar', tar, /is an archive \(tar\)$/],
  ['tar in gzip', gzipSync(tar), /is an archive \(tar\)$/],
  ['7z', bytes([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c, 0, 4]), /is an archive \(7z\)$/],
  ['RAR', bytes('Rar!', [0x1a, 7, 1, 0]), /is an archive \(RAR\)$/],
  [
    'a ZIP of CSVs',
    zipOf({ 'a.csv': 'id\nc-1\n', 'b.csv': 'id\nc-2\n' }),
    /is a ZIP archive of files \(a\.csv …\), not a workbook$/,
  ],
  [
    'a ZIP of a folder',
    zipOf({ 'out/a.ndjson': '{}' }),
    /is a ZIP archive of files \(out\/a\.ndjson …\)/,
  ],
  [
    'OpenDocument',
    zipOf({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': '<a/>' }),
    /is an OpenDocument file/,
  ],
  [
    'Numbers',
    zipOf({ 'Index/Document.iwa': 'x', 'Metadata/a.plist': 'x' }),
    /is an Apple document \(\.numbers\)$/,
  ],
  [
    'an old workbook',
    bytes(ole, zeros(500)),
    /is an old workbook \(\.xls\), or one with a password$/,
  ],
  ['an older workbook', bytes([0x09, 0x08, 0x10, 0, 0, 6, 5, 0]), /is an old workbook \(\.xls\)$/],
  ['Parquet', bytes('PAR1', [0x15, 4, 0x15]), /is binary \(Parquet\)$/],
  ['bzip2', bytes('BZh91AY&SY', [0xff, 0x80, 1]), /is packed \(bzip2\)$/],
  ['xz', bytes([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0, 4]), /is packed \(xz\)$/],
  ['zstd', bytes([0x28, 0xb5, 0x2f, 0xfd, 4, 0]), /is packed \(zstd\)$/],
  ['a picture', bytes([0x89], 'PNG\r\n', [0x1a], '\n', [0, 0]), /is a picture$/],
];

describe.each([...texts, ...binaries])('%s', (_what, content, message) => {
  const expectRefusal = (failure: unknown): void => {
    expect(failure).toBeInstanceOf(UsageError);
    expect(failure).toMatchObject({
      message: expect.stringMatching(message),
      details: { hint: expect.stringMatching(/^[A-Z].*[.-]$/) },
    });
  };

  it.each(['a.txt', 'a.csv', 'a.xls', 'a.xlsx', 'a.list', 'a.tsv', 'a'])(
    'called %s is refused',
    async (name) => {
      for (const candidates of [['company_id'], ['name', 'website']])
        expectRefusal(await failureOf(openFile(name, content, { candidates })));
    },
  );

  it('is refused in a pipe, and where it is said to be lines', async () => {
    expectRefusal(await failureOf(openPiped(content, { candidates: ['company_id'] }, 100_000)));
    expectRefusal(
      await failureOf(openFile('a', content, { candidates: ['company_id'], inputFormat: 'lines' })),
    );
  });
});

it.each(texts.slice(0, 6))('convert refuses %s too', async (_what, content, message) => {
  const { code, stderr } = await pdi(['convert', fileOf('a.csv', content), '-o', 'csv']);
  expect([code, stderr.split(';')[0]]).toEqual([2, expect.stringMatching(message)]);
});

it.each([
  '[{"company_id":"c-1"}]',
  '{"company_id":"c-1"}\n{"company_id":"c-2"}\n',
  '{\n  "company_id": "c-1"\n}\n',
  '["c-1","c-2"]',
])('JSON that is called a table is refused: %j', async (content) => {
  for (const name of ['a.csv', 'a.tsv', 'a.csv.gz']) {
    await expectRefused(
      openFile(name, content, { candidates: ['company_id'] }),
      /is JSON, not a table$/,
      /json/,
    );
  }
  const inputFormat = content.includes('}\n{') ? 'ndjson' : 'json';
  const read = await openFile('a.csv', content, { candidates: ['company_id'], inputFormat });
  expect((await textsOf(read))[0]).toBe('c-1');
});

it.each([
  [
    'links in angle brackets',
    '<https://www.profnet.example/in/ada>\n<https://www.profnet.example/in/bob>\n',
  ],
  [
    'links behind dashes',
    '- https://www.profnet.example/in/ada\n- https://www.profnet.example/in/bob\n',
  ],
  ['ids in angle brackets', '<ada-sample>\n<bob-sample>\n'],
  ['names of funds', 'Select Ventures\nSet Capital\nUpdate Partners\nFrom Now On\nCreate Fund\n'],
  ['ids that begin as a format does', 'ORCA-1\nBZh\nPAR-1\nRar-1\nPAR1S\n'],
  ['an id that begins as Parquet', 'PAR1S-7\nFEA1-2\n'],
  ['a name that begins as a picture', 'GIF8 Ventures\nARROW1 Capital\n'],
])('%s are lines', async (_what, content) => {
  const lines = content.trim().split('\n');
  expect(
    await textsOf(await openFile('a.txt', content, { candidates: ['name', 'website'] })),
  ).toEqual(lines);
});

it.each([
  'ID;Projekt;company_id\n1;P;c-1\n',
  'ID;Plan;company_id\nC;x;c-1\n',
  'ID;P;company_id\r\nF-1;P;c-1\r\n',
])('a table whose first columns are called as SYLK begins is a table: %j', async (content) => {
  expect(await textsOf(await openFile('a.csv', content, { candidates: ['company_id'] }))).toEqual([
    'c-1',
  ]);
});

it('notes above a header may look like fields', async () => {
  const content = 'Subject: customers\nDate: 2026-05-01\n\ncompany_id,name\nc-1,Acme\n';
  expect(await textsOf(await openFile('a.csv', content, { candidates: ['company_id'] }))).toEqual([
    'c-1',
  ]);
});

it('a NUL byte among lines is told by its line', async () => {
  const failure = await failureOf(
    openFile('a.csv', 'company_id,name\nc-1,x\nc-2,\0\n', { candidates: ['company_id'] }),
  );
  expect(failure).toHaveProperty(
    'message',
    expect.stringMatching(/a\.csv is binary, not text: line 3 holds a NUL byte$/),
  );
});

it('what is below many comments is told at once', async () => {
  expect(await textsOf(await openFile('a.txt', `${'/* a */\n'.repeat(40)}per_1\n`))).toHaveLength(
    41,
  );
});

it('a merge far down refuses a file, and stops a pipe behind the rows above it', async () => {
  const content = `company_id\n${'c-1\n'.repeat(30_000)}<<<<<<< HEAD\nc-2\n`;
  const extras = { candidates: ['company_id'] };
  await expectRefused(
    openFile('a.csv', 'company_id\nc-1\n>>>>>>> branch', extras),
    /a\.csv holds an unresolved merge: line 3$/,
  );
  await expectRefused(
    openFile('a.csv', content, extras),
    /a\.csv holds an unresolved merge: line 30002$/,
  );
  const { rows, failure } = await rowsUntilFailure(
    await openPiped(content, { ...extras, inputFormat: 'csv' }, 9000),
  );
  expect([rows.length, String(failure)]).toEqual([30_000, expect.stringContaining('line 30002')]);
});

it.each([
  ['a.csv', 'company_id,name\n──────,──\nc-1,│ A │\n'],
  ['a.csv', '── Report ──\ncompany_id,name\nc-1,"a\n├── b"\n'],
  ['a.txt', '| company_id | name |\n|------------|------|\n| c-1 | A |\n'],
  ['a.txt', '+------------+\n| company_id |\n+------------+\n| c-1        |\n+------------+\n'],
  ['a.tsv', 'company_id\tname\n----------\t----\nc-1\tA\n'],
  ['a.txt', 'company_id\n----------\nc-1\n=======\n'],
])('a table with rulers is read: %s %j', async (name, content) => {
  const texts = await textsOf(await openFile(name, content, { candidates: ['company_id'] }));
  expect(texts.filter((text) => text !== undefined)).toEqual(['c-1']);
});
