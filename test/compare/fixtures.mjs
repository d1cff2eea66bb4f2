// @ts-check
/** The files that each command line finds in its folder. */

const numbered = (/** @type {number} */ count) =>
  Array.from({ length: count }, (_, index) => `per_sample${index + 1}`);

const text = (/** @type {readonly string[]} */ ...lines) => `${lines.join('\n')}\n`;

/** Saved by a spreadsheet in Europe. */
const accents = Buffer.from(
  'person_id,ville\nper_sample1,Montr\xe9al\nper_sample2,Z\xfcrich\n',
  'latin1',
);

const wide = Buffer.from(
  '\ufeffperson_id\tcity\r\nper_sample1\tMontréal\r\nper_sample2\t東京\r\n',
  'utf16le',
);

/** @type {ReadonlyMap<string, string | Buffer>} */
export const fixtures = new Map(
  Object.entries({
    'ids.txt': text('per_sample1', 'per_sample2', 'per_sample3'),
    'ids.csv': text('person_id', 'per_sample1', 'per_sample2', 'per_sample3', 'per_sample1'),
    'ids.tsv': text('name\tperson_id', 'Ada\tper_sample1', 'Ingrid "x"\tper_sample2'),
    'ids.ndjson': text(
      '{"person_id":"per_sample1","own":1}',
      '"per_sample2"',
      '{"person_id":null}',
      '{"other":"x"}',
      '17',
    ),
    'many.txt': text(...numbered(24)),
    'own.csv': text(
      'account,person_id,note',
      'A,per_sample1,"said ""hi"", twice"',
      'B,per_sample2,=1+1',
      'C,per_nobody,Zoë',
      'D,,empty',
      'E,per_sample1,"two',
      'lines"',
      'F,not an id,x',
    ),
    'short.csv': text(
      'person_id,a,b',
      'per_sample1',
      'per_sample2,1',
      'per_sample3,1,2,,',
      'per_sample4,1,2,surplus,"and, more"',
    ),
    'open.csv': text('person_id,a', 'per_sample1,x', 'per_sample2,"never closed', 'per_sample3,y'),
    'taken.csv': text('person_id,full_name,pdi_status', 'per_sample1,mine,mine too'),
    'headless.csv': text('per_sample1,x', 'per_sample2,y'),
    'semicolons.csv': text('person_id;note', 'per_sample1;a,b', 'per_sample2;c'),
    'accents.csv': accents,
    'wide.tsv': wide,
    'empty.txt': '',
    'bad.ndjson': text(
      '{"person_id":"per_sample1"}',
      '{"person_id":',
      '{"person_id":"per_sample2"}',
    ),
    'people.csv': text(
      'account,profnet_url,owner',
      'A-1,https://www.profnet.example/in/ada-sample-1,Mara',
      'A-2,https://www.profnet.example/in/nobody,Jon',
      'A-3,https://www.profnet.example/,Mara',
      'A-4,https://www.profnet.example/in/ada-sample-1,Jon',
    ),
    'kinds.txt': text(
      'ada-sample-1',
      '700000001',
      'urn:profnet:member:S1',
      '9007199254740993',
      '1.23E+15',
      'a b',
      'ada.sample',
      'x/y',
    ),
    'companies.csv': text('company_id,a', 'company-1,x', 'company-2,y', 'company-none,z'),
    'firms.csv': text(
      'website,name',
      'investor-1.example,',
      ',Twin Sample Partners',
      'nobody.example,Nobody',
      ',',
      'investor-2.example,Other',
    ),
    'searches.txt': text('101', '102', '105', '108', '110', '999', 'abc'),
  }),
);
