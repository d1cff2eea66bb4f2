/** The options of every command: those derived from settings, and the plain ones. */
import { type Command, Option } from '@commander-js/extra-typings';
import { allSettings, storedSettings } from '../config/settings.ts';
import { UsageError } from '../errors.ts';

export const storedSettingNames: readonly string[] = storedSettings.map(({ name }) => name);

const outputOptions = <A extends unknown[], O extends Record<string, unknown>>(program: Command<A, O>) =>
  program
    .optionsGroup('Output options:')
    .option('--fields <names>', 'columns to show, in this order, separated by commas')
    .option('--explode <list>', 'a row for each element of a list, such as experience: its record repeats, pdi_item counts; not with json')
    .option('--where <expression>', 'keep the records for which this JMESPath expression is true: feed, network, lists, investors, convert')
    .option('--query <expression>', 'JMESPath expression over json, or over each record of ndjson; with --fields, over those alone')
    .option('--out <file>', 'write there instead of stdout: whole, or not at all')
    .option('--with-input', 'json and ndjson of a job: the row of the input in each record, as pdi_input')
    .option('--force', 'let --out replace an existing file')
    .option('--no-header', 'csv or xlsx without its header line')
    .option('--delimiter <character>', 'csv delimiter; \\t for a tab')
    .option('--bom', 'csv that begins with a byte order mark, for Excel')
    .option('--no-formula-guard', 'csv cells as they are, also where a spreadsheet would run them')
    .option('--text-ids', 'csv with numeric ids that spreadsheets take for text: no digit is lost')
    .option('--color', 'colour, also where there is no terminal')
    .option('--no-color', 'no colour')
    .addOption(
      new Option(
        '--errors <format>',
        'failures, notices and summary on stderr, whatever the output: json, one object a line, or text, words even with -o json (default json with json output, else text)',
      ).choices(['json', 'text'] as const),
    )
    .option('-q, --quiet', 'no notices, progress, summary or pictures; of health, no report either')
    .option('--verbose', 'each request and answer on stderr, and stack traces of bugs');

const runOptions = <A extends unknown[], O extends Record<string, unknown>>(program: Command<A, O>) =>
  program
    .optionsGroup('Run options:')
    .option('--dry-run', 'make no call: print what would be sent, and exit 7 where cap or budget do not allow it')
    .option('--fail-if-empty', 'exit 4 where there is nothing in the answer')
    .addOption(
      new Option('--on-error <action>', 'what a failed row does to a job (default continue)').choices(['stop', 'continue'] as const),
    )
    .option('--fresh', 'buy again what the book has; the journal beside --out is still used')
    .option('--retry-unknown', 'send again what may have been billed without an answer')
    .option('--restart', 'discard the journal beside --out and begin anew')
    .option('--allow-http', 'accept http:// beyond this machine: the key travels unencrypted')
    .option('--no-input', 'never ask anything');

const sandboxOptions = <A extends unknown[], O extends Record<string, unknown>>(program: Command<A, O>) =>
  program.optionsGroup('Sandbox options:').option('--sandbox', 'run against an invented service inside this process: no key, no bill');

const plainOptions = (program: Command) => sandboxOptions(runOptions(outputOptions(program)));

/** The values of the root options except settings, which are read by name through `config/resolve.ts`. */
export type Flags = ReturnType<ReturnType<typeof plainOptions>['opts']> & SandboxFlags;

export function addRootOptions(program: Command): () => Flags {
  for (const { flag, description, group, fallback } of allSettings) {
    if (flag === undefined) continue;
    const words = fallback === undefined ? description : `${description} (default ${fallback})`;
    program.addOption(new Option(flag, words).helpGroup(`${group} options:`));
  }
  const typed = plainOptions(program);
  const sandboxFlags = addSandboxFlags(program);
  return () => ({ ...typed.opts(), ...sandboxFlags() });
}

/** Flags that take a number, by the name of the sandbox's option. */
export const sandboxNumbers = [
  { name: 'people', flag: '--people', value: '<number>', description: 'people in the invented data' },
  { name: 'seed', flag: '--seed', value: '<number>', description: 'which invented data' },
  { name: 'credits', flag: '--credits', value: '<number>', description: 'credits of the full key; unlimited where not given' },
  { name: 'rateLimit', flag: '--rate-limit', value: '<number>', description: 'requests a second before 429' },
  { name: 'latency', flag: '--latency', value: '<milliseconds>', description: 'time each answer takes' },
  {
    name: 'outOfCreditsStatus',
    flag: '--out-of-credits-status',
    value: '<status>',
    description: 'HTTP status of OUT_OF_CREDITS, which is not documented (default 402)',
  },
] as const;

const fault = {
  name: 'fault',
  flag: '--fault',
  value: '<name[:probability]>',
  description: 'make calls fail, repeatable; see pdi help sandbox',
} as const;

export type SandboxFlags = { readonly [N in (typeof sandboxNumbers)[number]['name']]?: string } & { readonly fault?: readonly string[] };

export const sandboxFlagNames = `${sandboxNumbers.map(({ flag }) => flag).join(', ')} and ${fault.flag}`;

const collect = (value: string, earlier: readonly string[] = []): readonly string[] => [...earlier, value];

/** Adds the flags under the current heading, and gives a function that reads them after parsing. */
function addSandboxFlags(program: Command): () => SandboxFlags {
  for (const { flag, value, description } of sandboxNumbers) program.option(`${flag} ${value}`, description);
  const withFaults = program.addOption(new Option(`${fault.flag} ${fault.value}`, fault.description).argParser(collect));
  return () => {
    const given = (name: string): readonly (readonly [string, string])[] => {
      const value = program.getOptionValue(name);
      return typeof value === 'string' ? [[name, value]] : [];
    };
    const faults = withFaults.opts().fault;
    return { ...Object.fromEntries(sandboxNumbers.flatMap(({ name }) => given(name))), ...(faults !== undefined && { fault: faults }) };
  };
}

/** Without a sandbox the call would go to the real service, against the user's intention. @throws UsageError naming the first flag */
export function refuseIdleSandboxFlags(command: string, flags: object, sandboxed: () => boolean): void {
  const given = [...sandboxNumbers, fault].find(({ name }) => Object.hasOwn(flags, name));
  if (given === undefined || command === 'sandbox' || sandboxed()) return;
  const { flag } = given;
  throw new UsageError(`${flag} is for the sandbox, and this command does not run against it`, { item: flag, hint: 'add --sandbox' });
}
