// @ts-check
/** Settings, keys and profiles, and calls to a sandbox that runs as a service of its own. */

/** @typedef {import('./lines.mjs').Written} Written */

const url = 'https://api.example.test/api/v1';
const noSandbox = 'unset PDI_SANDBOX;';

const values = [
  ...[
    `base-url ${url}`,
    'base-url http://api.example.test/api/v1',
    'base-url nonsense',
    `base-url '${url}?x=1'`,
    'timeout 12.5',
    'timeout 0',
  ],
  ...[
    'output yaml',
    'max-billable unlimited',
    'concurrency 65',
    "key-command 'cat key.txt'",
    'key-command ""',
    'api-key secret',
    'api-key',
  ],
  ...['api-key - < key.txt', 'api-key - < two.txt', 'api-key - < empty.txt', 'retries 2', 'colour red', 'timeout', 'timeout - < empty.txt'],
];

/** @type {readonly Written[]} */
const settings = [
  ...values.map((words) => `pdi config set ${words}`),
  'pdi config set base-url http://api.example.test/api/v1 --allow-http',
  ...['base-url', 'timeout', 'api-key', 'nonsense'].flatMap((name) => [`pdi config get ${name}`, `pdi config unset ${name} -o table`]),
  [
    'pdi config set timeout 9',
    'pdi config get timeout',
    'pdi config unset timeout',
    'pdi config get timeout -o table',
    'pdi config unset timeout',
  ],
  [
    `pdi config set base-url ${url}`,
    'pdi config set api-key - < key.txt',
    'pdi config get api-key',
    'pdi config list -o table',
    'pdi config list -o json',
  ],
  [
    `pdi config set base-url ${url}`,
    'pdi config set api-key - < key.txt',
    'pdi config set base-url https://other.example.test/api/v1',
    'pdi config list -o table',
  ],
  [
    `pdi config set base-url ${url}`,
    'pdi config set api-key - < key.txt',
    'pdi config set base-url https://api.example.test/api/v2',
    'pdi config list -o csv',
  ],
  [
    'pdi config set timeout 9 --profile night',
    'pdi config profiles -o table',
    'pdi config profiles -o json',
    'PDI_PROFILE=night pdi config list -o csv',
    'pdi --profile night config get timeout',
  ],
  'pdi config profiles -o csv',
  'pdi config path',
  'PDI_CONFIG_DIR=$PWD/here pdi config path',
  'XDG_CONFIG_HOME=$PWD/here pdi config set timeout 3',
  'XDG_CONFIG_HOME=rel pdi config path',
  'HOME= pdi config path | sed "s|^/.*/.config|HOME/.config|"',
  'pdi config path -o csv',
  'pdi --profile nobody config list -o csv',
  'pdi --profile nobody health',
  'pdi --profile "a b" health',
  'PDI_PROFILE=nobody pdi health',
  'pdi config list -o csv --timeout 4 --concurrency 2 --max-billable 3',
  'PDI_TIMEOUT=4 PDI_CONCURRENCY=2 PDI_OUTPUT=csv PDI_BASE_URL=https://x.example/api/v1 pdi config list',
  'PDI_API_KEY=sandbox-key-full pdi config list -o csv',
  'PDI_API_KEY_FILE=key.txt pdi config list -o csv',
  'PDI_API_KEY_FILE=none.txt pdi config list -o csv',
  [
    `pdi config set base-url ${url}`,
    'chmod 644 home/.config/pdi/config.json',
    'pdi config get base-url',
    'pdi config check -o csv',
    'pdi config set timeout 3',
  ],
  ...['{', '[]', '{"profiles":[]}', '{"profiles":{"default":{"timeout":"x"}}}', '{"profiles":{"default":{"other":1}}}', ''].map((text) => [
    `mkdir -p home/.config/pdi; printf '%s' '${text}' > home/.config/pdi/config.json`,
    'pdi config list -o table',
    'pdi health -o table',
    'pdi config set timeout 5',
  ]),
  'mkdir -p home/.config; echo x > home/.config/pdi; pdi config set timeout 5',
  'mkdir -p home/.config/pdi/config.json; pdi config list -o table',
  [`mkdir -p home/real home/.config; ln -s ../real home/.config/pdi; pdi config set base-url ${url}`, 'pdi config get base-url'],
  ['mkdir -p home/.config/pdi; echo "{}" > home/mine.json; ln -s ../../mine.json home/.config/pdi/config.json', 'pdi config set timeout 5'],
];

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

/** @type {readonly Written[]} */
const unreachable = [
  ...['health', 'person per_sample1', 'config check', 'config init'].flatMap((words) => [
    `${noSandbox} pdi ${words} -o table`,
    `${noSandbox} pdi ${words} -o json --base-url http://127.0.0.1:9/api/v1 --retries 0`,
    `${noSandbox} PDI_API_KEY=k pdi ${words} -o table --base-url http://127.0.0.1:9/api/v1 --retries 1`,
  ]),
  `${noSandbox} PDI_API_KEY=k pdi health -o table --base-url http://api.example.test/api/v1`,
  `${noSandbox} PDI_API_KEY=k pdi person x --dry-run -o table --base-url http://api.example.test/api/v1 --allow-http`,
  `${noSandbox} PDI_API_KEY=k pdi person per_sample1 --dry-run -o table --base-url ${url}`,
  `${noSandbox} pdi person per_sample1 --credits 3`,
  `${noSandbox} pdi person per_sample1 --dry-run -o table`,
  `${noSandbox} PDI_API_KEY=k HTTP_PROXY=http://127.0.0.1:9 NO_PROXY= pdi health -o table --retries 0 --allow-http --base-url http://api.example.test/api/v1`,
  `${noSandbox} PDI_API_KEY=k HTTPS_PROXY=nonsense:// pdi health -o table --retries 0 --base-url ${url}`,
  `${noSandbox} PDI_API_KEY="k${'\\'}nx" pdi person per_sample1 --base-url http://127.0.0.1:9/api/v1`,
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
export const configLines = [...settings, ...asked, ...unreachable, ...service];
