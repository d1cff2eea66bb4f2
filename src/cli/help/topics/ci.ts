import type { Topic } from '../topic.ts';

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

export const ciTopic: Topic = {
  title: 'CI, cron and alerts',
  parts: [
    {
      examples: [
        ['pdi health --quiet --wait 30 -o table', 'is the service up? free, no key; one line while it is not'],
        ['pdi feed --since-last daily --out "signals-$(date -u +%F).csv"', 'what is new, each day, in a file of that day'],
        [alert, 'an alert in Slack, a line a signal; in Teams a line ends with "\\n\\n"'],
        ['pdi feed --since-last watch --list LIST_ID -o ndjson >> watch.ndjson', 'a watch on one list, as lines for a log'],
      ],
    },
    { heading: 'What is new: bookmarks' },
    'The bookmark (daily, alert, watch above) remembers what a run has delivered. A new one begins a week ago, or at --after DAY (0001-01-01: with all); once it has delivered, --after means nothing. A run pays for what is new, and for the look-back: the last 7 days again, for signals that arrive late. Its summary says how many calls that was. --look-back 1 costs a seventh, and finds only what is a day late; 0 asks from the newest day on. A run that ends early leaves the rest to the next one, which goes on there; give it another FILE. A bookmark belongs to its base URL, search, list and order.',
    '--deliver runs the program without a shell and without the key, when all pages are read and something is new; what it prints goes to stderr. If it exits 0 and has read all, the bookmark moves. Otherwise, or where a run is killed, what was bought waits: the next run delivers it first, without a call. So each signal comes at least once. A reader of a pipe that fails (| jq) has its signals lost: the bookmark cannot see it. `pdi bookmarks` shows how far each has come and what waits; `pdi bookmarks reset NAME --to 7d` delivers the last days again.',
    { heading: 'A crontab' },
    'cron mails what a command prints. `command -v pdi node` names the folders of PATH, and % is written \\%. A job that runs each day needs a dated FILE, or --force; --restart where the last one stopped halfway and is of no use any more.',
    { listing: crontab },
    { heading: 'A step of GitHub Actions that warns, and does not fail' },
    { listing: warning },
    { heading: 'A container' },
    'Docker knows healthy (0) and unhealthy (1), so || exit 1 makes one of all other codes. No key is needed in the image.',
    { listing: dockerfile },
  ],
};
