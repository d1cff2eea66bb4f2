// @ts-check
/** Help, topics, completion, and command lines with a slip of the pen. */

/** @typedef {import('./lines.mjs').Written} Written */

const lists = ['lists companies list', 'lists companies delete', 'lists people modify', 'lists people delete', 'lists investors get'];
const config = ['set', 'unset', 'get', 'path', 'list', 'profiles', 'check', 'init'].map((name) => `config ${name}`);
const plain = ['resolve', 'person', 'feed', 'revenue', 'investors', 'network', 'health', 'spend', 'sandbox', 'completion', 'help'];
const searches = ['searches funding-rounds', 'searches talent'];

const commands = [...plain, ...lists, 'lists investors delete', ...searches, ...config];
const groups = ['lists', 'lists companies', 'lists people', 'lists investors', 'searches', 'config'];
const topics = ['exit-codes', 'environment', 'output', 'jobs', 'spreadsheets', 'money', 'sandbox', 'ci', 'mcp'];

const slips = [
  ...['persom', 'peron per_sample1', 'lists company list', 'searches talents 101', 'config gett base-url', 'help mony', 'completion tcsh'],
  ...[
    'help lists companies lisst',
    'help person feed',
    'completion',
    'person per_sample1 --feilds full_name',
    'feed extra',
    'health --wiat 1',
  ],
  ...['spend --by year', '--sandbx health', '-x', 'lists investors get', 'lists investors get a b', 'config set', 'person -o', '--profile'],
  ...['person per_sample1 -o yaml', 'person per_sample1 -o jsn', 'resolve --as email x'],
];

/** @type {readonly Written[]} */
export const wordLines = [
  'pdi',
  'pdi --version',
  'pdi -V -o json',
  'pdi --help',
  'pdi -h',
  'pdi help',
  { run: 'pdi', columns: 80 },
  { run: 'pdi', columns: 40 },
  { run: 'pdi --help', columns: 120 },
  { run: 'pdi --help', columns: 40 },
  { run: 'NO_COLOR=1 pdi --help', columns: 80 },
  { run: 'pdi feed --help', columns: 80 },
  { run: 'pdi help money', columns: 60 },
  { run: 'pdi help exit-codes', columns: 200 },
  'FORCE_COLOR=1 pdi --help',
  'FORCE_COLOR=1 pdi help output',
  ...[...commands, ...groups].map((words) => `pdi ${words} --help`),
  'pdi help lists people modify',
  'pdi help searches',
  ...groups.map((words) => `pdi ${words}`),
  'pdi lists people -o table',
  ...topics.map((topic) => `pdi help ${topic}`),
  ...['bash', 'zsh', 'fish', 'powershell', 'man'].map((shell) => `pdi completion ${shell}`),
  'pdi completion bash --out pdi.bash',
  'pdi completion bash --out there.csv',
  'pdi completion bash --out there.csv --force',
  'pdi help money --out money.txt',
  'pdi help money --fields x',
  'pdi --help --dry-run',
  'pdi person --help --no-color > /dev/full',
  ...slips.map((words, index) => `pdi ${index % 2 === 0 ? '' : '-o table '}${words}`),
  { run: 'pdi persom', columns: 80 },
  { run: 'pdi person --feilds x per_sample1', columns: 40 },
];
