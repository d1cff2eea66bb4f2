// @ts-check
/** What answers look like: each command in each format, and with the flags of output. */

/** @typedef {import('./lines.mjs').Written} Written */

/** The answers that there are, kept short by their flags. */
const answers = [
  'resolve ada-sample-1',
  'resolve ada-sample-1 nobody 700000002 https://www.profnet.example/in/ada-sample-1',
  'person per_sample1',
  'person per_sample3 per_sample4 per_sample6 --concurrency 1',
  'feed --limit 6',
  'feed --search 111',
  'revenue company-1',
  'revenue company-1 company-2 --concurrency 1',
  'investors --website investor-2.example',
  "investors --name 'twin sample PARTNERS'",
  'lists companies list',
  'lists companies delete c0000000-0000-4000-8000-000000000002 --yes',
  'lists people modify b0000000-0000-4000-8000-000000000002 --add per_sample9 --delete per_sample1',
  'lists people delete b0000000-0000-4000-8000-000000000002 -y',
  'lists investors get d0000000-0000-4000-8000-000000000002',
  'lists investors delete d0000000-0000-4000-8000-000000000002 --yes',
  'searches funding-rounds 103 104 --concurrency 1',
  'searches talent 101',
  'network --limit 4',
  'health',
  'config list',
  'config check',
];

const formats = ['table', 'json', 'ndjson', 'csv', 'xlsx'];

const person = 'pdi person per_sample3 -o';
const feed = 'pdi feed --limit 5';

/** @type {readonly Written[]} */
const flags = [
  ...[
    '--no-header',
    '--delimiter "\\t"',
    '--bom',
    '--text-ids',
    '--no-formula-guard',
    '--bom --text-ids --delimiter "|"',
  ].map((words) => `${person} csv ${words}`),
  ...['table', 'json', 'ndjson', 'csv', 'xlsx'].map(
    (format) => `${person} ${format} --fields full_name,skills,experience,current_position_title`,
  ),
  ...['json', 'ndjson', 'csv', 'table'].map(
    (format) => `pdi person per_sample1 per_sample2 --concurrency 1 -o ${format} --query full_name`,
  ),
  `${feed} -o json --query '[].signal_date'`,
  `${feed} -o ndjson --query '{d: signal_date, n: company.name}'`,
  `${feed} --fields company,signal_investors,signal_source -o csv`,
  `${feed} --fields company.name,company.hq.city,signal_investors.0.name -o csv`,
  ...[
    '--quiet',
    '--verbose',
    '--verbose -o table',
    '-q -o table',
    '--dry-run',
    '--dry-run -o table',
    '--dry-run -o csv',
  ].map((words) => `${feed} ${words}`),
  ...[
    'resolve x',
    'revenue company-1',
    'investors --name x',
    'lists companies list',
    'network --all',
    'health',
  ].flatMap((words) => [`pdi ${words} --dry-run -o table`, `pdi ${words} --dry-run -o ndjson`]),
];

/** @type {readonly Written[]} */
export const outputLines = [
  ...answers.flatMap((words) => formats.map((format) => `pdi ${words} -o ${format}`)),
  ...['resolve ada-sample-1', 'person per_sample1', 'lists companies list', 'health'].map(
    (words) => `pdi ${words}`,
  ),
  ...flags,
];
