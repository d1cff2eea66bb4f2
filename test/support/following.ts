/**
 * How a person does what a hint says, by the same table for every test: what to run again, and how many calls the words say may be
 * billed again. A clause that nobody here knows how to follow is an error.
 */
import { renameSync } from 'node:fs';
import { linesOf, newFile } from './service.ts';

/** What a person has at hand. */
export interface Followed {
  /** Runs the same command, with more flags. */
  readonly again: (more?: readonly string[]) => Promise<unknown>;
  /** Makes good what was wrong outside of the program. */
  readonly mend: () => void;
  /** FILE. */
  readonly out: string;
}

/** What to do at a clause of a hint; gives the number of calls that the clause says may be billed again. */
type Step = (followed: Followed, found: RegExpExecArray) => Promise<number> | number;

const said = (found: RegExpExecArray): number => Number(found[1]);
const nothing: Step = () => 0;
const mended: Step = ({ mend }) => {
  mend();
  return 0;
};
const again =
  (...more: readonly string[]): Step =>
  async ({ again }) => {
    await again(more);
    return 0;
  };
const atCost =
  (...more: readonly string[]): Step =>
  async ({ again }, found) => {
    await again(more);
    return said(found);
  };

const steps: readonly (readonly [RegExp, Step])[] = [
  [
    /^run the same command again(?:: it asks (?:only for the rest|for all rows, which is free))?(?: once it is)?$/,
    again(),
  ],
  [/^run it again to go on$|^try again later$/, again()],
  // Of a flag that is given twice the last counts, and so many are all rows.
  [/^leave --first out to go on with all rows$/, again('--first', '1000000')],
  [
    /^leave --first out to go on with all rows, which may bill again what was bought: (\d+) calls?$/,
    atCost('--first', '1000000'),
  ],
  [
    /^use --out FILE to make a job resumable$/,
    ({ again }) => again(['--out', newFile()]).then(() => 0),
  ],
  [
    /^--max-billable (\d+) allows it$/,
    ({ again }, [, calls = '']) => again(['--max-billable', calls]).then(() => 0),
  ],
  [
    /^free some space$|^see that it and its folder can be written$|^check its owner and mode: pdi must be able to write it$|^check the key with|^`pdi health` tells whether the service is up$/,
    mended,
  ],
  [/^ask for more credits$/, mended],
  [
    /^nothing (?:more )?was (?:sent|bought)$|^this call was not sent$|^--dry-run shows the plan$|^the last call stands there as unknown$|^pdi_status and pdi_error say what became of each row$|^with --accept [a-z_,]+ it would end with exit code 0$|^another book \(PDI_BOOK\) would buy again what this one has$|^the book keeps what was bought for \d+[hdm]$/,
    nothing,
  ],
  [/^with --out FILE, a file on a disk, a job goes on where it ended$/, nothing],
  [
    /^wait and run the command again, or allow longer waits with --max-wait and --retries$/,
    again('--max-wait', '1', '--retries', '1'),
  ],
  [
    /^raise it with --max-billable N, or lift it with --max-billable unlimited$/,
    again('--max-billable', '100'),
  ],
  [
    /^--retry-unknown sends again what may have been billed: up to (\d+) calls?, and more where answers are lost again$/,
    atCost('--retry-unknown'),
  ],
  [
    /^it may have been billed, so it was not sent again$|^see `pdi spend` before you repeat it$/,
    nothing,
  ],
  [/^a new run may be billed again for what was bought: (\d+) calls?$/, atCost()],
  [/^a new run may be billed for it a second time: (\d+) calls?$/, atCost()],
  [
    /^move it away, or add --force to replace it: what was bought is kept in the journal beside it and is not bought again$/,
    async ({ again, out }) => {
      renameSync(out, `${out}.mine`);
      await again();
      return 0;
    },
  ],
  [
    /^add --force to replace it, or name another file: either makes (\d+) calls? that may be billed$/,
    atCost('--force'),
  ],
  [
    /^add --force to replace it, or name another file: either makes 1 call a page that may be billed$/,
    // As many as there are pages.
    ({ again }) => again(['--out', newFile()]).then(() => Number.POSITIVE_INFINITY),
  ],
  [/^\d+ pages? (?:was|were) read$/, nothing],
  [/^what this run wrote is in .+$/, nothing],
  [
    /^older signals are left: run the same command again(?: with another --out)?, it asks for what is new and goes on below(, where 1 call may be billed a second time)?$/,
    ({ again }, [, twice]) => again(['--out', newFile()]).then(() => (twice === undefined ? 0 : 1)),
  ],
  [
    /^the rows that it did not take wait \(`pdi bookmarks`\): run the same command again: it delivers them first, without a call$/,
    again(),
  ],
  [
    /^go on with --page (\d+)(?: and another --out)?(, where 1 call may be billed a second time)?$/,
    async ({ again }, [, page = '', twice]) => {
      await again(['--page', page, '--out', newFile()]);
      return twice === undefined ? 0 : 1;
    },
  ],
  // The sandbox lets the same key in again.
  [
    /^another key may be billed (?:again for what was bought|for it a second time): \d+ calls?$/,
    nothing,
  ],
  [/^go on with the key that it was begun with$/, again()],
  [
    /^--restart discards it \(a file that is there needs --force too\): (\d+) answers? in it may be billed again$/,
    atCost('--restart', '--force'),
  ],
];

interface Said {
  readonly stderr: string;
}

/** The clauses of what a run says about how to go on. */
export function clausesOf({ stderr }: Said): readonly string[] {
  const clauses: string[] = [];
  for (const line of linesOf(stderr)) {
    const { error, summary } = JSON.parse(line);
    for (const words of [error?.hint, summary?.resume])
      if (typeof words === 'string') clauses.push(...words.split('; '));
  }
  return [...new Set(clauses)];
}

/** Follows all that a run said, and gives how many calls it said may be billed again. */
export async function follow(first: Said, followed: Followed): Promise<number> {
  const clauses = clausesOf(first);
  if (clauses.length === 0) throw new Error(`it says nothing: ${first.stderr}`);
  let allowed = 0;
  // What makes good comes first, as a person would have it.
  const known = clauses.map((clause) => {
    const step = steps.find(([words]) => words.test(clause));
    if (step === undefined) throw new Error(`nobody knows how to follow: ${clause}`);
    return { clause, step };
  });
  for (const { clause, step } of known.toSorted(
    (one, other) => Number(other.step[1] === mended) - Number(one.step[1] === mended),
  )) {
    const [words, act] = step;
    const found = words.exec(clause);
    if (found !== null) allowed += await act(followed, found);
  }
  return allowed;
}
