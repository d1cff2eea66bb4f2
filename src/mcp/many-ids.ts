/** Asks about many ids in one call: one question to the person, and a row for each id. */
import { PdiError, pluralize, UsageError } from '../errors.ts';
import { semaphore } from '../road/map-ordered.ts';
import { StopRule } from '../road/stop-rule.ts';
import { digitsOf, shown } from './arguments.ts';
import { type Found, type FoundByItem, itemIn, type ManyAsked, manyText, type ObtainedMany, refuseNothing } from './id-rows.ts';
import { idsArgument, maxIds } from './listing.ts';
import { manyQuestionText, subjectOf } from './naming.ts';
import { TooLargeResult } from './result-text.ts';
import type { AskedCall } from './service-calls.ts';
import type { GivenArguments, ToolAnswer, ToolCall } from './tool.ts';
import type { ToolSession } from './tool-session.ts';
import type { AnswerView } from './view.ts';

/** Gives the ids of a call that names several, in `ids` or in the argument of one. @throws UsageError */
export function manyIdsIn(given: GivenArguments, name: string): readonly string[] | undefined {
  const isList = Array.isArray(given[name]);
  if (!(idsArgument in given || isList)) return undefined;
  const argument = isList ? name : idsArgument;
  const mistake = (words: string, hint: string) => new UsageError(words, { item: argument, hint: `nothing was sent; ${hint}` });
  if (idsArgument in given && name in given)
    throw mistake(`${name} and ${idsArgument} exclude each other`, `name all ids in ${idsArgument}`);
  const value = given[argument];
  const texts = Array.isArray(value) ? value.map((id) => (typeof id === 'string' ? id : digitsOf(id))) : [];
  if (texts.length === 0) throw mistake(`${argument}: expected a list of ids, got ${shown(value)}`, 'give 1 to 50 ids');
  const at = texts.indexOf(undefined);
  if (at >= 0 && Array.isArray(value)) throw mistake(`${argument}: expected texts, got ${shown(value[at])}`, 'give 1 to 50 ids');
  if (texts.length > maxIds) throw mistake(`${argument}: ${texts.length} ids, and one call takes ${maxIds} at most`, 'make more calls');
  return texts.filter((text) => text !== undefined);
}

/** @throws PdiError where nothing came of any id */
export async function answerMany(session: ToolSession, many: ManyAsked, view: AnswerView, call: ToolCall): Promise<ToolAnswer> {
  const asked = new Map(many.rows.map((row) => [itemIn(row), row]));
  const subject = `${many.endpoint.path} ${JSON.stringify([...asked.keys()])}`;
  const { value, joined } = await session.manyUnderWay.join(subject, call.stopped, {
    work: (stopped) => obtainedMany(session, many, asked, view, { ...call, stopped }),
    whenUnheard: ({ found = new Map() }) => keep(session, asked, found, 'keepUntilHeard'),
    isForOne: ({ open }) => open !== undefined,
  });
  if (value.found === undefined) return value.open;
  const found = joined
    ? new Map([...value.found].map(([item, one]) => [item, { ...one, source: one.source ?? ('session' as const) }]))
    : value.found;
  refuseNothing(found);
  try {
    const text = manyText(many, found, view, session.callsLeft);
    call.ifUnheard(() => keep(session, asked, found, 'keepUntilHeard'));
    if (!call.stopped()) for (const row of many.rows) session.kept.heard(subjectOf(row.endpoint, row.request));
    return text;
  } catch (error) {
    if (error instanceof TooLargeResult) keep(session, asked, found, 'keepToAskAgain');
    throw error;
  }
}

function keep(
  { kept }: ToolSession,
  asked: ReadonlyMap<string, AskedCall>,
  found: FoundByItem,
  how: 'keepUntilHeard' | 'keepToAskAgain',
): void {
  for (const [item, { bought, source }] of found) {
    const row = asked.get(item);
    // What the book has, it will give again.
    if (row !== undefined && source !== 'book') kept[how](subjectOf(row.endpoint, row.request), bought);
  }
}

async function obtainedMany(
  session: ToolSession,
  many: ManyAsked,
  asked: ReadonlyMap<string, AskedCall>,
  view: AnswerView,
  call: ToolCall,
): Promise<ObtainedMany> {
  const known = await knownOf(session, asked);
  const wanted = [...asked].filter(([item]) => !known.has(item));
  // What is there already may be too much by itself: that is told before anything is bought.
  manyText(many, known, view, session.callsLeft);
  await session.refuseBeyondLimits(wanted.length);
  if (wanted.length > 0 && session.asksFirst(many.endpoint)) {
    const open = await call.ask({
      subject: `${many.endpoint.path} ${JSON.stringify(wanted.map(([item]) => item))}`,
      text: async () => {
        const items = wanted.map(([item]) => ({ item, name: session.names.get(item) }));
        return manyQuestionText(many.endpoint, { items, kept: known.size, used: await session.used() });
      },
      label: `${many.endpoint.title}, ${pluralize(wanted.length, 'id')}`,
    });
    if (open !== undefined) return { open };
  }
  return { found: new Map([...known, ...(await boughtOf(session, wanted, call))]) };
}

async function knownOf(session: ToolSession, asked: ReadonlyMap<string, AskedCall>): Promise<FoundByItem> {
  const looked = [...asked].map(async ([item, row]): Promise<readonly (readonly [string, Found])[]> => {
    const kept = session.kept.answerTo(subjectOf(row.endpoint, row.request));
    if (kept !== undefined) return [[item, { bought: kept, source: 'session' }]];
    const known = await session.calls.known(row);
    return known === undefined ? [] : [[item, { bought: known, source: known.source === 'book' ? 'book' : undefined }]];
  });
  return new Map((await Promise.all(looked)).flat());
}

/** After a failure that the others would meet as well, nothing more is sent. */
async function boughtOf(session: ToolSession, wanted: readonly (readonly [string, AskedCall])[], call: ToolCall): Promise<FoundByItem> {
  const { plan, tools } = session.calls;
  const stopRule = new StopRule({ interrupt: tools.stop, stopOnError: false });
  const atOnce = semaphore(plan.calls.concurrency);
  const stopped = () => stopRule.stopped || call.stopped();
  const found = wanted.map(([item, row]) =>
    atOnce(async (): Promise<readonly [string, Found]> => {
      if (stopped()) return [item, { bought: { result: notSent(stopRule) } }];
      const { value: bought, joined } = await session.buy(row, stopped);
      if (!(bought.result instanceof PdiError)) stopRule.answered();
      else if (bought.withheld !== true) stopRule.failed(bought.result);
      return [item, { bought, source: bought.source === 'book' ? 'book' : joined ? 'session' : undefined }];
    }),
  );
  return new Map(await Promise.all(found));
}

const notSent = ({ skipped }: StopRule): PdiError => new PdiError('interrupted', skipped.error ?? 'not sent', { billed: 'no' });
