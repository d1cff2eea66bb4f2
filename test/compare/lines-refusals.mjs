// @ts-check
/** Flags with a value that is none, and flags that contradict each other. */

/** @typedef {import('./lines.mjs').Written} Written */

const bad = [
  ...['--timeout 0', '--timeout x', '--timeout 1e9', '--retries -1', '--retries 1.5', '--retries 101', '--max-wait -1', '--max-wait x'],
  ...['--base-url nonsense', '--base-url ftp://x/api', '--base-url ""', '--output xml', '--delimiter ab', '--delimiter ""'],
  ...['--max-billable -1', '--max-billable 1.5', '--max-billable x', '--concurrency 0', '--concurrency 65', '--concurrency x'],
  ...['--rate 0', '--rate x', '--on-error ignore', '--people 0', '--people x', '--seed -1', '--credits -1', '--credits x'],
  ...['--rate-limit 0', '--latency -1', '--out-of-credits-status 200', '--out-of-credits-status x', '--fault x', '--query ""'],
  ...[
    '--query "a["',
    '--fields ","',
    '--fields nope',
    '--input none.txt',
    '--input-format xml',
    '--profile ""',
    '--profile ../x',
    '--out ""',
  ],
];

const pages = [
  ...['--limit 0', '--limit 51', '--limit x', '--page -1', '--page x', '--max-pages 0', '--after 2026-13-01', '--after yesterday'],
  ...['--before 2026-02-30', '--since-last x', '--all --page 1 --since-last', '--search ""', '--list ""', '--sort ""'],
];

const contradictions = [
  'person per_sample1 --query full_name -o csv',
  'person per_sample1 --query full_name -o table',
  'person per_sample1 --query full_name -o xlsx',
  'person per_sample1 --restart',
  'person per_sample1 --force',
  'person per_sample1 --restart -o json',
  'person per_sample1 --retry-unknown --dry-run',
  'person per_sample1 --dry-run --out plan.json',
  'person -i ids.csv --dry-run --restart --out x.csv',
  'person per_sample1 --color --no-color -o table',
  'person per_sample1 --quiet --verbose',
  'person per_sample1 --input-format csv',
  'person',
  'revenue',
  'resolve',
  'searches talent',
  'revenue "company 1"',
  'revenue company/1',
  'revenue "" -o table',
  'person ../x',
  'person https://www.profnet.example/in/ada-sample-1',
  'person per_sample1 -i -',
  'health --wait -1',
  'health --wait x',
  'health --all',
  'health --since-last',
  'network --limit 0',
  'network --page x',
  'network --since-last',
  'network --after 2026-01-01',
  'spend --since 2026-99-99',
  'spend --credits 3',
  'config list --credits 3',
  'config path extra',
  'completion bash extra',
  'lists companies list extra',
  'sandbox --port x',
];

/** @type {readonly Written[]} */
export const refusalLines = [
  ...bad.map((flags) => `pdi person per_sample1 ${flags}`),
  ...['--timeout x', '--fields nope', '--max-billable x', '--fault x', '--output xml'].map(
    (flags) => `pdi person per_sample1 ${flags} -o table`,
  ),
  ...pages.map((flags) => `pdi feed ${flags} -o json --fields signal_id`),
  ...contradictions.map((words) => `pdi ${words}`),
  'PDI_TIMEOUT=x pdi health',
  'PDI_CONCURRENCY=0 pdi health -o table',
  'PDI_SANDBOX=maybe pdi health -o table',
  'PDI_SANDBOX=0 pdi health -o table',
  'PDI_SANDBOX= pdi --sandbox health -o table',
  'PDI_API_KEY=sandbox-key-no-permission pdi person per_sample1 -o table',
  'PDI_API_KEY=sandbox-key-no-credits pdi person per_sample1 -o table',
  'PDI_API_KEY=sandbox-key-no-credits pdi health -o table',
  'PDI_API_KEY=foreign pdi person per_sample1 -o table --fields full_name',
];
