// @ts-check
/** Jobs that are broken off and resumed, faults, credits, limits, and the book of all that. */

/** @typedef {import('./lines.mjs').Written} Written */

const job = 'pdi person -i ids.csv --concurrency 1';
const toFile = `${job} --fields full_name --out x.csv`;
const faults = ['drop-after-billing', 'truncate', 'malformed', 'reset', '503', '500'];
const few = '--retries 1';

/** @type {readonly Written[]} */
const resumed = [
  [`${toFile} --credits 2`, toFile, toFile],
  [`${toFile} --credits 2`, `${toFile} --credits 0`, `${toFile} --dry-run`, `${toFile} --force`],
  [`${toFile} --credits 1`, `${toFile} --restart`],
  [`${toFile} --credits 1`, 'pdi person -i own.csv --out x.csv --concurrency 1'],
  [`${toFile} --credits 1`, 'echo broken > x.csv.journal', toFile],
  [`${toFile} --credits 1`, 'head -c 200 x.csv.journal > j; mv j x.csv.journal', toFile],
  [`${toFile} --credits 1`, 'echo mine >> x.csv', toFile, `${toFile} --force`],
  [`${toFile} --fault drop-after-billing:0.5`, toFile, `${toFile} --retry-unknown`],
  [
    `${toFile} --fault drop-after-billing`,
    `${toFile} --retry-unknown --max-billable 2`,
    `${toFile} --retry-unknown`,
  ],
  [
    `${toFile} --fault 500`,
    toFile,
    `${toFile} --retry-unknown --fault 500 ${few}`,
    'pdi spend -o csv',
  ],
  [`${toFile} --on-error stop --fault malformed:0.5`, toFile],
  [`${job} -o json --out x.json --credits 2`, `${job} -o json --out x.json`],
  [
    `${job} -o xlsx --out x.xlsx --credits 2 --fields full_name`,
    `${job} -o xlsx --out x.xlsx --fields full_name`,
  ],
  [
    'pdi person -i own.csv --out x.csv --concurrency 1 --credits 1',
    'pdi person -i own.csv --out x.csv --concurrency 1',
  ],
  [
    'pdi investors -i firms.csv --out x.csv --concurrency 1 --fault drop-after-billing:0.4',
    'pdi investors -i firms.csv --out x.csv --concurrency 1 --retry-unknown',
  ],
  [
    'pdi network --all --limit 20 --out net.csv --fault 500:0.4',
    'pdi network --all --limit 20 --out net.csv',
    'pdi spend --by command -o csv',
  ],
  [
    'pdi resolve -i people.csv --out r.csv --fault reset:0.5 --retries 0',
    'pdi resolve -i people.csv --out r.csv',
  ],
  [`${toFile}`, `${toFile}`, `${toFile} --force --max-billable 1`, `${toFile} --force`],
  [
    'pdi person -i - --out x.csv --concurrency 1 --credits 1 < ids.txt',
    'pdi person -i - --out x.csv --concurrency 1 < ids.txt',
  ],
];

/** @type {readonly Written[]} */
const failing = [
  ...faults.flatMap((fault) => [
    `pdi person per_sample1 ${few} --fault ${fault}`,
    `pdi person per_sample1 -o table ${few} --fault ${fault}`,
    `pdi resolve ada-sample-1 -o table ${few} --fault ${fault}`,
    `pdi lists people delete b0000000-0000-4000-8000-000000000002 -y -o table ${few} --fault ${fault}`,
    `pdi feed --all --limit 3 --max-pages 2 -o csv --fields signal_id ${few} --fault ${fault}`,
    `pdi person -i ids.csv -o csv --fields full_name --concurrency 1 ${few} --fault ${fault}`,
    `pdi person -i many.txt -o csv --fields full_name --concurrency 1 ${few} --fault ${fault}:0.3`,
    `pdi config check -o table ${few} --fault ${fault}`,
  ]),
  'pdi person -i many.txt -o csv --fields full_name --concurrency 1 --retries 0 --fault 503',
  'pdi person -i many.txt -o csv --fields full_name --concurrency 1 --fault drop-after-billing',
  'pdi person per_sample1 per_sample2 -o csv --fields full_name --concurrency 1 --fault slow --timeout 0.7',
  'pdi health --latency 5000 --timeout 0.7 --retries 0',
  'pdi health --fault relational-store --fault analytics-store -o table',
  'pdi --fault 500:0.5 --fault reset:0.5 person -i ids.csv -o csv --fields full_name --concurrency 1 --retries 1',
  ...['402', '403', '429', '400', '503'].flatMap((status) => [
    `pdi person per_sample1 --credits 0 --retries 1 --max-wait 1 --out-of-credits-status ${status} -o table`,
    `pdi person -i ids.csv --credits 1 --retries 1 --max-wait 1 --concurrency 1 -o csv --fields full_name --out-of-credits-status ${status}`,
  ]),
  'pdi feed --all --limit 3 --credits 2 -o csv --fields signal_id',
  'pdi revenue -i companies.csv --credits 1 --concurrency 1 -o csv --fields company_name',
  'pdi person -i ids.csv --rate-limit 20 -o csv --fields full_name --concurrency 1',
  'pdi person -i many.txt --rate-limit 0.5 --max-wait 0 --retries 0 -o csv --fields full_name --concurrency 1',
  'pdi person per_sample1 per_sample2 --rate-limit 0.01 --max-wait 0.1 --retries 1 -o csv --fields full_name --concurrency 1',
];

const bought = 'pdi person per_sample1 per_nobody -q -o csv --fields full_name --concurrency 1';

/** @type {readonly Written[]} */
const spent = [
  ...['table', 'json', 'ndjson', 'csv', 'xlsx'].map((format) => [bought, `pdi spend -o ${format}`]),
  ...['command', 'profile', 'day'].map((key) => [
    bought,
    'pdi revenue company-1 -q --fault 500',
    `pdi spend --by ${key} -o csv`,
    `pdi spend --by ${key} -o table`,
  ]),
];

/** @type {readonly Written[]} */
export const moneyLines = [...resumed, ...failing, ...spent];
