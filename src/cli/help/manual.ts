/** What `--help` adds to a command: examples that work as they stand, and the exit codes it may end with. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { exitNames } from '../command-exits.ts';

export interface ManualEntry {
  /** Command lines, and what each is for. */
  readonly examples: readonly (readonly [line: string, purpose: string])[];
}

/** By the command's words. */
export const manual: Readonly<Record<string, ManualEntry>> = {
  resolve: {
    examples: [
      ['pdi resolve https://www.profnet.example/in/ada-sample-1', 'one profile, as a card on a terminal'],
      ['pdi resolve -i leads.csv --column linkedin -o csv --out leads-ids.csv', 'a CSV back with person ids joined to its rows'],
      ["pdi resolve -i urls.txt -o ndjson | jq -r '.matches[0].person_id // empty'", 'the ids alone, of those that were found'],
      ['pdi resolve -i urls.txt -o ndjson | pdi person -i - -o csv', 'straight on to full profiles'],
    ],
  },
  person: {
    examples: [
      ['pdi person per_sample1', 'one profile'],
      ['pdi person -i leads-ids.csv --dry-run', 'how many calls that would be billed'],
      ['pdi person -i leads-ids.csv -o csv --out people.csv --max-billable 500', 'a CSV round trip; run it again to resume'],
      ["pdi person per_sample1 -o json | jq '.experience[0].title'", 'one field of one profile'],
    ],
  },
  feed: {
    examples: [
      ['pdi feed --after 2026-06-01 --before 2026-06-30 --limit 10', 'the newest signals of June'],
      ['pdi feed --all --since-last daily -o ndjson', 'what is new since the last run, each signal once'],
      ['pdi feed --search 101 --all --max-pages 5 -o csv --bom --out signals.csv', 'a saved search, for a spreadsheet'],
      ["pdi feed -o json | jq '.[] | select(.signal_score >= 8) | .signal_summary'", 'strong signals'],
    ],
  },
  revenue: {
    examples: [
      ['pdi revenue company-1', 'one company'],
      ['pdi revenue -i accounts.csv --column company_id -o csv --out revenue.csv', 'a CSV round trip'],
      ["pdi revenue company-1 -o json | jq '.est_revenue_usd'", 'one figure'],
    ],
  },
  investors: {
    examples: [
      ['pdi investors --name "Sample Harbor Ventures 1"', 'by name, whatever its case'],
      ['pdi investors --website investor-1.example -o json', 'by website'],
      ['pdi investors -i firms.csv -o csv --out investors.csv', 'a CSV with a website or name column'],
    ],
  },
  'lists companies list': {
    examples: [
      ['pdi lists companies list', 'the lists the API can see'],
      ["pdi lists companies list -o json | jq -r '.[].id'", 'their ids'],
    ],
  },
  'lists people modify': {
    examples: [
      ['pdi lists people modify LIST_ID --add per_sample1 per_sample2', 'two people more'],
      ['pdi lists people modify LIST_ID --add-from ids.txt --delete per_sample3', 'from a file, and one less'],
      ['pdi lists people modify LIST_ID --add-from members.csv --column member', 'from a column of its own name'],
      ['pdi lists people modify LIST_ID --add-from ids.txt --dry-run', 'what would be sent'],
    ],
  },
  'lists investors get': {
    examples: [
      ['pdi lists investors get LIST_ID', 'one list'],
      ["pdi lists investors get LIST_ID -o json | jq -r '.investors[].investor_id'", 'its members'],
    ],
  },
  ...deletion('companies'),
  ...deletion('people'),
  ...deletion('investors'),
  'searches funding-rounds': {
    examples: [
      ['pdi searches funding-rounds 103', 'name and count of one saved search'],
      ['pdi searches funding-rounds 103 104 -o csv', 'several, as CSV'],
    ],
  },
  'searches talent': {
    examples: [
      ['pdi searches talent 101', 'name and count of one saved search'],
      ["pdi searches talent 101 -o json | jq '.full_count'", 'how many records it has'],
    ],
  },
  network: {
    examples: [
      ['pdi network --limit 20', 'the first twenty'],
      ['pdi network --all -o csv --out network.csv', 'all of them, for a spreadsheet'],
      [`pdi network --all --query "[?primary_role=='founder'].full_name"`, 'the founders, without jq'],
    ],
  },
  health: {
    examples: [
      ['pdi health', 'the report'],
      ['pdi health --wait 60 -o json', 'wait until the service is up, a minute at most'],
      ['pdi health --quiet -o table || echo down', 'in a script or from cron: no report, one line on stderr where it is down'],
    ],
  },
  'config set': {
    examples: [
      ['pdi config set base-url https://HOST/api/v1', 'where the service is'],
      ['pdi config set api-key', 'asks for the key, without echo'],
      ['pdi --profile work config set max-billable 500', 'in another profile'],
    ],
  },
  'config unset': {
    examples: [
      ['pdi config unset max-billable', 'back to the default'],
      ['pdi config unset api-key --profile work', 'forget a key'],
    ],
  },
  'config get': {
    examples: [
      ['pdi config get base-url', 'where the service is'],
      ['pdi config get max-billable --profile work', 'of another profile'],
    ],
  },
  'config list': {
    examples: [
      ['pdi config list', 'every setting, and where it comes from'],
      ['pdi config list --profile work -o json', 'of another profile, for a script'],
    ],
  },
  'config path': {
    examples: [
      ['pdi config path', 'where the key is kept'],
      ['cp "$(pdi config path)" config-backup.json', 'a copy of it'],
    ],
  },
  'config profiles': {
    examples: [
      ['pdi config profiles', 'which there are'],
      ["pdi config profiles -o ndjson --query 'profile'", 'their names'],
    ],
  },
  'config init': {
    examples: [
      ['pdi config init', 'asks for base URL and key'],
      ['pdi config init --profile work', 'a second profile, with another key'],
    ],
  },
  'config check': {
    examples: [
      ['pdi config check', 'is everything ready, and is the key good?'],
      [`pdi config check -o json --query "[?status=='fail']"`, 'what is wrong, for a script'],
    ],
  },
  spend: {
    examples: [
      ['pdi spend', 'by day'],
      ['pdi spend --since 2026-06-01 --by command -o json', 'by command, from a day on'],
    ],
  },
  sandbox: {
    examples: [
      ['pdi sandbox --port 8080', 'the invented service on a port'],
      ['pdi sandbox --credits 10 --rate-limit 5 --fault reset:0.1', 'with few credits, a rate limit, and lost connections'],
    ],
  },
  completion: {
    examples: [
      ['pdi completion bash --out pdi.bash', 'the script of a shell, as a file'],
      ['pdi completion fish > ~/.config/fish/completions/pdi.fish', 'where fish looks for it'],
    ],
  },
  help: {
    examples: [
      ['pdi help exit-codes', 'a topic'],
      ['pdi help lists people modify', 'a command'],
    ],
  },
};

function deletion(kind: string): Readonly<Record<string, ManualEntry>> {
  const command = `pdi lists ${kind} delete`;
  return {
    [`lists ${kind} delete`]: {
      examples: [
        [`${command} LIST_ID`, 'asks before it deletes'],
        [`${command} LIST_ID --yes`, 'in a script'],
      ],
    },
  };
}

/** The text below a command's options. */
function manualText({ examples }: ManualEntry, exitCodes: string, fold: (text: string) => string): string {
  const lines = examples.map(([line, purpose]) => `  # ${purpose}\n  ${line}`);
  const exits = fold(`Exit codes: ${exitCodes}; see \`pdi help exit-codes\`.`);
  return `\nExamples:\n${lines.join('\n')}\n\n${exits}\n${fold('Options that every command takes (output, money, network): `pdi --help`.')}\n`;
}

/** Adds the texts to the whole tree. */
export function addManual(program: CommandUnknownOpts): void {
  const visit = (command: CommandUnknownOpts, path: string): void => {
    const entry = manual[path];
    if (entry !== undefined) {
      const width = command.configureOutput().getOutHelpWidth?.() ?? 80;
      command.addHelpText('after', () => manualText(entry, exitNames(command, path), (text) => command.createHelp().boxWrap(text, width)));
    }
    for (const child of command.commands) visit(child, path === '' ? child.name() : `${path} ${child.name()}`);
  };
  visit(program, '');
}
