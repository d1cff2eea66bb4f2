// @ts-check
/** Keys that are asked for, and calls to a sandbox that runs as a service of its own. */

/** @typedef {import('./lines.mjs').Written} Written */

const noSandbox = 'unset PDI_SANDBOX;';

/** @type {readonly Written[]} */
const asked = [
  'pdi config init',
  {
    run: `${noSandbox} pdi config init`,
    columns: 120,
    answers: [
      ['URL', 'http://127.0.0.1:9/api/v1\r'],
      ['ey', 'sandbox-key-full\r'],
    ],
  },
  { run: 'pdi config set api-key', columns: 120, answers: [['ey', 'sandbox-key-full\r']] },
  { run: 'pdi config set api-key --no-input', columns: 120 },
];

/** Commands while a sandbox of its own runs, as a real service would. */
const served = (/** @type {string} */ flags, /** @type {string[]} */ ...commands) =>
  [
    `pdi sandbox ${flags} -o ndjson > facts & until [ -s facts ]; do sleep 0.05; done`,
    `export PDI_BASE_URL=$(sed 's/.*"base_url":"\\([^"]*\\)".*/\\1/' facts)`,
    noSandbox.slice(0, -1),
    ...commands.map((command) => `${command}; echo "exit code $?"`),
    'kill $!; wait $!; echo "sandbox: $?"',
  ].join('\n');

/** @type {readonly Written[]} */
const service = [
  served('', 'pdi health', 'pdi person per_sample1 -o table', 'PDI_API_KEY=wrong pdi person per_sample1 -o table'),
  served(
    '',
    'PDI_API_KEY=sandbox-key-full pdi config check -o csv',
    'PDI_API_KEY=wrong pdi config check -o table',
    'pdi config check -o table',
  ),
  served(
    '',
    'PDI_API_KEY=sandbox-key-no-permission pdi config check -o table',
    'PDI_API_KEY=sandbox-key-no-permission pdi person per_sample1',
  ),
  served(
    '',
    'PDI_API_KEY_FILE=key.txt pdi person per_sample1 --verbose --fields full_name',
    'PDI_API_KEY_FILE=poor.txt pdi person per_sample1 -o table',
  ),
  served(
    '',
    'PDI_API_KEY_FILE=two.txt pdi person per_sample1',
    'PDI_API_KEY_FILE=none pdi person per_sample1',
    'PDI_API_KEY_FILE=empty.txt pdi person per_sample1',
  ),
  served(
    '',
    'pdi config set base-url "$PDI_BASE_URL"',
    'pdi config set key-command "cat key.txt"',
    'pdi person per_sample1 -o csv --fields full_name',
    'pdi config check -o csv',
  ),
  served(
    '',
    'pdi config set key-command "sh -c \'echo sandbox-key-full; exit 3\'"',
    'pdi person per_sample1',
    'pdi config set key-command none-such',
    'pdi person per_sample1',
  ),
  served(
    '',
    'pdi config set base-url "$PDI_BASE_URL"',
    'pdi config set api-key - < key.txt',
    'unset PDI_BASE_URL',
    'pdi feed --limit 1 -o csv',
    'pdi spend --by profile -o csv',
    'pdi --base-url http://127.0.0.1:9/api/v1 person per_sample1',
  ),
  served(
    '--credits 3',
    'export PDI_API_KEY=sandbox-key-full',
    'pdi person -i ids.csv --concurrency 1 --out x.csv',
    'pdi person per_sample1 -o table',
    'pdi spend -o csv',
  ),
  served(
    '',
    'export PDI_API_KEY=sandbox-key-full',
    'pdi lists people delete b0000000-0000-4000-8000-000000000002 -y -o csv',
    'pdi lists people delete b0000000-0000-4000-8000-000000000002 -y -o csv',
  ),
  'pdi sandbox -o table 2> said & until [ -s said ]; do sleep 0.05; done; kill $!; wait $!; echo $?',
  'pdi sandbox --port 70000',
  'pdi sandbox --people 0',
  'pdi sandbox --help -q',
];

/** @type {readonly Written[]} */
export const configLines = [...asked, ...service];
