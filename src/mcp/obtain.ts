/** Obtains what one call of a tool asks for: from the session, from the book, or bought, after the person was asked once about all of it. */
import type { Bought } from '../book/buyer.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { PdiError } from '../errors.ts';
import { semaphore } from '../road/map-ordered.ts';
import { StopRule } from '../road/stop-rule.ts';
import { kindOfTool } from './listing.ts';
import { TooLargeResult } from './result.ts';
import type { AskedCall, Found, FoundBySubject, Obtained, ToolSession } from './session.ts';
import type { ConsentQuestion, ToolAnswer, ToolCall } from './tool.ts';

/** What a call of a tool asks of one operation. */
export interface WantedAnswers {
  readonly endpoint: Endpoint;
  /** By their subjects, so that what is named twice is asked for once. */
  readonly calls: ReadonlyMap<string, AskedCall>;
  /** @throws PdiError where what is there already, or what the rest would cost, makes it vain to buy the rest */
  readonly refuseInVain?: (known: FoundBySubject, missing: readonly AskedCall[]) => Promise<void>;
  readonly question: (missing: readonly AskedCall[], known: number) => ConsentQuestion;
  /** @throws PdiError where nothing came of it; TooLargeResult, and then what was paid for is kept for the next call */
  readonly textOf: (found: FoundBySubject) => string;
}

/** What was paid for is kept if it was too large, or if nobody is left to hear it. */
export async function answerTo(session: ToolSession, wanted: WantedAnswers, call: ToolCall): Promise<ToolAnswer> {
  const { endpoint, calls, textOf } = wanted;
  const { kept } = session;
  const keep = (how: 'keepUntilHeard' | 'keepToAskAgain', found: FoundBySubject = new Map()): void => {
    if (endpoint.billing === 'free') return;
    // What the book has, it will give again.
    for (const [subject, { bought, source }] of found) if (source !== 'book') kept[how](subject, bought);
  };
  const { value, joined } = await session.underWay.join([...calls.keys()].join(' '), call.stopped, {
    work: (stopped) => obtained(session, wanted, { ...call, stopped }),
    whenUnheard: ({ found }) => keep('keepUntilHeard', found),
    isForOne: ({ open }) => open !== undefined,
  });
  if (value.found === undefined) return value.open;
  const found = joined ? ofAnother(value.found) : value.found;
  try {
    const text = textOf(found);
    call.ifUnheard(() => keep('keepUntilHeard', found));
    if (!call.stopped()) for (const subject of calls.keys()) kept.heard(subject, kindOfTool(endpoint) !== 'read');
    return text;
  } catch (error) {
    if (error instanceof TooLargeResult) keep('keepToAskAgain', found);
    throw error;
  }
}

/** It was bought by another call, which pays for it. */
const ofAnother = (found: FoundBySubject): FoundBySubject =>
  new Map(Array.from(found, ([subject, { bought, source = 'session' }]) => [subject, { bought, source }]));

async function obtained(session: ToolSession, wanted: WantedAnswers, call: ToolCall): Promise<Obtained> {
  const { endpoint, calls, refuseInVain, question } = wanted;
  const known = await knownOf(session, calls);
  const missing = [...calls.values()].filter(({ subject }) => !known.has(subject));
  await refuseInVain?.(known, missing);
  if (missing.length > 0 && session.asksFirst(endpoint)) {
    const open = await call.ask(question(missing, known.size));
    if (open !== undefined) return { open };
  }
  return { found: new Map([...known, ...(await boughtOf(session, missing, call))]) };
}

async function knownOf(session: ToolSession, calls: WantedAnswers['calls']): Promise<FoundBySubject> {
  const looked = Array.from(calls, async ([subject, asked]): Promise<readonly (readonly [string, Found])[]> => {
    const kept = session.kept.answerTo(subject);
    if (kept !== undefined) return [[subject, { bought: kept, source: 'session' }]];
    const known = await session.known(asked);
    return known === undefined ? [] : [[subject, foundIn(known, undefined)]];
  });
  return new Map((await Promise.all(looked)).flat());
}

const foundIn = (bought: Bought<unknown>, otherwise: 'session' | undefined): Found => ({
  bought,
  source: bought.source === 'book' ? 'book' : otherwise,
});

/** After a failure that the others would meet as well, nothing more is sent. */
async function boughtOf(session: ToolSession, missing: readonly AskedCall[], call: ToolCall): Promise<FoundBySubject> {
  const { plan, tools } = session;
  const stopRule = new StopRule({ interrupt: tools.stop, stopOnError: false });
  const atOnce = semaphore(plan.calls.concurrency);
  const stopped = () => stopRule.stopped || call.stopped();
  const found = missing.map((asked) =>
    atOnce(async (): Promise<readonly [string, Found]> => {
      if (stopRule.stopped) return [asked.subject, { bought: { result: notSent(stopRule) } }];
      const { value: bought, joined } = await session.buy(asked, stopped);
      if (!(bought.result instanceof PdiError)) stopRule.answered();
      else if (bought.withheld !== true) stopRule.failed(bought.result);
      return [asked.subject, foundIn(bought, joined ? 'session' : undefined)];
    }),
  );
  return new Map(await Promise.all(found));
}

const notSent = ({ skipped }: StopRule): PdiError => new PdiError('interrupted', skipped.error ?? 'not sent', { billed: 'no' });
