import type { Topic } from '../topic.ts';

const shards = `parallel --pipepart -a leads-ids.csv --header : --block -1 -j 8 -k \\
  pdi person -i - --input-format csv -o csv --rate 2 --quiet |
  awk 'NR == 1 { head = $0 } NR == 1 || $0 != head' > people.csv`;

const otherSchedulers = `env = {"PDI_BOOK": "/var/lib/pdi/book.db", "PDI_ACCOUNT": "acme"}
BashOperator(task_id="enrich", env=env, append_env=True,
  bash_command="pdi person -i share.csv --out share-people.csv --rate 2 "
    "--force --accept not_found,invalid")
ids.pipe("pdi person -i - --input-format lines -o ndjson --rate 2 -q",
  env={**os.environ, **env})`;

export const jobsTopic: Topic = {
  title: 'Jobs: a file in, a file out',
  parts: [
    {
      examples: [
        ['pdi resolve -i leads.csv --column linkedin --out leads-ids.csv', 'links to ids, free; the own columns stay'],
        ['pdi person -i leads-ids.csv --dry-run', 'what the next step may cost'],
        ['pdi person -i leads-ids.csv --out people.csv --first 1', 'a trial; the same command without --first goes on from it'],
        ['pdi person -i leads-ids.csv --out people.csv', 'the job; the same command again goes on where it stopped'],
        ['pdi resolve -i urls.txt -o ndjson | pdi person -i - -o csv', 'both steps in a pipe'],
        [shards, 'one CSV in 8 shares at once, in order; cells without line breaks'],
      ],
    },
    { heading: 'What comes out' },
    '`pdi help input` says what goes in. A csv of a csv keeps its delimiter and its own columns. Each row ends with pdi_status and pdi_error: ok, not_found, invalid (not sent), unknown (sent, the answer was lost, it may have been billed), failed (not billed), skipped (not reached). A bad row never spoils the others, and one that an earlier command passed on without a record keeps its status. A row with more cells than the header is invalid. The summary counts rows by status, gives the commonest reasons, and says how to go on.',
    { heading: 'Stopped halfway' },
    'FILE.journal, beside --out FILE, holds what was bought until no row is unknown, failed or skipped. After Ctrl-C, a kill, a full disk or a dead network the same command takes it from there and pays for the rest alone. Ctrl-C lets calls under way finish; a second one ends at once. Ten calls in a row without an answer end a job (exit 5). A journal of another command, service or account is refused; --restart discards it.',
    { heading: 'Pace, and many machines' },
    '--concurrency N sends N requests at once (4), --rate R at most R a second. After 429 all requests wait as long as the service says, --max-wait seconds at most. PDI_BOOK=FILE names one book for all of them, and the setting account lets keys share it. A task of Airflow, and a pipe of Spark:',
    { listing: otherSchedulers },
  ],
};
