import { exitTable } from '../../../exit.ts';
import type { Topic } from '../topic.ts';

const script = `code=0
pdi person -i leads-ids.csv --out people.csv --quiet || code=$?
case $code in
  0) echo "complete" ;;
  8) echo "done; pdi_status in people.csv says which rows are not ok" ;;
  5 | 6) echo "network or limit: run it again later, it goes on" ;;
  7) echo "credits, cap or budget: people.csv holds what was bought" ;;
  129 | 130 | 143) echo "stopped: run it again, it goes on" ;;
  *) echo "a person must look at this"; exit "$code" ;;
esac`;

export const exitCodesTopic: Topic = {
  title: 'Exit codes',
  parts: [
    { examples: [[script, 'a script that knows what became of its job']] },
    { rows: Object.values(exitTable).map(({ exit, name, when }) => [`${exit} ${name}`, when]) },
    'A fatal cause (3, 5, 6, 7) beats 8. The failure of a single item has its own code.',
    'A resolve without a match is a good answer: its row is not_found, and the job still exits 0. A person that is not found makes a job exit 8, unless --accept not_found says that this is expected. --accept takes not_found, invalid, failed, unknown, or several with commas; it never covers skipped rows or a fatal cause, nor a job without any data whose FILE therefore stays as it was.',
    'An answer of more than 16 MB, 400,000 values or 500 levels is refused (exit 5), as is a page of HTML. A message of the service is shown up to 300 characters.',
    { heading: 'Failures for programs' },
    'A failure is one line on stderr. With -o json or ndjson, and in a pipe where no other format is chosen, it is one JSON object instead:',
    { listing: '{"error": {"code", "message", "status", "errorCode", "item",\n  "billed": "no|yes|unknown", "retryable", "hint"}}' },
    'Notices are then {"notice": TEXT} and the summary of a job {"summary": {…}}, each on a line of its own. --errors json asks for this whatever the format, and shows no progress bar; --errors text gives words even with -o json. --quiet drops notices, progress and summary, never an error. The lines of --verbose are always text.',
  ],
};
