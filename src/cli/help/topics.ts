/** Help topics explain what holds for every command. */
import { environmentVariables } from '../../config/environment.ts';
import { exitTable } from '../../exit.ts';
import { fileExtensions, formatDescriptions } from '../../output/formats.ts';
import { wrap } from '../../output/width.ts';
import { faultNames } from '../../sandbox/faults.ts';
import { sandboxFlagNames } from '../sandbox-flags.ts';
import { prices } from './prices.ts';
import type { TopicName } from './topic-names.ts';

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join('');
}

const exitCodes = (): string =>
  `Exit codes\n\n${table(Object.values(exitTable).map(({ exit, name, when }) => [`${String(exit).padStart(3)}  ${name}`, when]))}
A fatal cause (3, 5, 6, 7) beats 8. A single item's own failure is its own code.

A failure is one line on stderr. With -o json or ndjson, and in a pipe where no other format is chosen, it is one JSON object:
  {"error": {code, message, status, errorCode, item, billed, retryable, hint}}
A notice is then {"notice": TEXT} and the summary of a job {"summary": {…}}, each on a line of its own.
--errors json asks for this whatever the format, and draws no progress bar; --errors text gives words even with -o json.
--quiet drops notices, progress and summary. The lines of --verbose are text.
`;

const environment = (): string =>
  `Environment variables\n\n${table(environmentVariables.map(({ name, description }) => [name, description]))}
A flag comes before a variable, a variable before the profile, the profile before the default.
The key: an explicit --profile, then PDI_API_KEY, then PDI_API_KEY_FILE, then the selected profile.
`;

const output = (): string => `Output

${table(formatDescriptions)}
stdout carries data and nothing else; stderr carries progress, notices, summaries and errors.
stderr is in words, or JSON where the output is: --errors json and --errors text decide otherwise (pdi help exit-codes).
--quiet drops progress, notices, summaries and pictures, never an error; pdi health --quiet prints no report either.
--fields a,b.c chooses and orders columns in every format; json then gives flat objects of those names. --help of a command lists its fields;
names reach into lists: experience.0.title. A join calls a result COMMAND_NAME where the input has its name: person_full_name.
--with-input adds the input's row to each record of json and ndjson, as pdi_input.
--explode LIST (experience, skills, signal_investors, fund_details, …) gives a row for each element, in every format but json: the columns of the
list become those of its element (experience.title), the rest of the record repeats, pdi_item counts from 1. A record without elements, and a row
without a record, stays one row with an empty pdi_item. In ndjson the list's field holds the element. Summaries count input rows. One list a run.
--query EXPRESSION asks json, or each record of ndjson, by JMESPath, without jq: --query 'experience[0].title'. With --fields it sees those alone.
--out FILE writes there, whole or not at all, as its name ends (${fileExtensions.join(', ')}) unless -o says so too. An existing file needs --force.
pdi convert FILE writes a json, ndjson, csv or xlsx of pdi in another format, without a call.
Rows of a job carry pdi_status: ok, not_found, invalid, unknown, failed or skipped, and pdi_error.

A terminal also gets pictures: histograms below feed and network, counts below lists, bars beside spend.
A pipe, a file, --fields and --quiet never see them. Cards are the table of one record: laid out on a terminal, plain fields elsewhere.

Spreadsheets: -o xlsx opens as it is. In csv, --bom makes Excel read accents, --delimiter ';' is for where the comma is the decimal sign.
--text-ids keeps every digit of numeric ids, which a spreadsheet would round after the 15th. A workbook keeps them anyway.
Cells that a spreadsheet would run as a formula get a leading apostrophe; --no-formula-guard leaves them.
That is for what the service sent, and for texts of a workbook: the own columns of a CSV input come back as they were, formulas included.
`;

const jobs = (): string => `Jobs

A file in, a file out, every row once and in order:

  pdi person -i leads.csv --out people.csv

What goes in: lines, csv, tsv, ndjson, json (whatever pdi itself writes), in gzip too, or a workbook (.xlsx): its first sheet or --sheet NAME, up to
200,000 rows, as it shows: days as YYYY-MM-DD, numbers with their digits. An id of more than 15 digits that is a number there is invalid.
An export that is not UTF-8 needs --encoding windows-1252, or what it is.

The same command run again goes on where the last one stopped, and pays for the rest only: FILE.journal, beside FILE, holds what it had bought.
--first 10 is the trial before it: ten rows, whose answers the whole job then takes from the journal.
The summary counts the rows by status and gives the three commonest reasons; pdi_error says why of each row.
Rows that are not ok make the exit code 8 (pdi help exit-codes). --accept not_found,invalid,failed,unknown, or some of them, lets a job end so with 0.
Other runs take bought answers from the store (pdi help money), so another format, FILE or share of the rows buys nothing again.
--rate R shares the limit of a key between machines or processes, PDI_STORE=FOLDER what they bought, the setting account NAME their keys.

One CSV in 8 shares at once, with GNU parallel (no line breaks within cells). The outputs are in order, and awk drops all header lines but one:

  parallel --pipepart -a leads.csv --header : --block -1 -j 8 -k \\
    pdi person -i - --input-format csv -o csv --rate 2 --quiet |
    awk 'NR == 1 { head = $0 } NR == 1 || $0 != head' > people.csv

An Airflow BashOperator, one task a share, with a folder that all workers see:

  env = {"PDI_STORE": "/shared/pdi", "PDI_ACCOUNT": "acme"}
  BashOperator(task_id="enrich", env=env, append_env=True,
    bash_command="pdi person -i share.csv --out share-people.csv --rate 2")

A Spark pipe, one process a partition, each line an id:

  ids.pipe("pdi person -i - --input-format lines -o ndjson --rate 2 -q",
    env={**os.environ, "PDI_STORE": "/shared/pdi", "PDI_ACCOUNT": "acme"})
`;

const money = (): string => `Money

${prices}

What it will cost: --dry-run shows what a command would send, and how much of it may be billed. It makes no call.
It also says whether cap and budget allow that, and exits 7 where they do not (of pages, where they do not allow one).
--max-billable N caps the calls of a run that are not free (default 100; unlimited lifts it). A job that is larger is refused.
A call counts once it is sent, whatever the answer (404 too); sent again after 429 or 503 it counts once.
--budget 5000/month (200/day, or both with a comma) caps the same calls over all runs and processes of this machine, by base URL and account.
It refuses no job beforehand, it stops it: exit 7, and the same command goes on later. The summary says what is used and left.
--out FILE keeps a journal beside FILE: the same command run again asks only for the rest, and pays for the rest only.
Bought answers of person, revenue and investors (404 too) are kept in the store for --max-age (default 12h), and taken from it by any run.
--fresh buys them again, --max-age 0 keeps and takes nothing. --fields pdi_source,pdi_fetched_at shows where an answer is from, and of when.
Two processes that want the same answer buy it once: the second waits for at most --timeout and --max-wait together; then its row is failed.
pdi store shows what is kept, pdi store forget ID and pdi store purge delete it. PDI_STORE=FOLDER shares it. Sandbox: only with --max-age or PDI_STORE.
Journal and store belong to the key; with pdi config set account NAME, to all keys of that account.
A charged call whose answer was lost is unknown: no run sends it again unless --retry-unknown is given (or keeps no store, with --max-age 0).
pdi spend shows what was billed, may have been (lost), or has no stated price (unpriced), by day, month, command or profile.
A lost call that is sent again and answered is settled. --quiet drops the summary of a run, never the ledger.

How an answer is shown (-o xlsx, --fields, --query, --text-ids, pictures) changes nothing of what it costs.
`;

const sandbox = (): string => `Sandbox

pdi --sandbox COMMAND (or PDI_SANDBOX=1) runs COMMAND against an invented service inside the process.
pdi sandbox runs the same service on 127.0.0.1 until stopped.
Both take ${sandboxFlagNames} NAME[:PROBABILITY], which may be repeated:

  ${faultNames.join(', ')}

drop-after-billing, slow, truncate and malformed strike after the call was executed and billed; reset, 503 and 500 before.
relational-store and analytics-store make the health check report that store. Faults leave health alone otherwise.

Where the API document says "not shown", the sandbox chose:
  OUT_OF_CREDITS has status 402 (--out-of-credits-status); credits are checked before an id is looked up
  feed --sort takes signal_date_desc, signal_date_asc, signal_score_desc; an unknown list is 404
  investors: neither name nor website is 422; with both, both must match
  lists people modify: an id in both arrays ends up deleted, unknown person ids are passed over
  deleting or changing a global list is 403; a company list's deletion answers JSON, the others nothing
  network: a limit above 1000 is cut to 1000
`;

const ci = (): string => `CI, cron and alerts

Is the service up? Free, no key, nothing printed while it is, one line while it is not:

  pdi health --quiet --wait 30 -o table

What is new, each day, in a file of that day (in a crontab, % is written \\%):

  pdi feed --all --since-last daily --out "signals-$(date -u +%F).csv"

The bookmark daily moves once the file is written. The next run asks from its newest day, less 7 days for signals that arrive late.
A run that ends early, at the cap or at Ctrl-C, leaves the rest to the next one: give that one another file.

An alert: a program gets the new rows on its stdin. No shell reads the words; what it prints goes to stderr:

  pdi feed --all --since-last alert -o json --deliver \\
    'curl --fail --silent --show-error --data-binary @- https://hooks.example'

The bookmark moves if the program exits 0; otherwise the same signals come again, so at least once. Without a new signal it is not run.

A watch on one list, as lines for a log:

  pdi feed --all --since-last watch --list LIST_ID -o ndjson >> watch.ndjson

A reader of a pipe that fails (| jq) has its signals lost: the bookmark cannot see it. Give it the rows with --deliver, or write a file first.
pdi bookmarks shows how far each has come; pdi bookmarks reset NAME --to 7d delivers the last days again.
`;

const mcp = (): string => `Agents: pdi mcp

pdi mcp is a Model Context Protocol server on stdin and stdout: each operation is a tool, with its price in its description.
Set it up: pdi mcp --config claude (cursor, vscode) prints what to paste. No key is in it: the server finds the key as every command does.
Flags beside --config become flags of the server: pdi --profile work mcp --max-billable 20 --read-only --config claude

${table([
  ['--confirm charged', 'the person is asked about each call that is not free, and each deletion (the default)'],
  ['--confirm always', 'about every call of the service'],
  ['--confirm never', 'about none: the cap and the budget alone hold'],
  ['--max-billable N', 'calls of one session that are not free, at most (default 100)'],
  ['--budget 200/day', 'of all sessions and commands on this machine'],
  ['--read-only', 'tools that change or delete lists are not listed'],
  ['--allow-changes', 'without it they are listed, and refused'],
  ['--tools NAME,NAME', 'only these tools are listed'],
])}
The question says what is bought, at what price, and what is left. A client that cannot ask (no elicitation) gets no such call.
What the store has is given without a question and without a call: pdi help money. Ledger, budget and store are those of every command.
A call whose answer was lost says that it may have been billed, and is not sent again. pdi spend shows the calls of agents as command mcp.
The tool plan says what many ids would cost, the tool budget what was spent and is left. Both make no call.
fields (a,b.c) in a call makes its result small. One over 64 kB is refused; asked again with fields it costs nothing.
Errors are the error object of pdi help exit-codes. What the service sends is data: control and invisible characters are taken out of it.
The server ends with stdin: calls under way are finished and written down. stderr carries its log; --verbose shows each request.
`;

/** Texts before folding, with one statement on each line. */
export const topics: Readonly<Record<TopicName, () => string>> = {
  'exit-codes': exitCodes,
  environment,
  output,
  jobs,
  money,
  sandbox,
  ci,
  mcp,
};

/** Wider lines are hard to read. */
const widest = 100;
/** If the second of two columns has less room than this, it goes below the first. */
const least = 24;

/** Folds one line. A second column stays a column. */
function folded(line: string, width: number): readonly string[] {
  if (line.length <= width) return [line];
  const first = /^(?:.*\s{2,})?/.exec(line)?.[0] ?? '';
  const rest = line.slice(first.length);
  const indent = first.trim() === '' ? first.length + 2 : first.length;
  if (width - indent < least) return [first.trimEnd(), ...wrap(rest, width - 4).map((text) => `    ${text}`)];
  return wrap(rest, width - indent).map((text, index) => `${index === 0 ? first : ' '.repeat(indent)}${text}`);
}

/** Gives the text of a topic for a terminal of `width` cells. */
export function topicText(topic: TopicName, width: number): string {
  const lines = topics[topic]().split('\n');
  return lines.flatMap((line) => folded(line, Math.min(width, widest))).join('\n');
}
