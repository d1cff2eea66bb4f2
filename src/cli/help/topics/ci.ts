import type { Topic } from '../topic.ts';

const alert = `pdi feed --all --since-last alert -o json --deliver \\
  'curl --fail --silent --show-error --data-binary @- https://hooks.example'`;

const crontab = `PATH=/usr/local/bin:/usr/bin:/bin
PDI_BASE_URL=https://HOST/api/v1
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
        ['pdi feed --all --since-last daily --out "signals-$(date -u +%F).csv"', 'what is new, each day, in a file of that day'],
        [alert, 'an alert: a program gets the new rows on its stdin'],
        ['pdi feed --all --since-last watch --list LIST_ID -o ndjson >> watch.ndjson', 'a watch on one list, as lines for a log'],
      ],
    },
    { heading: 'What is new: bookmarks' },
    'The bookmark (daily, alert, watch above) remembers what a run has delivered, and moves once the file is written. The next run asks, and pays, from its newest day on, less 7 days for signals that arrive late (--look-back). A run that ends early, at the cap or at Ctrl-C, leaves the rest to the next one; give that one another FILE. A bookmark belongs to its base URL, search, list and order.',
    '--deliver runs the program without a shell, when all pages are read and something is new; what it prints goes to stderr. The bookmark moves if it exits 0; otherwise the same signals come again, so at least once. A reader of a pipe that fails (| jq) has its signals lost: the bookmark cannot see it. `pdi bookmarks` shows how far each has come; `pdi bookmarks reset NAME --to 7d` delivers the last days again, as does a run that is killed between its file and its bookmark.',
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
