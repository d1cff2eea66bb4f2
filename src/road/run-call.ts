/** Makes one call and prints its answer, for commands that are not jobs. */
import type { Buyer } from '../book/buyer.ts';
import type { Question } from '../contract/endpoint.ts';
import { PdiError } from '../errors.ts';
import { ApiRecord, type ResultRow, type ResultRows } from '../rows/row.ts';
import { deliver, endOf, throwWithCost } from './delivery.ts';
import { printPlan } from './dry-run.ts';
import type { Plan } from './plan.ts';
import type { RunCount } from './run-count.ts';
import { formatting, membersAsRows } from './shape.ts';
import { foundByOthers, openSpending } from './spending.ts';
import { tellOrigins } from './summary.ts';
import type { Tools } from './tools.ts';

interface CallParts extends Question {
  readonly standIn?: unknown;
  /** Finds a fault in an answer that has the documented shape. The fault is thrown after the answer is written. */
  readonly complaint?: (body: unknown) => PdiError | undefined;
}

export async function call(plan: Plan, tools: Tools, parts: CallParts): Promise<void> {
  const { endpoint } = parts;
  const { show, rules } = plan;
  const members = membersAsRows(show, endpoint);
  const shape = {
    ...(members === undefined ? { endpoint, columns: endpoint.columns } : { columns: members.columns }),
    one: endpoint.result === 'one' && members === undefined,
  };
  const { buyer, runCost, inBook } = await openSpending(plan, tools);
  if (plan.isDry) {
    await formatting(show, tools, shape);
    // A request that the book answers is not sent.
    const known = await inBook(parts);
    return printPlan(plan, tools, known === undefined ? [parts] : [], known && { omitted: 0, known });
  }
  runCost.foundBy = foundByOthers(rules, endpoint);
  const costOfAnother = () => (endpoint.billing === 'free' ? undefined : '1 call that may be billed');
  const delivery = { shape, lists: members === undefined ? undefined : endpoint };
  const delivered = await deliver(show, tools, delivery, (count) => rowsOf(buyer, tools, parts, count)).catch((error: unknown) =>
    throwWithCost(error, costOfAnother),
  );
  if (!delivered.cut) tellOrigins(tools.say, delivered.count);
  const end = endOf(delivered, show, tools.say);
  if (end !== undefined) throw end;
}

async function* rowsOf(buyer: Buyer, { stop }: Tools, parts: CallParts, count: RunCount): ResultRows {
  const { endpoint, standIn, complaint } = parts;
  const bought = await buyer.buy(parts, { stopped: () => stop.aborted });
  const { result, source, fetchedAt } = bought;
  if (result instanceof PdiError) return yield result;
  const { record, records, trouble } = result;
  const body = record.value;
  if (endpoint.result === 'list') {
    if (records.length === 0) count.addEmpty(bought);
    yield records.map((one): ResultRow => ({ record: one, status: 'ok', source, fetchedAt }));
  } else yield [{ record: body === undefined || body === null ? new ApiRecord(standIn) : record, shown: standIn, status: 'ok' }];
  const failure = trouble ?? complaint?.(body);
  if (failure !== undefined) yield failure;
}
