/** The options of every command: those derived from settings, and the plain ones. */
import { type Command, Option } from '@commander-js/extra-typings';
import { camelCase } from '../config/resolve.ts';
import { allSettings, storedSettings } from '../config/settings.ts';
import { UsageError } from '../errors.ts';
import { type Fault, parseFault } from '../sandbox/faults.ts';
import { dayOfSandbox, decimal, wholeNumberReader } from './options.ts';

export const storedSettingNames: readonly string[] = storedSettings.map(({ name }) => name);

const collectFaults = (text: string, earlier: readonly Fault[] = []): readonly Fault[] => [
  ...earlier,
  parseFault(text),
];

const withPlainOptions = (program: Command) =>
  program
    .optionsGroup('Output options:')
    .option('--fields <names>', 'columns to show, in this order, separated by commas')
    .option(
      '--explode <list>',
      'a row for each element of a list, such as experience: its record repeats, pdi_item counts; not with json',
    )
    .option(
      '--where <expression>',
      'keep the records for which this JMESPath expression is true, for each command that gives a list; not for jobs',
    )
    .option(
      '--query <expression>',
      'JMESPath expression over json, or over each record of ndjson; with --fields, over those alone',
    )
    .option('--out <file>', 'write there instead of stdout: whole, or not at all')
    .option(
      '--with-input',
      'json and ndjson of a job: the row of the input in each record, as pdi_input',
    )
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
    .option(
      '-q, --quiet',
      'no notices, progress, summary or pictures; for health: no report either',
    )
    .option('--verbose', 'each request and answer on stderr, and stack traces of bugs')
    .optionsGroup('Run options:')
    .option(
      '--dry-run',
      'make no call: print what would be sent, and exit 7 where cap or budget do not allow it',
    )
    .option('--fail-if-empty', 'exit 4 where there is nothing in the answer')
    .addOption(
      new Option(
        '--on-error <action>',
        'what a failed row does to a job (default continue); if you name it, it also goes on where the first ten calls find nothing',
      ).choices(['stop', 'continue'] as const),
    )
    .option('--fresh', 'buy again what the book has; the journal beside --out is still used')
    .option('--retry-unknown', 'send again what may have been billed without an answer')
    .option('--restart', 'discard the journal beside --out and start again')
    .option(
      '--tag <text>',
      'what the calls are for, such as a client: pdi spend --by file counts them under it, else under the file of --out',
    )
    .option('--allow-http', 'accept http:// beyond this machine: the key travels unencrypted')
    .option('--no-input', 'never ask anything')
    .optionsGroup('Sandbox options:')
    .option('--sandbox', 'run against an invented service inside this process: no key, no bill')
    .option(
      '--people <number>',
      'people in the invented data',
      wholeNumberReader({ least: 1, most: 1_000_000 }),
    )
    .option('--seed <number>', 'which invented data', wholeNumberReader())
    .option(
      '--today <day>',
      'day of the newest signal, for tests and scripts (default: of the clock, in UTC)',
      dayOfSandbox,
    )
    .option(
      '--credits <number>',
      'credits of the full key; unlimited where not given',
      wholeNumberReader(),
    )
    .option('--rate-limit <number>', 'requests a second before 429', decimal({ least: 0.001 }))
    .option('--latency <milliseconds>', 'time each answer takes', decimal({ most: 3_600_000 }))
    .option(
      '--out-of-credits-status <status>',
      'HTTP status of OUT_OF_CREDITS, which is not documented (default 402)',
      wholeNumberReader({ least: 400, most: 599 }),
    )
    .addOption(
      new Option(
        '--fault <name[:probability]>',
        'make calls fail, repeatable; see pdi help sandbox',
      ).argParser(collectFaults),
    );

/** The values of the root options except settings, which are read by name through `config/resolve.ts`. */
export type Flags = ReturnType<ReturnType<typeof withPlainOptions>['opts']>;

export function withRootOptions(program: Command) {
  for (const { flag, description, group, fallback } of allSettings) {
    if (flag === undefined) continue;
    const words = fallback === undefined ? description : `${description} (default ${fallback})`;
    program.addOption(new Option(flag, words).helpGroup(`${group} options:`));
  }
  return withPlainOptions(program);
}

const sandboxFlags = [
  '--people',
  '--seed',
  '--today',
  '--credits',
  '--rate-limit',
  '--latency',
  '--out-of-credits-status',
  '--fault',
] as const;

export const sandboxFlagNames = `${sandboxFlags.slice(0, -1).join(', ')} and ${sandboxFlags.at(-1)}`;

/** Without a sandbox the call would go to the real service, against the user's intention. @throws UsageError naming the first flag */
export function refuseIdleSandboxFlags(
  command: string,
  flags: Flags,
  sandboxed: () => boolean,
): void {
  const given: Readonly<Record<string, unknown>> = flags;
  const flag = sandboxFlags.find((name) => given[camelCase(name.slice(2))] !== undefined);
  if (flag === undefined || command === 'sandbox' || sandboxed()) return;
  throw new UsageError(`${flag} is for the sandbox, and this command does not run against it`, {
    item: flag,
    hint: 'add --sandbox',
  });
}
