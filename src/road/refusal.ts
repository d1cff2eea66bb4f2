/** Refuses a file of which next to nothing can be asked for, and says of a refused file all that is known of it at once. */
import { classify } from '../contract/person-identifier.ts';
import {
  type FailureDetails,
  orFailure,
  PdiError,
  thousands,
  UsageError,
  type Way,
} from '../errors.ts';
import { holdsProfiles, likelyColumns, suchIds } from '../input/column.ts';
import { refusedForAll } from '../input/lines.ts';
import { type Input, type InputRow, startingWith } from '../rows/row.ts';
import type { Job, Keyed } from './ask.ts';
import { planJob } from './dry-run.ts';
import type { Source } from './input-source.ts';
import { classOf } from './run-count.ts';

type Planned = Awaited<ReturnType<typeof planJob>>;
export interface CountedJob extends Pick<Planned, 'plan' | 'unusable'> {
  /** More rows follow. */
  readonly isBeginning?: boolean;
  readonly open: readonly { readonly key: string }[];
  readonly header?: readonly string[] | undefined;
}

const leastUsable = 0.1;
/** Of a job that is not counted, these rows tell what the others are. */
export const maxSampled = 1000;
const nameOf = (input: string | undefined): string =>
  input === '-' ? 'standard input' : (input ?? '');

/** Undefined where one row in ten can be asked for, or where the user said that invalid rows are fine. */
export function refusalOfUnusable(
  counted: CountedJob,
  source: Source,
  candidates: readonly string[],
): UsageError | undefined {
  const { input, column, accept } = source;
  const { plan, unusable, isBeginning = false } = counted;
  const usable = plan.rows - plan.invalid;
  if (input === undefined || accept?.includes('invalid') === true || plan.invalid === 0)
    return undefined;
  if (usable > 0 && usable >= leastUsable * plan.rows) return undefined;
  const read = column ?? unusable.find(({ row }) => row.field !== undefined)?.row.field;
  const { hint, way } = wayOn(counted, read, candidates);
  const all =
    usable === 0 ? '' : `; --accept invalid asks for the ${thousands(usable)} all the same`;
  const has = usable > 1 ? 'have' : 'has';
  const reason = `${usable === 0 ? 'none' : thousands(usable)} of ${isBeginning ? 'the first ' : ''}${thousands(plan.rows)} rows ${has} a usable id (${commonReasons(unusable)})`;
  return new UsageError(`${nameOf(input)}: ${reason}`, {
    item: input,
    reason,
    hint: `${hint}${all}`,
    way,
  });
}

function commonReasons(unusable: CountedJob['unusable']): string {
  const reasons = unusable.map(({ error }) => classOf(error));
  const rows = (reason: string) => reasons.filter((other) => other === reason).length;
  return [...new Set(reasons)]
    .toSorted((one, other) => rows(other) - rows(one))
    .slice(0, 2)
    .join(', or ');
}

/** What can be read once is looked into as far as the first row that can be asked for. @throws the refusal, where there is none such */
export async function lookedInto<Q extends Keyed>(
  input: Input,
  job: Job<Q>,
  refusalOf: (counted: CountedJob) => UsageError | undefined,
): Promise<Input> {
  const { batches, own } = input;
  const seen: (readonly InputRow[])[] = [];
  const looked: InputRow[] = [];
  const counted = (rows: readonly InputRow[]) => planJob(job, { input: [rows], keep: 1 });
  let next: IteratorResult<readonly InputRow[]> | undefined;
  while (looked.length < maxSampled) {
    next = await batches.next();
    if (next.done) break;
    seen.push(next.value);
    const rows = next.value.slice(0, maxSampled - looked.length);
    looked.push(...rows);
    if ((await counted(rows)).plan.invalid < rows.length)
      return { ...input, batches: startingWith(seen, batches) };
  }
  const refusal = refusalOf({
    ...(await counted(looked)),
    header: own?.header,
    isBeginning: next?.done !== true,
  });
  if (refusal === undefined) return { ...input, batches: startingWith(seen, batches) };
  input.close();
  throw refusal;
}

const name = /^\p{Lu}[\p{L}\p{M}.'’-]*(?: [\p{L}\p{M}.'’-]+)+$/u;
const link = /\/in\/|^urn:/i;

function wayOn(
  { unusable, header }: CountedJob,
  column: string | undefined,
  candidates: readonly string[],
): Pick<FailureDetails, 'hint' | 'way'> {
  const texts = unusable.flatMap(({ row }) => row.text ?? []);
  const areMostly = (holds: (text: string) => boolean): boolean =>
    texts.filter(holds).length * 2 > texts.length;
  const rows = unusable.flatMap(({ row }) => row.own ?? []);
  const other = header && likelyColumns({ names: header, rows }, candidates).likeliest;
  if (other !== undefined && other !== column)
    return { hint: `nothing was sent; ${other} ${suchIds}`, way: { column: other } };
  if (
    candidates.includes('person_id') &&
    areMostly((text) => link.test(text) && !('invalid' in classify(text, undefined)))
  )
    return holdsProfiles(column);
  if (areMostly((text) => name.test(text)))
    return {
      hint: 'these look like names, and nothing is found by name: name a column of links or ids with --column',
    };
  return {
    hint:
      unusable.find(({ hint }) => hint !== undefined)?.hint ??
      'nothing was sent; name the column that holds the ids with --column',
  };
}

/** Reads on as each refusal advises, without a call, to tell with it what else would be refused. */
export async function wholeRefusal(
  first: PdiError,
  source: Source,
  overCap: (counted: CountedJob) => PdiError | undefined,
  count: (source: Source) => Promise<CountedJob>,
): Promise<PdiError> {
  const refusals = [first];
  let way: Way = { ...first.details.way };
  let counted: CountedJob | undefined;
  while (way.command === undefined && counted === undefined) {
    const found = await orFailure(() => count({ ...source, ...way, identifiers: [] }));
    if (found instanceof PdiError) {
      refusals.push(found);
      const { way: more = {} } = found.details;
      if (Object.keys(more).every((flag) => flag in way)) break;
      way = { ...way, ...more };
    } else counted = found;
  }
  const over = counted && overCap(counted);
  if (over !== undefined) {
    refusals.push(over);
    way = { ...way, 'max-billable': String(counted?.plan.billable) };
  }
  const input = source.input ?? way.input;
  if (way.command !== undefined) way = { input, encoding: source.encoding, ...way };
  const whole = refusals.length === 1 ? first : refusedForAll(nameOf(input), refusals);
  const hints = refusals.flatMap(({ details }) => details.hint ?? []);
  const hint =
    hints
      .find((one) => one.includes(suchIds))
      ?.replace(suchIds, counted ? holdings(counted) : suchIds) ?? hints.at(-1);
  return new UsageError(whole.message, { ...first.details, hint, way });
}

function holdings({ plan, open }: CountedJob): string {
  const ids = open[0]?.key.includes('/') === true ? 'links' : 'ids';
  return `holds ${ids} in ${thousands(plan.rows - plan.invalid)} of ${thousands(plan.rows)} rows`;
}
