/** `pdi spend --against` holds the calls of the book against the service's own log of calls. It makes no call. */
import { compareWithLog, type LoggedCall } from '../book/agreement.ts';
import { askedBy } from '../book/buyer.ts';
import { hashOf, maxSkew } from '../book/calls.ts';
import type { EndByLog } from '../book/reports.ts';
import type { Column } from '../contract/columns.ts';
import { readInvestorInterest } from '../contract/feed.ts';
import { bare, nameKey } from '../contract/identifier.ts';
import { listed, PdiError, pluralize } from '../errors.ts';
import { interruptedAtInput } from '../input/content.ts';
import { mistakeIn } from '../input/lines.ts';
import { openInput } from '../input/open-input.ts';
import { isObject } from '../json/exact.ts';
import { valueAt } from '../output/read.ts';
import { addDays } from '../rows/days.ts';
import { localSeconds, parseIsoTime } from '../rows/iso-time.ts';
import { type FileForm, oneByOne } from '../rows/row.ts';
import { percentDecoded } from '../rows/url.ts';
import { printRows, refuseEmpty, reportColumns } from './delivery.ts';
import type { Show } from './plan.ts';
import type { Tools } from './tools.ts';

interface Log extends FileForm {
  readonly path: string;
  readonly dayColumn?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Nothing is settled, only told. */
  readonly isDry: boolean;
}

const columns: readonly Column[] = [
  ...reportColumns({ item: 'id' }),
  { name: 'at', kind: 'date', dateTime: 'utc', inTable: true },
  ...reportColumns({ command: 'id', book: 'id', log: 'id', becomes: 'id' }),
];

/** @throws PdiError `partial` where they differ, UsageError for a file that is no log */
export async function runAgainst(show: Show, tools: Tools, log: Log): Promise<void> {
  const { say } = tools;
  const owner = await tools.owner();
  const rows = await readLog(log, owner.account === undefined ? owner.key : '', tools);
  const reports = (await tools.book.ifThere())?.reports;
  const from = Date.parse(log.since ?? '1970');
  const to = Date.parse(addDays(log.until ?? '9998-12-31', 1));
  const calls = (await reports?.calls(owner, from, to - 1)) ?? [];
  const { ours, others, ends, obstacle, has } = compareWithLog(calls, rows);
  const begins = log.since === undefined ? (calls[0]?.at ?? from) - maxSkew : from;
  const none = { command: '', book: '', log: 'billed', becomes: '' };
  const theirs = others
    .filter((row) => row.to >= begins && row.from < to)
    .map(({ names: [item = ''], from: at }) => ({ item, at, ...none }));
  const differences = [...ours, ...theirs].sort((one, other) => one.at - other.at);
  const shown = await printRows(show, tools, columns, async () => {
    if (ends.length > 0 && !log.isDry) await reports?.settleByLog(owner, ends);
    return differences.map((told) => ({ ...told, at: new Date(told.at).toISOString() }));
  });
  const unstated = calls.filter(({ billing }) => billing === 'unstated');
  if (ends.length > 0)
    say.notice(
      `${log.isDry ? 'dry run, so not' : ''} settled by the log: ${settledWords(ends)}`.trim(),
    );
  if (unstated.length > 0)
    say.notice(
      `${pluralize(unstated.length, 'call')} of a price that the document does not state, never settled: the log has ${unstated.filter(has).length}`,
    );
  refuseEmpty(show, shown);
  const known = `${pluralize(calls.length, 'call')} to ${owner.baseUrl}`;
  if (differences.length === 0) return say.notice(`the book and the log agree on ${known}`);
  const days = 'a log of some days needs --since and --until; times without a zone are UTC';
  const hint =
    obstacle !== undefined
      ? `nothing was settled: ${obstacle}; ${days}`
      : ends.length === differences.length && !log.isDry
        ? 'all of it is settled: the same command finds no difference now'
        : days;
  const message = `the book, with ${known}, and the log differ in ${pluralize(differences.length, 'call')}`;
  throw new PdiError('partial', message, { item: log.path, billed: 'no', retryable: false, hint });
}

function settledWords(ends: readonly EndByLog[]): string {
  const cleared = ends.filter(({ after }) => after === 'cleared').length;
  const lost = ends.filter(({ after }) => after === 'billed_lost').map(({ item }) => item);
  const named = `, ${lost.length} billed, which --retry-unknown buys a second time: ${listed(lost)}`;
  return `${pluralize(cleared, 'lost call')} not billed, which the next run sends again${lost.length === 0 ? '' : named}`;
}

/** How logs name what was asked for, and when. */
const itemNames = ['path', 'url', 'item', 'person_id', 'company_id'];
const dayNames = ['at', 'time', 'timestamp', 'date', 'day', 'created_at', 'billed_at'];

/** Without rows of another key than this, and of those that cost nothing. */
async function readLog(
  { path, dayColumn, isDry: _, ...form }: Log,
  key: string,
  { io, stop, say }: Tools,
): Promise<readonly LoggedCall[]> {
  const wish = { ...form, path, io, stop, candidates: itemNames, notice: say.notice };
  const input = await openInput({ ...wish, keepsValues: true });
  const rows: LoggedCall[] = [];
  let others = 0;
  try {
    for await (const { line, text = '', invalid, own, inputValue } of oneByOne(input.batches)) {
      const refuse = (what: string, hint: string) => {
        throw mistakeIn(input.name, what, hint, { line });
      };
      if (invalid !== undefined) refuse(invalid, 'Fetch the log again.');
      const fields = isObject(inputValue)
        ? inputValue
        : Object.fromEntries(input.own?.header.map((name, at) => [name, own?.cells[at]]) ?? []);
      const known = new Map(Object.entries(fields).map(([name, value]) => [nameKey(name), value]));
      const textOf = (names: readonly string[]) =>
        String(
          names
            .map((name) => known.get(nameKey(name)) ?? valueAt(fields, name) ?? '')
            .find((value) => value !== '') ?? '',
        ).trim();
      const theirs = textOf(['key', 'api_key']).replace(/^\W+/, '');
      if (key !== '' && !key.endsWith(theirs)) others += 1;
      else if (Number(textOf(['credits']) || 1) !== 0) {
        const written = textOf(dayColumn === undefined ? dayNames : [dayColumn]);
        const time =
          timeIn(written) ??
          refuse(
            `no day or time of a call: ${written || 'nothing'}`,
            '--day-column NAME names its column; it is read as 2026-06-30 or 2026-06-30T12:00:00Z.',
          );
        rows.push({ names: namesIn(text), ...time });
      }
    }
  } finally {
    input.close();
  }
  if (stop.aborted) throw interruptedAtInput();
  if (others > 0) say.notice(`passed over ${pluralize(others, 'row')} of another key`);
  return rows;
}

/** Digits are the seconds or milliseconds of Unix. */
function timeIn(text: string): Pick<LoggedCall, 'from' | 'to'> | undefined {
  const time = /^\d{10}(?:\d{3})?$/.test(text) ? undefined : parseIsoTime(text);
  if (time === undefined) {
    const at = Number(text.padEnd(13, '0'));
    return /^\d{10}/.test(text) ? { from: at, to: at } : undefined;
  }
  const from = (localSeconds(time) - (time.offset ?? 0)) * 1000 + Math.floor(time.micros / 1000);
  return { from, to: time.hasTime ? from : from + 24 * 3_600_000 - 1 };
}

/** An id stands alone, or is a part of a path or an address; of the feed, the query tells the page. Hashes stand for what was forgotten. */
function namesIn(written: string): readonly string[] {
  const text = bare(written);
  const isQuery = !text.includes('/') && text.includes('=');
  const [location = '', query = ''] = isQuery ? [readInvestorInterest.path, text] : text.split('?');
  const request = { path: {}, query: Object.fromEntries(new URLSearchParams(query)) };
  const names = location.endsWith(readInvestorInterest.path)
    ? [askedBy({ endpoint: readInvestorInterest, request }).recorded]
    : location
        .split('/')
        .filter((part) => part !== '')
        .map(percentDecoded)
        .reverse();
  return names.flatMap((name) => [name, hashOf(name)]);
}
