/** The help topics by their names. Each explains what holds for many commands. */

import type { TopicPart } from '../../cli/command.ts';
import { sandboxFlagNames } from '../../cli/root.ts';
import { environmentVariables } from '../../config/settings.ts';
import { exitTable } from '../../exit.ts';
import { fileExtensions, formatDescriptions } from '../../output/formats.ts';
import { defaultPeople, ids, totalsOf } from '../../sandbox/dataset/data.ts';
import { inventLists, storedSearches } from '../../sandbox/dataset/lists.ts';
import { faultNames } from '../../sandbox/faults.ts';
import { prices } from './help-pages.ts';
import { skillFile, type Topic, type TopicName } from './topic.ts';

const jobScript = `code=0
pdi person -i leads-ids.csv --out people.csv --quiet || code=$?
case $code in
  0) echo "complete" ;;
  8) echo "done; pdi_status in people.csv says which rows are not ok" ;;
  5 | 6) echo "network or limit: run it again later, it goes on" ;;
  7) echo "credits, cap or budget: people.csv holds what was bought" ;;
  129 | 130 | 143) echo "stopped: run it again, it goes on" ;;
  *) echo "a person must look at this"; exit "$code" ;;
esac`;

const shards = `parallel --pipepart -a leads-ids.csv --header : --block -1 -j 8 -k \\
  pdi person -i - --input-format csv -o csv --rate 2 --quiet |
  awk 'NR == 1 { head = $0 } NR == 1 || $0 != head' > people.csv`;

const otherSchedulers = `env = {"PDI_BOOK": "postgres://db.example.com/pdi", "PDI_ACCOUNT": "acme"}
BashOperator(task_id="enrich", env=env, append_env=True,
  bash_command="pdi person -i share.csv --out share-people.csv "
    "--force --accept not_found,invalid")
ids.pipe("pdi person -i - --input-format lines -o ndjson -q",
  env={**os.environ, **env})`;

const grants = `GRANT USAGE ON SCHEMA pdi TO ana;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA pdi TO ana`;

const alert = `pdi feed --since-last alert -o json \\
  --query '{text: join(\`"\\n"\`, map(&(signal_summary || signal_id), @))}' \\
  --deliver 'curl --fail --silent --show-error
    -H "Content-Type: application/json" --data-binary @-
    https://hooks.example'`;

const crontab = `PATH=/usr/local/bin:/usr/bin:/bin
PDI_BASE_URL=https://HOST/api/v1
PDI_API_KEY_FILE=/home/ME/.pdi-key
0 6 * * * pdi feed --since-last daily -q --out signals-$(date -u +\\%F).csv
*/5 * * * * pdi health --quiet --wait 30 -o table`;

const warning = `code=0
pdi health --quiet -o table || code=$?
if [ "$code" = 5 ]; then echo "::warning::the service is down"
else exit "$code"; fi`;

const dockerfile = `HEALTHCHECK --interval=60s --timeout=10s --retries=3 CMD \\
  pdi health --quiet --timeout 5 --retries 0 -o table || exit 1`;

const cachedBook = `concurrency: pdi-book
env: { PDI_BUDGET: 500/month, PDI_ACCOUNT: acme, XDG_STATE_HOME: /tmp/state }
steps:
  - uses: actions/cache/restore@v4
    with: { path: /tmp/state, key: pdi, restore-keys: pdi- }
  - run: pdi person -i leads-ids.csv --out people.csv
  - uses: actions/cache/save@v4
    if: always()
    with: { path: /tmp/state, key: 'pdi-\${{ github.run_id }}' }`;

const hook = `pdi feed --since-last hook --deliver cat
pdi sandbox signal
pdi feed --since-last hook --deliver cat`;

const powerShell = `$env:PDI_API_KEY_FILE = "C:\\Users\\ME\\pdi-key.txt"
$today = Get-Date -Format yyyy-MM-dd
pdi feed --since-last daily --out "signals-$today.csv"`;

const task = `schtasks /Create /TN pdi /SC DAILY /ST 06:00 /TR C:\\Users\\ME\\daily.cmd`;

const daily = `@echo off
cd /d C:\\Users\\ME\\signals
set PDI_API_KEY_FILE=C:\\Users\\ME\\pdi-key.txt
call pdi feed --since-last daily -q --out signals.csv 2>> log.txt`;

const total = totalsOf(defaultPeople);
/** The lists and searches that the API sees, as they are at the start. */
const listsOfSandbox = inventLists({ today: '2000-01-01', total }).flatMap(
  ({ id, name, sharing }) => (sharing === 'team' ? [] : ([[id, name]] as const)),
);
const searchesOfSandbox = storedSearches.flatMap(({ id, product, sharing }) =>
  sharing === 'team' ? [] : [`${id} (${product})`],
);

/** Each begins with what one types. */
const topic = (
  title: string,
  examples: readonly (readonly [lines: string, purpose: string])[],
  ...parts: readonly TopicPart[]
): Topic => ({
  title,
  parts: [{ examples }, ...parts],
});

export const topics: Readonly<Record<TopicName, Topic>> = {
  'exit-codes': topic(
    'Exit codes',
    [[jobScript, 'a script that knows what became of its job']],
    { rows: Object.values(exitTable).map(({ exit, name, when }) => [`${exit} ${name}`, when]) },
    'A fatal cause (3, 5, 6, 7) beats 8. The failure of a single item has its own code.',
    'A resolve without a match is a good answer: its row is not_found, and the job still exits 0. A person that is not found makes a job exit 8, unless --accept not_found says that this is expected. --accept takes not_found, invalid, failed, unknown, or several with commas; it never covers skipped rows or a fatal cause, such as ten 404 before anything was found (--on-error continue goes on), nor a job without any data whose FILE therefore stays as it was.',
    'An answer of more than 16 MB, 400,000 values or 500 levels is refused (exit 5), as is a page of HTML. A message of the service is shown up to 300 characters.',
    { heading: 'Failures for programs' },
    'A failure is one line on stderr. With -o json or ndjson, and in a pipe where no other format is chosen, it is one JSON object instead:',
    {
      listing:
        '{"error": {"code", "message", "status", "errorCode", "item",\n  "billed": "no|yes|unknown", "retryable", "hint"}}',
    },
    'Notices are then {"notice": TEXT} and the summary of a job {"summary": {…}}, each on a line of its own. --errors json asks for this whatever the format, and shows no progress bar; --errors text gives words even with -o json. --quiet drops notices, progress and summary, never an error. The lines of --verbose are always text.',
  ),
  environment: topic(
    'Settings, keys and environment variables',
    [
      ['pdi config set max-billable 500 --profile work', 'a setting of a profile'],
      ['pdi config list', 'each setting, and where its value comes from'],
      ['PDI_PROFILE=work pdi config get max-billable', 'another profile for one command'],
      ['pdi config path', 'where settings and keys are'],
    ],
    { rows: environmentVariables },
    'A setting is taken from the flag, else the variable, else the profile, else the default. A key is taken from an explicit --profile, else PDI_API_KEY, else PDI_API_KEY_FILE, else the selected profile.',
    { heading: 'The key' },
    'It is never taken from the command line: `pdi config set api-key` asks for it without echo, or reads stdin with -. It lies in config.json, which its owner alone may read, or nowhere: with `pdi config set key-command PROGRAM`, a password manager gives it. It is sent to the base URL of its profile and to no other, follows no redirect elsewhere, and is shown with its last four characters at most.',
  ),
  output: topic(
    'Output',
    [
      [
        'pdi person per_sample1 --fields full_name,experience.0.title',
        'some fields, also from within lists, in this order',
      ],
      [
        'pdi person -i ids.txt --explode experience --out jobs.csv',
        'one row for each position held',
      ],
      ["pdi person per_sample1 -o json --query 'experience[0].title'", 'one value, without jq'],
      [
        `pdi network --all --where "primary_role == 'founder'" -o csv`,
        'the records for which this is true',
      ],
      [
        'pdi convert people.ndjson --out people.xlsx',
        'what was bought before, in another format, without a call',
      ],
    ],
    { rows: formatDescriptions },
    `The format is that of -o, else of the name of --out (${fileExtensions.join(', ')}), else of PDI_OUTPUT or the profile; else a terminal gets a table, and a pipe JSON. stdout carries data and nothing else; stderr carries progress, notices, summaries and errors.`,
    { heading: 'Fields' },
    '`pdi COMMAND --help` lists the fields. --fields a,b.c chooses and orders them (c is enough where no other ends so); json and ndjson then give flat objects of those names. A csv joined to an input keeps its columns; a result whose name they have is called COMMAND_NAME, such as person_full_name; what pdi wrote there before (with a pdi_status) is replaced. --with-input adds the input row to each record of json and ndjson, as pdi_input (columns again for `pdi convert`). Charged look-ups end with pdi_fetched_at in csv, xlsx and parquet; --fields can name it, and pdi_source.',
    { heading: '--explode LIST' },
    'Gives one row for each element of a list (experience, education, skills, signal_investors, fund_details, …), in every format but json. The columns of the list become those of its element, the rest of the record repeats, and pdi_item counts from 1. A record without elements, and a row without a record, stays one row with an empty pdi_item. In ndjson the field of the list holds the element. The summary counts input rows. One list a run, but for xlsx, where several are sheets; another list of the same answers costs nothing (pdi help money).',
    { heading: '--query and --where' },
    'Both take JMESPath (https://jmespath.org). --query reshapes the answer of json, or each record of ndjson, where null gives no line; with --fields it sees those alone. --where keeps the records for which it is true (not null, false or empty), in every format, for each command that gives a list; with `pdi convert` it also sees pdi_status. It sees the whole record; --query, --fields and --explode see what it keeps. It is refused for jobs, where rows in are rows out. A text stands in single quotes: a bare word that is compared and is no documented field is refused; @.name is a field that is not documented. A comparison with null is null. Where an expression does not fit an answer, --query leaves it as it came, --where keeps it, and the command exits 2.',
    { heading: 'parquet' },
    'Integers and numeric ids are INT64, money and other numbers DOUBLE (the nearest one), days DATE, times in any form of ISO 8601 TIMESTAMP, lists LIST, objects STRUCT; with --fields, and for a joined csv, columns are as they are named. A value of another kind is null in its column and stands in pdi_extra, as JSON of paths and values, with one notice; so does, without one, an undocumented field.',
    { heading: 'Answers that are not as documented' },
    'A field of another type costs no answer: json gives it as it came, a typed column stays empty and pdi_error says why.',
    { heading: '--out FILE' },
    'Writes FILE whole or not at all. An existing file needs --force, unless the same job left it so (pdi help jobs).',
    { heading: 'On a terminal' },
    'From 20 records on, feed and network end with counts; spend has bars; pipes, files, --fields and --quiet see neither. One record, or a terminal too narrow for columns, gives cards. A last line says how many fields are not shown. What the service sends is cleaned of control characters.',
  ),
  input: topic(
    'Input: files of identifiers',
    [
      [
        'pdi resolve -i crm.csv --column link,handle --out crm-ids.csv',
        'links, and handles where a link finds nobody',
      ],
      [
        'pdi resolve -i Connections.csv --column URL -o csv',
        'lines above a header are passed over',
      ],
      [
        'pdi resolve -i leads.csv --encoding windows-1252 --column linkedin -o csv',
        'a CSV that Excel saved',
      ],
      ['pdi person -i leads-ids.csv --first 1 -o csv', 'the first row, before the rest'],
    ],
    { heading: 'Kinds' },
    "Lines, csv, tsv, ndjson, json or xlsx, also in gzip, told by the file's name or first bytes (--input-format decides). A table called .txt is one where its first row holds a known or wanted column. A .json file with a value a line is read as ndjson; of a list inside an object, the message says how to give it. Markup, vCards, YAML, SQL, PDF, databases, archives, unresolved merges and drawn tables are refused by name. Text is UTF-8, or UTF-16 with a byte order mark; --encoding LABEL names another.",
    'A file is read through before the first call: a wrong encoding, an open quote, a broken .json or a row of more than 1 MiB ends the command with exit 2 and the line (--first N checks N rows). A pipe is read once, so it stops there, and rows after a wrong encoding are skipped. One whose first line is neither a header nor an id by its shape (as a person id or a link is) is looked at for 20 rows, or to its end, before the first call; --input-format lines goes on at once. Where not one row in ten of a file, or not one of the first 1,000 rows of a pipe, has a usable id, nothing is sent (exit 2). A broken line of ndjson is an invalid row.',
    { heading: 'The column' },
    'It is found by its name; --column A,B takes the first that is filled, and resolve goes on to B where A finds nothing (pdi_matched_by says which). A dotted name leads into JSON, also that of a cell (experience.0.company_id); of one dotted column its end is enough. Titles and notes above the header are passed over, with a notice; --header-row N says where it is. A header that comes again is no row. Names are compared without invisible characters.',
    { heading: 'Identifiers' },
    'Their shape tells them: urn:… is a URN, digits are a numeric id, a slash makes a URL, and the rest is a vanity id, dots included (--as decides). Quotes, pairs of angle brackets, @ and invisible characters around them are taken off, and links lose country, language and tracking, never a letter of the slug. A text with exactly one link to a profile is that link; the summary counts them. Names of investors are asked without pairs of quotes and invisible characters, with plain blanks. Your columns keep what you wrote. The same identifier is asked once, in a free job as long as it has at most 10,000 of them.',
    {
      rows: [
        [
          'blank',
          'what programs write for nothing: NA, N/A, NULL, nan, None, \\N, -, undefined, (blank), TBD, ----, (text), Total, what has neither letter nor digit',
        ],
        [
          'invalid',
          'numbers that a program spoilt (7.0E8, 700.000.001, +7, 70001L), days, code, characters that were lost, two different links, a mail address or the page of a company for resolve, a person or investor id, URL, domain or name of a column for revenue',
        ],
      ],
    },
    { heading: 'Workbooks' },
    'The first sheet that is shown, or --sheet NAME: up to 200,000 filled rows. A link behind a cell is its identifier; dates, truth values and rounded numbers are invalid; hidden rows are asked, with a notice.',
  ),
  jobs: topic(
    'Jobs: a file in, a file out',
    [
      [
        'pdi resolve -i leads.csv --column linkedin --out leads-ids.csv',
        'links to ids, free; the own columns stay',
      ],
      ['pdi person -i leads-ids.csv --dry-run', 'what the next step may cost'],
      [
        'pdi person -i leads-ids.csv --out people.csv --first 1',
        'a trial; the same command without --first goes on from it',
      ],
      [
        'pdi person -i leads-ids.csv --out people.csv',
        'the job; the same command again goes on where it stopped',
      ],
      ['pdi resolve -i urls.txt -o ndjson | pdi person -i - -o csv', 'both steps in a pipe'],
      [shards, 'one CSV in 8 shares at once, in order; cells without line breaks'],
    ],
    { heading: 'What comes out' },
    '`pdi help input` says what goes in. A csv of a csv keeps its delimiter and its own columns. Each row ends with pdi_status and pdi_error: ok, not_found, invalid (not sent), unknown (sent, the answer was lost, it may have been billed), failed (not billed), skipped (not reached). A bad row never spoils the others, and one that an earlier command passed on without a record keeps its status. A row with more cells than the header is invalid. The summary counts rows by status, gives the commonest reasons, and says how to go on.',
    { heading: 'Stopped halfway' },
    'FILE.journal, beside --out FILE, holds what was bought until no row is unknown, failed or skipped. After Ctrl-C, a kill, a full disk or a dead network the same command takes it from there and pays for the rest alone. A free job keeps no answers: it asks again, which is free. Ctrl-C lets calls under way finish; a second one ends at once. Ten calls in a row without an answer end a job (exit 5). A journal of another command, service or account is refused; --restart discards it. The same job over the same input on its own complete FILE does nothing, and ends as it ended, so that a scheduler may try again (arguments or a file; a pipe cannot be compared); --force makes it anew. With --force a job replaces a finished FILE only where no row is left unknown, failed or skipped; until then FILE stays as it was.',
    { heading: 'Pace' },
    '--concurrency N sends N requests at once (unset: from 4, adapting, up to 16), --rate R at most R a second. After 429 all requests wait as long as the service says, --max-wait seconds at most; runs that use one book share one pace.',
  ),
  spreadsheets: topic(
    'Spreadsheets',
    [
      ['pdi person -i leads-ids.csv --out people.xlsx', 'a workbook that opens as it is'],
      ['pdi person -i leads.xlsx --column person_id --out people.csv', 'a workbook as input'],
      [
        "pdi feed --all -o csv --bom --delimiter ';' --out signals.csv",
        'a csv for a double click, where the comma is the decimal sign',
      ],
      [
        'pdi person per_sample3 -o csv --text-ids',
        'a csv whose long ids keep their digits in Excel',
      ],
    ],
    { heading: 'Workbooks out' },
    'xlsx has the columns of csv: counts and money are numbers with separators, days and times are dates as the service writes them, web addresses are links (the first 65,530 of a sheet), ids are text with all their digits, and nothing is run as a formula. Lists are text that a person reads, such as Founder, Acme (2021–now), and their JSON is in csv alone; experience.current.company_id stands beside experience, so that `pdi revenue -i people.xlsx` finds the companies. Columns are as wide as their first 1,000 rows need and have one number format each, the header stays in sight and has filters, and the sheet is named after its records (people, companies, signals, …). It prints on landscape pages, as many side by side as its columns need to be read, with the header, what tells the record and the number on each. --explode experience,skills gives each of these lists a sheet of its own, a row an element with the id and name of the record, and names without that of the list. A cell holds 32,767 characters: a longer text is cut, and a notice says so. A workbook needs --out FILE, or a pipe.',
    { heading: 'Workbooks in' },
    'The first visible sheet of cells is read, or --sheet NAME, up to 200,000 filled rows, whole, so it takes memory; a csv does not. Rows that a filter hides are asked for, with a notice. The link behind a cell of the identifier column (also of =HYPERLINK) is the identifier, unless the text is an id. Cells come as they show: days as YYYY-MM-DD, durations as 36:00, TRUE, #N/A; as identifiers these are invalid, as is a fraction. Numbers come with their digits, and with the zeros that a format such as 00000 shows. Spreadsheets keep 15 digits of a number, so a longer id that is not text there is invalid, as is 1.23E+15. A row without text is no row, and a formula that was never calculated is empty. What a spreadsheet has lost before it saved, such as a leading zero, nobody can tell.',
    { heading: 'csv in Excel' },
    'Without --bom Excel takes accents for something else. Without --delimiter it wants the separator of its country. Without --text-ids it rounds ids of more than 15 digits: this writes them as ="9007199254740993", which spreadsheets take for text, and which pdi reads back. Data, From Text/CSV reads any csv well; LibreOffice asks when it opens one.',
    'A text of the service that a spreadsheet would run as a formula gets a leading apostrophe; --no-formula-guard leaves it out, for programs. That holds for texts of a workbook, too. The own columns of a csv input come back exactly as they were, formulas included.',
  ),
  money: topic(
    'Money',
    [
      [
        'pdi person -i leads-ids.csv --dry-run',
        'what it may cost; exit 7 where cap or budget do not allow it',
      ],
      [
        'pdi person -i leads-ids.csv --out people.csv --max-billable 5',
        'at most 5 calls of this run that are not free',
      ],
      ['pdi config set budget 5000/month', 'at most so many over all runs of this machine'],
      ['pdi spend --by month,command', 'what was spent'],
      ['pdi store', 'what need not be bought again'],
    ],
    ...prices,
    { heading: 'Cap and budget' },
    '--max-billable N (100 where nothing is said; unlimited lifts it) caps the calls of a run that are not free. A job that is larger is refused before its first call. A call counts once it is sent, whatever the answer; sent again after 429 or 503 it counts once.',
    '--budget 5000/month (200/day, or both with a comma) caps the same calls over all runs that use one book, by base URL and account, and is never exceeded by one call. It refuses no job beforehand, it stops it: exit 7, and the same command goes on when the budget allows it. Days and months are UTC.',
    { heading: 'Bought once' },
    'Answers of person, revenue and investors, and charged ones of `pdi api`, a 404 too, are kept in the book for --max-age (12h) and taken from it by any run, format, FILE or process. What is bought a second time is announced: --dry-run, and the refusal of a job, say how many of its calls were bought before, and when. Two processes that want the same answer buy it once: the second waits. --fresh buys again what the book has, --max-age 0 turns this off. `pdi config set keep-versions 12` keeps the last 12 answers to a question, past their age too, for `pdi store export --all-versions` and `pdi diff --since`; none past its age is taken. `pdi store forget ID` and `pdi store purge` delete. The book is one SQLite database, book.db in the state folder; PDI_BOOK=FILE, or the setting book, names another, on a disk of this machine, or one of a team (pdi help team). A book that cannot be written stops a call before it is sent; a damaged one is moved aside by name. `pdi book` says which it is; `pdi book backup FILE` copies it while runs go on. To restore it, end all runs, move book.db away with book.db-wal and book.db-shm, and copy FILE into its place. A run whose book is moved, restored or tidied away under it sends nothing more.',
    'A job with --out also keeps what it bought in FILE.journal until it is complete (pdi help jobs).',
    { heading: 'Lost answers' },
    'A charged call whose answer was lost (time-out, broken connection, 5xx, kill) may have been billed. It is unknown, and no run sends it again unless --retry-unknown says so (while answers are lost, as often as --retries says), or --max-age 0 asks no book. 429, 503 and refused connections were not carried out: they are tried again, and not billed. OUT_OF_CREDITS ends a run at once; what was bought is written.',
    "`pdi spend --against FILE` reads the service's own log of calls: an id or a path (--column), and a day or time (--day-column; without a zone UTC), a row a call. A lost call that the log lacks was not billed: the next run sends it again. One that it has was billed: only --retry-unknown buys it a second time, and names it. Nothing is settled where the log lacks a call that the book knows as billed, or ends before the last lost one. Of the log, rows of another key, and those of 0 credits, are passed over. --since and --until compare some days.",
    { heading: 'What was spent' },
    'Every call that may be billed is written to the book before it is sent, its outcome after: billed, lost (answer lost, may have been billed), settled (lost, and answered later), unpriced (no price is documented: other operations, and a 404), not_billed. So the bill is at least billed, and at most billed, lost, settled and unpriced together. The calls hold ids and no profile data, and stay when answers go. Calls of the sandbox cost nothing and are counted with --sandbox alone.',
    'Pages of feed and network are read one after the other; ten full pages without a new record end the run (exit 5). An empty page of the feed is not billed; --max-billable counts it. The largest page of network is not documented: a --limit above 50 may cost one call more. How an answer is shown (--fields, --query, xlsx, pictures) does not change the price.',
  ),
  team: topic(
    'One purse for a team',
    [
      ['pdi config set book postgres://db.example.com/pdi', 'one book for all, in a database'],
      ['pdi config set account acme', 'keys of one account share what was bought, and one budget'],
      ['pdi config set budget 5000/month', 'at most so many over all runs that use the book'],
      ['pdi spend --by user,host', 'who spent what, and where'],
    ],
    'All runs that use one book share its answers, its budget and its bookmarks: nothing is bought twice within max-age, the budget is never exceeded by one call, and a bookmark runs on one machine at a time. Answers and budget belong to a base URL and a key, or to all keys of an account. A book that is a file serves one user of one machine (PDI_BOOK=FILE names it): on others of its own each counts a budget of its own.',
    { heading: 'In PostgreSQL' },
    "`createdb pdi` makes the database, `pdi config set book` or the first run a schema pdi in it; `pdi book move URL` brings what a machine has bought. A further role needs two lines, and REVOKE, with a new key of the service, ends a colleague's part:",
    { listing: grants },
    'Host, role, password and TLS are those of libpq: PGHOST and its like, ~/.pgpass, sslmode. The password is never part of the address. Another machine is asked by TLS, and plainly only with ?sslmode=disable. The database holds calls (id, time, user, machine, FILE), answers until their age is over, and bookmarks; no key of the service. FILE and FILE.journal stay where they are; --rate divides the limit of a key among machines.',
    'A run that was not heard of for 30 s counts as dead: its calls under way as lost. Where the database is away no call that may be billed is sent (exit 5, after --max-wait); the same command goes on.',
    { heading: 'Schedulers' },
    'On any machine a task that runs again takes from the book what the first one bought. Let it run again after exit 5 and 6, not after 8: its rows say why. A task of Airflow, and a pipe of Spark:',
    { listing: otherSchedulers },
  ),
  sandbox: topic(
    'Sandbox',
    [
      [
        'pdi --sandbox person per_sample1',
        'one command against invented data; PDI_SANDBOX=1 does it for all',
      ],
      [
        'pdi --sandbox person -i leads-ids.csv -o csv --credits 1 || echo $?',
        'what happens when credits run out',
      ],
      [
        'pdi --sandbox person -i leads-ids.csv -o csv --fault 503:0.5',
        'every second call is refused, and tried again',
      ],
    ],
    `pdi --sandbox COMMAND starts the service inside the process, on 127.0.0.1, for this one command; changes are gone after it. No key is needed, no bill is made, and no answer is kept in the book unless --max-age or PDI_BOOK is given. \`pdi sandbox\` runs the same service until it is stopped, and prints its base URL and keys. Both take ${sandboxFlagNames} NAME[:PROBABILITY], which may be repeated:`,
    {
      listing: `${faultNames.slice(0, 5).join(', ')},\n${faultNames.slice(5, 9).join(', ')},\n${faultNames.slice(9).join(', ')}`,
    },
    'drop-after-billing, slow, truncate and malformed strike after the call was carried out and billed; reset, 503 and 500 before. relational-store and analytics-store make the health check report that store; other faults leave health alone. ignores-limit gives pages of 50 whatever is asked for, changing-order the signals of a day in another order at each request.',
    'Its newest signal is of today (UTC), and every day brings some. --today DAY makes another day today, for what the data has and what the command asks: the same day, people and seed give the same data.',
    { heading: 'To try a hook' },
    'In one terminal `pdi sandbox`; in another one the two lines that it prints (export PDI_BASE_URL=… and PDI_API_KEY=…), then:',
    {
      examples: [[hook, 'what is there goes to the program first; then one that is made now']],
    },
    'Your own program takes the place of cat. POST /sandbox/signal does the same.',
    { heading: 'What it has' },
    {
      rows: [
        [
          'people',
          `${ids.people.make(1)} to ${ids.people.make(total.people)}; for resolve also ada-sample-1, ${ids.members.make(1)}, ${ids.urns.make(1)}`,
        ],
        [
          'companies',
          `${ids.companies.make(1)} to ${ids.companies.make(total.companies)}; of ${ids.companies.make(2)}, ${ids.companies.make(7)} and so on no revenue is known`,
        ],
        ['investors', "--name 'Sample Harbor Ventures 1', --website investor-1.example"],
        ['searches', searchesOfSandbox.join(', ')],
        ['lists', 'by their ids, also for feed --list:'],
      ],
    },
    { rows: listsOfSandbox },
    'GET /sandbox/bill tells what it billed, call by call. GET /api/v1/openapi.json describes all operations as OpenAPI 3.1. It answers no other host than loopback, and never sees a stored key: PDI_API_KEY may name one of its own.',
    { heading: 'Where the API document says "not shown", the sandbox chose' },
    {
      rows: [
        [
          'credits',
          'OUT_OF_CREDITS has status 402 (--out-of-credits-status), and comes before an id is looked up',
        ],
        [
          'feed',
          '--sort takes signal_date_desc, signal_date_asc, signal_score_desc; an unknown list is 404',
        ],
        ['investors', 'neither name nor website is 422; with both, both must match'],
        [
          'lists',
          'an id that is added and deleted ends up deleted, an unknown one is passed over; a global list cannot be changed (403)',
        ],
        ['delete', 'of a company list answers JSON, of the others nothing'],
        ['network', 'a limit above 1000 is cut to 1000'],
      ],
    },
  ),
  ci: topic(
    'CI, cron and alerts',
    [
      [
        'pdi health --quiet --wait 30 -o table',
        'is the service up? free, no key; one line while it is not',
      ],
      [
        'pdi feed --since-last daily --out "signals-$(date -u +%F).csv"',
        'what is new, each day, in a file of that day',
      ],
      [alert, 'an alert in Slack, a line a signal; in Teams a line ends with "\\n\\n"'],
      [
        'pdi feed --since-last watch --list LIST_ID -o ndjson >> watch.ndjson',
        'a watch on one list, as lines for a log',
      ],
    ],
    { heading: 'What is new: bookmarks' },
    'The bookmark (daily, alert, watch above) remembers what a run has delivered. A new one begins a week ago, or at --after DAY (0001-01-01: with all); once it has delivered, --after means nothing. A run pays for what is new: it reads newest first and ends at what is known. For late signals, a day is counted once more when it is 7 days old (--look-back DAYS: in this run at another age, 0: never), by a page that is empty, and so not billed, unless the day grew; then it is read again. What comes later still is not seen, nor what comes on a day from which as many signals were deleted: `pdi bookmarks reset NAME --to DAY` reads both again. The summary says what was new, which days were counted, and what those that grew cost. A run that ends early leaves the rest to the next one, which goes on there. FILE is never made poorer: a csv or ndjson is added to, and stays where nothing is new; json, xlsx and parquet with signals in them are left alone, so give them a dated name. A bookmark belongs to its base URL, search, list and order.',
    '--deliver runs the program without a shell and without the key, when all pages are read and something is new; what it prints goes to stderr. If it exits 0 and has read all, the bookmark moves. Otherwise, or where a run is killed, what was bought waits: the next run delivers it first, without a call. So each signal comes at least once. A reader of a pipe that fails (| jq) has its signals lost: the bookmark cannot see it. `pdi bookmarks` shows how far each has come and what waits; `pdi bookmarks reset NAME --to 7d` delivers the last days again.',
    { heading: 'A crontab' },
    'cron mails what a command prints. `command -v pdi node` names the folders of PATH, and % is written \\%. A job that runs each day needs a dated FILE, or --force (a bookmark does not); --restart where the last one stopped halfway and is of no use any more.',
    { listing: crontab },
    { heading: 'A step of GitHub Actions that warns, and does not fail' },
    { listing: warning },
    { heading: 'A machine that is new each time' },
    'Budget, bookmarks and what was bought begin anew there, unless its book stays (XDG_STATE_HOME): by a cache, by a volume of a container (-v pdi:/state -e XDG_STATE_HOME=/state), or by a book for all machines (pdi help team). A cache fits runs one after the other, and must be saved after a failure too. While CI is set, a job says each minute how far it is.',
    { listing: cachedBook },
    { heading: 'A container' },
    'Docker knows healthy (0) and unhealthy (1), so || exit 1 makes one of all other codes. No key is needed in the image.',
    { listing: dockerfile },
  ),
  mcp: topic(
    'Agents: pdi mcp',
    [
      ['pdi mcp --config claude', 'what to paste into the client (cursor, vscode)'],
      [
        'pdi --profile work mcp --max-billable 20 --read-only --config claude',
        'the same, with flags for the server',
      ],
      ['pdi --sandbox mcp --config claude', 'invented data, to try it'],
    ],
    'pdi mcp is a Model Context Protocol server on stdin and stdout: each operation is a tool, with its price in its description. What you paste has absolute paths, the base URL and profile in use, and the variables of this shell that pdi obeys. No key and no password is in it: a notice says how the key gets there, and which clients can ask a person.',
    {
      rows: [
        [
          '--confirm charged',
          'the person is asked about each call that is not free, and each deletion (the default)',
        ],
        ['--confirm always', 'about every call of the service'],
        ['--confirm never', 'about no call: only the cap and the budget limit them'],
        ['--max-billable N', 'calls of one session that are not free, at most (default 100)'],
        ['--budget 200/day', 'of all sessions and commands on this machine'],
        ['--read-only', 'tools that change or delete lists are not listed'],
        ['--allow-changes', 'without it they are listed, and refused'],
        ['--tools NAME,NAME', 'only these tools are listed'],
      ],
    },
    'person and revenue take up to 50 ids (ids) and ask once. A paid answer whose caller went away is given to the same call later. A question that nobody answers holds up no other call.',
    'The question says what is bought, every character of it, at what price, and what is left; only its tick is a yes. A client that cannot ask (no elicitation) gets no such call. What the book has is given without a question and without a call. Cap, budget and book are those of every command; pdi spend shows the calls of agents as command mcp.',
    'Each result says what it cost (billed, and pdi/cost in _meta, with source, calls_left and budget_left): no, yes, "price unknown" (answered, but the API document states no price) or "answer lost" (may have been billed, and is not sent again). The tool plan says what many ids would cost, the tool budget what was spent and is left; both make no call.',
    'Lists come in pages (page, limit), and so do the members of an investor list, of one call. fields (a,b.c) makes a result small. One over 64 kB is refused; asked again with fields it costs nothing. Errors are the object of pdi help exit-codes. What the service sends is data: people write about themselves what they like, also to agents; tools say so, and control and invisible characters are taken out.',
    'The server ends with stdin: calls under way are finished and written down. stderr carries its log; --verbose shows each request.',
  ),
  windows: topic(
    'Windows: PowerShell and cmd',
    [
      [
        'pdi resolve -i leads.csv --column linkedin --out leads-ids.csv',
        'files by -i and --out, in place of <, > and |',
      ],
      [
        `pdi network --all --where "primary_role == 'founder'" -o csv`,
        'double quotes outside, single quotes inside',
      ],
    ],
    'Windows PowerShell 5 writes > as UTF-16, makes ? of accents in a pipe, and takes double quotes out of an argument; PowerShell 7 does none of it. What other examples set before a command (VAR=value pdi …) is a line of its own here; a long line goes on after a backtick. In cmd it is set VAR=value. Where PowerShell runs no scripts, type pdi.cmd.',
    { listing: powerShell },
    { heading: 'Each day at six' },
    'A program of --deliver, and a key-command, may be a .cmd file; write what needs a pipe into one. A task is one, too:',
    { listing: task },
    'The call in daily.cmd lets it go on after pdi, which is a .cmd file itself:',
    { listing: daily },
    { heading: 'Where things lie' },
    {
      rows: [
        ['%APPDATA%\\pdi', 'config.json: profiles, settings, stored keys (PDI_CONFIG_DIR)'],
        ['%LOCALAPPDATA%\\pdi', 'book.db: calls, bought answers, bookmarks (PDI_BOOK)'],
        ['%LOCALAPPDATA%\\pdi-cache', 'compiled code, for a quicker start'],
      ],
    },
    'A FILE that Excel has open cannot be replaced: the command says so before its first call. In WSL the folders are those of Linux, and belong there: a disk of Windows (/mnt/c) keeps no modes.',
  ),
  skill: topic(
    'A skill for agents that type commands',
    [['pdi person --help --json', 'flags and fields of a command, as data']],
    'For agents that run commands in a shell instead of MCP, the package has a skill: what pdi is for, how a file of many becomes a table, what costs money, what exit codes mean. Copy its folder to where your agent looks for skills. It is here:',
    { listing: skillFile },
  ),
};
