/** `pdi store` shows, forgets and deletes kept answers. It makes no call. */
import { ownerName } from '../book/calls.ts';
import type { KeptBody, Reports } from '../book/reports.ts';
import { decode } from '../client/decode.ts';
import type { Age } from '../config/values.ts';
import type { Column } from '../contract/columns.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { bareName, plainIdentifier } from '../contract/identifier.ts';
import { operations } from '../contract/operations.ts';
import { attempt, pluralize, shellWord, UsageError } from '../errors.ts';
import { isObject } from '../json/exact.ts';
import { ApiRecord, type ResultRow, type ResultRows, rowsOf } from '../rows/row.ts';
import { deliver, endOf, printRows, refuseEmpty, reportColumns } from './delivery.ts';
import type { Show } from './plan.ts';
import { ownerIfKnown } from './spending.ts';
import type { Tools } from './tools.ts';

const columns: readonly Column[] = [
  ...reportColumns({
    operation: 'id',
    base_url: 'text',
    account: 'text',
    answers: 'count',
    bytes: 'count',
  }),
  { name: 'oldest', kind: 'date', dateTime: 'utc', inTable: true },
  { name: 'latest', kind: 'date', dateTime: 'utc', inTable: true },
  ...reportColumns({ book: 'text' }, false),
];

export async function showStore(show: Show, tools: Tools): Promise<void> {
  const reports = (await tools.book.ifThere())?.reports;
  const kept = (await reports?.keptAnswers(Date.now())) ?? [];
  const there = (await reports?.answersThere()) ?? 0;
  const lost = (await reports?.lostCalls()) ?? 0;
  const book = tools.book.path;
  const rows = kept.map((answers) => ({ ...answers, book }));
  const shown = await printRows(show, tools, columns, async () => rows);
  const bytes = kept.reduce((sum, { bytes }) => sum + bytes, 0);
  const unknown =
    lost === 0 ? '' : `; ${pluralize(lost, 'call')} may have been billed without an answer`;
  const expired = there - kept.reduce((sum, { answers }) => sum + answers, 0);
  const going =
    expired === 0
      ? ''
      : `; ${pluralize(expired, 'answer')} past the age ${expired === 1 ? 'is' : 'are'} still there: the next runs delete`;
  tools.say.notice(`the book is ${book}: ${sizeOf(bytes)} of answers${going}${unknown}`);
  refuseEmpty(show, shown);
}

/** Writes what is kept of an operation as the service sent it, or all versions, which have their time in every format. */
export async function exportAnswers(
  show: Show,
  tools: Tools,
  endpoint: Endpoint,
  versions = false,
): Promise<void> {
  const dated = (row: ResultRow): ResultRow => {
    const value = row.record?.value;
    if (!isObject(value)) return row;
    return { ...row, record: new ApiRecord({ ...value, pdi_fetched_at: row.fetchedAt }) };
  };
  const rows = async function* (): ResultRows {
    for await (const batch of keptRows(tools, endpoint, versions))
      yield versions ? batch.map(dated) : batch;
    if (tools.stop.aborted) yield tools.interrupted();
  };
  const shape = { endpoint, columns: endpoint.columns };
  const delivered = await deliver(show, tools, { shape, allOrNothing: true }, rows);
  const end = endOf(delivered, show, tools.say);
  if (end !== undefined) throw end;
}

/** Of all keys where none is known: what is not past its age, or, of all `versions` of a question, oldest first, those that are chosen. */
export async function* keptRows(
  tools: Tools,
  endpoint: Endpoint,
  versions: boolean,
  choose = (all: readonly KeptBody[]) => all,
): AsyncGenerator<readonly ResultRow[]> {
  const { identity: base } = await tools.service();
  const owner = await ownerIfKnown(tools);
  const reports = (await tools.book.ifThere())?.reports;
  const of = [base, owner ? ownerName(owner) : '%', `${endpoint.method} ${endpoint.path}`] as const;
  let group: KeptBody[] = [];
  const chosen = () =>
    choose(group.sort((one, other) => one.at - other.at)).flatMap((answer) =>
      rowsOfAnswer(tools, endpoint, answer),
    );
  for (let place: string | undefined = ''; reports !== undefined && place !== undefined; ) {
    if (tools.stop.aborted) return;
    const kept = await reports.answers(versions, ...of, place);
    const rows: ResultRow[] = [];
    for (const answer of kept) {
      if (group.some((one) => questionOf(one) !== questionOf(answer))) {
        rows.push(...chosen());
        group = [];
      }
      group.push(answer);
    }
    yield rows;
    place = kept.at(-1)?.place;
  }
  yield chosen();
}

const questionOf = ({ place }: KeptBody) => place.split(' ', 1)[0];

/** A 404 is no record. */
function rowsOfAnswer({ say }: Tools, endpoint: Endpoint, { at, missing, body }: KeptBody) {
  if (missing === 1) return [];
  const found = attempt(() => decode(endpoint, body));
  if (found === undefined) say.notice('passed over: a damaged answer in the book');
  const { record, records } = found ?? { record: [], records: [] };
  return rowsOf(endpoint.result === 'list' ? records : [record].flat(), {
    source: 'book',
    fetchedAt: new Date(at).toISOString(),
  });
}

const sizeOf = (bytes: number): string =>
  bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

/** Of `files`, those that hold an id are named, and their journals lose its rows. @throws UsageError for what is no id and has no answer */
export async function forgetIds(
  show: Show,
  tools: Tools,
  ids: readonly string[],
  files: readonly string[] | undefined,
): Promise<void> {
  const columns = reportColumns({ id: 'id', forgotten: 'count' });
  const ofFiles: readonly Column[] = [
    { name: 'in_files', kind: 'list', inTable: true },
    { name: 'journal_rows', kind: 'count', inTable: true },
  ];
  await printRows(
    show,
    tools,
    files === undefined ? columns : [...columns, ...ofFiles],
    async () => {
      const reports = (await tools.book.ifThere())?.reports;
      for (const id of ids) await refuseUnlessKnown(reports, id);
      const { lookInto } = await import('./held-files.ts');
      const held = files && (await lookInto(files, ids.map(bareName), tools));
      const rows: object[] = [];
      for (const given of ids) {
        const id = bareName(given);
        const questions = questionsAbout(id);
        const { answers, calls } = (await reports?.forget(id, questions)) ?? noneForgotten;
        const journalRows =
          (await held?.takeOut(id, [...new Set(questions.map(({ item }) => item))])) ?? 0;
        const inFiles = held?.holding(id) ?? [];
        rows.push({
          id: given,
          forgotten: answers,
          ...(held && { in_files: inFiles, journal_rows: journalRows }),
        });
        for (const path of inFiles)
          tools.say.notice(`${path} still holds ${id}: take it out of there yourself`);
        if (answers + journalRows === 0)
          tools.say.notice(nothingKept(id, calls, held !== undefined));
      }
      return rows;
    },
  );
}

const noneForgotten = { answers: 0, calls: 0 } as const;

function nothingKept(id: string, calls: number, isLookedInto: boolean): string {
  const hashed =
    calls === 0 ? '' : `; a hash stands for it in ${pluralize(calls, 'call')} from now on`;
  return `nothing is kept about ${id}${hashed}${isLookedInto ? '' : '; files are not looked at (--in FILE looks into one)'}`;
}

/** A name or a link that was forgotten 0 times would be believed to be forgotten. @throws UsageError */
async function refuseUnlessKnown(reports: Reports | undefined, text: string): Promise<void> {
  const id = bareName(text);
  const hasShape =
    /^inv_./.test(id) ||
    (['person', 'company'] as const).some((shape) => 'text' in plainIdentifier(id, shape));
  if (hasShape || (await reports?.hasAnswer(id, questionsAbout(id))) === true) return;
  const link = /\/|^urn:/i.test(id) ? shellWord(id) : 'URL';
  throw new UsageError(`${text} is not an id, and nothing is kept under this name`, {
    item: text,
    hint: `nothing was forgotten; \`pdi resolve ${link}\` gives the id, free`,
  });
}

/** The id may be one of the service, or the name or website of an investor, asked by any operation whose answers are kept. */
function questionsAbout(id: string) {
  return Object.values(operations)
    .filter((endpoint) => 'stored' in endpoint && endpoint.stored)
    .flatMap((endpoint: Endpoint) => {
      const operation = `${endpoint.method} ${endpoint.path}`;
      const spellings = Object.entries(endpoint.spelling ?? {});
      return [id, ...spellings.map(([field, spelled]) => `${field}:${spelled(id)}`)].map(
        (item) => ({ operation, item }),
      );
    });
}

/** @throws UsageError unless it is said what to delete, and confirmed */
export async function purgeStore(
  show: Show,
  tools: Tools,
  {
    olderThan,
    all,
    yes,
  }: {
    readonly olderThan?: Age | undefined;
    readonly all?: boolean | undefined;
    readonly yes?: boolean | undefined;
  },
): Promise<void> {
  if ((olderThan === undefined) === (all !== true)) {
    throw new UsageError('say which answers to delete', {
      hint: 'give --older-than AGE, such as 30d, or --all',
    });
  }
  const what = olderThan === undefined ? 'all kept answers' : `all answers older than ${olderThan}`;
  const purged = async () => {
    const reports = (await tools.book.ifThere())?.reports;
    const lifted =
      reports === undefined || olderThan !== undefined ? '' : await liftedMarks(reports);
    if (yes !== true) await confirmDeletion(`${what} in ${tools.book.path}`, tools, lifted);
    else if (lifted !== '') tools.say.notice(lifted);
    if (reports === undefined) return [{ deleted: 0, kept: 0 }];
    return [
      await (olderThan === undefined
        ? reports.purgeAll()
        : reports.purge(Date.now() - olderThan.milliseconds)),
    ];
  };
  await printRows(show, tools, reportColumns({ deleted: 'count', kept: 'count' }), purged, true);
}

/** Only the mark of a call that may have been billed keeps it from being sent again. */
async function liftedMarks(reports: Reports): Promise<string> {
  await reports.concludeDeadRuns();
  const calls = await reports.lostCalls();
  return calls === 0
    ? ''
    : `what may have been billed without an answer is sent again from then on: ${pluralize(calls, 'call')}`;
}

/** `lifted` says what else becomes of it. @throws UsageError unless the person says yes */
export async function confirmDeletion(what: string, tools: Tools, lifted = ''): Promise<void> {
  const cost = ['they would have to be bought again', lifted].filter(Boolean).join('; ');
  const hint = `pass --yes to delete them; ${cost}`;
  const unasked = new UsageError(`deleting ${what} was not confirmed`, { hint });
  await requireYes(`Deleting ${what}: ${cost}.`, unasked, 'nothing was deleted', tools);
}

/** Asks a person. @throws `unasked` where nobody can be asked, UsageError unless the answer is yes */
export async function requireYes(
  question: string,
  unasked: UsageError,
  otherwise: string,
  { io, stop, mayAsk }: Tools,
): Promise<void> {
  if (!mayAsk) throw unasked;
  const { askLine } = await import('../config/ask.ts');
  const answer = await askLine(io, `${question} Type yes to go on: `, stop);
  if (answer.trim() !== 'yes') throw new UsageError(`${otherwise}: the answer was not yes`);
}
