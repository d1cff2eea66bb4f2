import { prices } from '../prices.ts';
import type { Topic } from '../topic.ts';

export const moneyTopic: Topic = {
  title: 'Money',
  parts: [
    {
      examples: [
        ['pdi person -i leads-ids.csv --dry-run', 'what it may cost; exit 7 where cap or budget do not allow it'],
        ['pdi person -i leads-ids.csv --out people.csv --max-billable 5', 'at most 5 calls of this run that are not free'],
        ['pdi config set budget 5000/month', 'at most so many over all runs of this machine'],
        ['pdi spend --by month,command', 'what was spent'],
        ['pdi store', 'what need not be bought again'],
      ],
    },
    prices,
    { heading: 'Cap and budget' },
    '--max-billable N (100 where nothing is said; unlimited lifts it) caps the calls of a run that are not free. A job that is larger is refused before its first call. A call counts once it is sent, whatever the answer; sent again after 429 or 503 it counts once.',
    '--budget 5000/month (200/day, or both with a comma) caps the same calls over all runs that use one book, by base URL and account, and is never exceeded by one call. It refuses no job beforehand, it stops it: exit 7, and the same command goes on when the budget allows it. Days and months are UTC.',
    { heading: 'Bought once' },
    'Answers of person, revenue and investors, a 404 too, are kept in the book for --max-age (12h) and taken from it by any run, format, FILE or process. Two processes that want the same answer buy it once: the second waits. --fresh buys again what the book has, --max-age 0 keeps and takes nothing. `pdi store forget ID` and `pdi store purge` delete. The book is one SQLite database, book.db in the state folder; PDI_BOOK=FILE, or the setting book, names another, on a disk of this machine. Answers belong to a base URL and a key, or to all keys of `pdi config set account NAME`. A book that cannot be written stops a call before it is sent; a damaged one is moved aside by name.',
    'A job with --out also keeps what it bought in FILE.journal until it is complete (pdi help jobs).',
    { heading: 'Lost answers' },
    'A charged call whose answer was lost (time-out, broken connection, 5xx, kill) may have been billed. It is unknown, and no run sends it again unless --retry-unknown says so, or --max-age 0 asks no book. 429, 503 and refused connections were not carried out: they are tried again, and not billed. OUT_OF_CREDITS ends a run at once; what was bought is written.',
    { heading: 'What was spent' },
    'Every call that may be billed is written to the book before it is sent, its outcome after: billed, lost (it may have been billed), settled (lost, then sent again and answered), unpriced (no price is documented: other operations, and a 404), not_billed. So the bill is at least billed, and at most billed, lost, settled and unpriced together. The calls hold ids and no profile data, and stay when answers go. Calls of the sandbox cost nothing and are counted with --sandbox alone.',
    'Pages of feed and network are read one after the other; ten full pages without a new record end the run (exit 5). The largest page of network is not documented: a --limit above 50 may cost one call more. How an answer is shown (--fields, --query, xlsx, pictures) changes nothing of its cost.',
  ],
};
