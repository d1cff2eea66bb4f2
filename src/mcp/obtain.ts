/** Obtains what one call of a tool asks for: from the session, from the book, or bought, after the person was asked once about all of it. */
import type { Endpoint } from '../contract/endpoint.ts';
import { PdiError } from '../errors.ts';
import { StopRule } from '../road/stop-rule.ts';
import { TooLargeResult } from './result.ts';
import type { AskedCall, Found, FoundBySubject, ToolSession } from './session.ts';
import type { ConsentQuestion, ToolCall } from './tool.ts';

/** What a call of a tool asks of one operation. */
export interface WantedAnswers {
  readonly endpoint: Endpoint;
  /** By their subjects, so that what is named twice is asked for once. */
  readonly calls: ReadonlyMap<string, AskedCall>;
  readonly question: (missing: readonly AskedCall[], known: FoundBySubject) => ConsentQuestion;
  /** @throws PdiError where nothing came of it; TooLargeResult, and then what was paid for is kept for the next call */
  readonly textOf: (found: FoundBySubject) => string;
}

/** What was paid for is kept if it was too large, or if nobody is left to hear it. */
export async function answerTo(session: ToolSession, wanted: WantedAnswers, call: ToolCall): Promise<string> {
  const { endpoint, calls, textOf } = wanted;
  const work = async (areGone: () => boolean) => {
    const found = await obtained(session, wanted, { ...call, stopped: areGone });
    if (areGone()) session.keep(endpoint, found, 'heard');
    return found;
  };
  const found = await session.together([...calls.keys()].join(' '), call.stopped, work);
  try {
    const text = textOf(found);
    call.ifUnheard(() => session.keep(endpoint, found, 'heard'));
    if (!call.stopped()) for (const subject of calls.keys()) session.heard(endpoint, subject);
    return text;
  } catch (error) {
    if (error instanceof TooLargeResult) session.keep(endpoint, found, 'asked again');
    throw error;
  }
}

async function obtained(session: ToolSession, wanted: WantedAnswers, call: ToolCall): Promise<FoundBySubject> {
  const { endpoint, calls, question, textOf } = wanted;
  const looked = await Promise.all(Array.from(calls.values(), async (asked) => [asked, await session.known(asked)] as const));
  const known = new Map(looked.flatMap(([{ subject }, found]) => (found === undefined ? [] : [[subject, found] as const])));
  const missing = looked.flatMap(([asked, found]) => (found === undefined ? [asked] : []));
  if (missing.length === 0) return known;
  // What is there already may be too much by itself.
  if (known.size > 0) textOf(known);
  await session.refuseBeyondLimits(endpoint, missing.length);
  if (session.asksFirst(endpoint)) await call.ask(question(missing, known));
  return new Map([...known, ...(await boughtOf(session, missing, call))]);
}

/** After a failure that the others would meet as well, nothing more is sent. */
async function boughtOf(session: ToolSession, missing: readonly AskedCall[], call: ToolCall): Promise<FoundBySubject> {
  const { plan, tools } = session;
  const stopRule = new StopRule({ interrupt: tools.stop, stopOnError: false });
  const stopped = () => stopRule.stopped || call.stopped();
  const found: (readonly [string, Found])[] = [];
  const rest = missing.entries();
  const buy = async (asked: AskedCall): Promise<Found> => {
    if (stopRule.stopped) return { result: notSent(stopRule) };
    const bought = await session.buy(asked, stopped);
    if (!(bought.result instanceof PdiError)) stopRule.answered();
    else if (bought.withheld !== true) stopRule.failed(bought.result);
    return bought;
  };
  const buyInTurn = async () => {
    for (const [at, asked] of rest) found[at] = [asked.subject, await buy(asked)];
  };
  await Promise.all(Array.from({ length: plan.calls.concurrency }, buyInTurn));
  return new Map(found);
}

const notSent = ({ skipped }: StopRule): PdiError => new PdiError('interrupted', skipped.error ?? 'not sent', { billed: 'no' });
