// @ts-check
/** Inputs of every kind, what joins and rows become of them, and feeds. */

import { fixtures } from './fixtures.mjs';

/** @typedef {import('./lines.mjs').Written} Written */

const one = '--concurrency 1';
const names = '--fields person_id,full_name';
const people = 'b0000000-0000-4000-8000-000000000002';

const inputs = [...fixtures.keys(), 'none.csv', 'home', '""'];

/** @type {readonly Written[]} */
const reading = [
  ...inputs.map((file) => `pdi person -i ${file} -o csv ${names} ${one}`),
  ...['own.csv', 'short.csv', 'taken.csv', 'ids.ndjson'].flatMap((file) =>
    ['json', 'table', 'xlsx'].map((format) => `pdi person -i ${file} -o ${format} ${names} ${one}`),
  ),
  ...[
    'ids.txt',
    'own.csv',
    'ids.ndjson',
    'open.csv',
    'accents.csv',
    'wide.tsv',
    'empty.txt',
    'bad.ndjson',
  ].map((file) => `pdi person -i - -o csv ${names} ${one} < ${file}`),
  `pdi person -i own.csv --out own-out.csv ${one}`,
  `pdi person per_sample1 per_sample1 per_nobody 'a b' -o csv ${names} ${one}`,
  `pdi person -i own.csv -o csv ${names} --on-error stop ${one}`,
  'pdi resolve -i people.csv -o csv',
  'pdi resolve -i people.csv -o csv --fields matches.0.person_id --out resolved.csv',
  'pdi resolve -i people.csv -o ndjson',
  'pdi resolve -i kinds.txt -o csv',
  ...['url', 'id', 'num-id', 'urn'].map((kind) => `pdi resolve -i kinds.txt --as ${kind} -o csv`),
  'pdi resolve -i kinds.txt --dry-run -o json',
  `pdi resolve -i people.csv -o ndjson 2>first | pdi person -i - -o csv ${names} ${one}`,
  `pdi person -i own.csv -o ndjson ${one} 2>first | pdi person -i - -o ndjson ${names} ${one}`,
  `seq -f 'per_sample%.0f' 120 | pdi resolve -i - -o csv --fields matches.0.person_id ${one}`,
  ...['csv', 'table', 'ndjson'].map((format) => `pdi revenue -i companies.csv -o ${format} ${one}`),
  ...['csv', 'table', 'ndjson', 'json'].map(
    (format) => `pdi investors -i firms.csv -o ${format} ${one}`,
  ),
  'pdi investors --name "Sample Harbor Ventures 1" --website https://www.investor-1.example -o csv',
  ...['talent', 'funding-rounds'].flatMap((kind) => [
    `pdi searches ${kind} -i searches.txt -o csv ${one}`,
    `pdi searches ${kind} 102 105 108 110 -o table ${one}`,
  ]),
];

/** @type {readonly Written[]} */
const pages = [
  ...[
    ...[
      '--after 2026-06-28',
      '--before 2026-03-05',
      '--after 2026-06-30 --before 2026-06-01',
      '--page 2 --limit 3',
      '--list x',
    ],
    ...['--search 101', '--search 108', '--search 110', '--search 999', '--search x'],
    ...[people, 'c0000000-0000-4000-8000-000000000fff'].map((list) => `--list ${list}`),
  ].map((flags) => `pdi feed ${flags} -o csv --fields signal_id,signal_date,signal_type`),
  ...['signal_date_asc', 'signal_score_desc', 'sideways'].map(
    (order) => `pdi feed --sort ${order} --limit 4 -o csv --fields signal_id`,
  ),
  'pdi feed --all --max-pages 2 --limit 3 -o csv --fields signal_id',
  'pdi feed --all --dry-run -o json',
  'pdi network --all --limit 50 -o csv --fields person_id',
  [
    'pdi feed --all --since-last --after 2026-06-29 -o csv --fields signal_id',
    'pdi feed --all --since-last --after 2026-06-29 -o csv --fields signal_id',
  ],
  [
    'pdi feed --all --since-last daily --after 2026-06-30 -o ndjson --fields signal_id',
    'pdi feed --all --since-last daily --after 2026-06-28 -o ndjson --fields signal_id',
    'pdi feed --all --since-last other --after 2026-06-30 -o ndjson --fields signal_id',
  ],
  [
    'pdi feed --since-last --after 0001-01-01 --limit 3 --max-billable 2 -o csv --fields signal_id',
    'pdi feed --since-last --after 0001-01-01 --limit 3 --max-pages 1 -o csv --fields signal_id',
  ],
  [
    'pdi feed --since-last --after 0001-01-01 --max-pages 1 -q',
    'pdi feed --all --since-last --sort signal_score_desc --max-pages 1 -o csv --fields signal_id',
  ],
];

/** @type {readonly Written[]} */
export const jobLines = [...reading, ...pages];
