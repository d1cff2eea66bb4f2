/** `pdi investors` asks one question by name or website, or one question for each row of a file. */
import { askedBy } from '../book/buyer.ts';
import { bare, type Invalid, looksLikeWebsite } from '../contract/identifier.ts';
import { findInvestors, plainInvestor } from '../contract/investors.ts';
import type { InputRow } from '../rows/row.ts';
import type { Source } from './input-source.ts';
import { type LookupQuestion, lookupJob } from './lookup.ts';
import type { Plan } from './plan.ts';
import { call } from './run-call.ts';
import { runJob } from './run-job.ts';
import type { Tools } from './tools.ts';

export async function findOne(
  plan: Plan,
  tools: Tools,
  asked: { readonly name?: string | undefined; readonly website?: string | undefined },
): Promise<void> {
  const { query } = findInvestors.check({ path: {}, query: asked }, (parameter) => `--${parameter}`);
  await call(plan, tools, { endpoint: findInvestors, request: { path: {}, query } });
}

export async function findEach(plan: Plan, tools: Tools, source: Source): Promise<void> {
  const job = lookupJob({ endpoint: findInvestors, identifierColumns: ['website', 'name'], ask: investorQuestion });
  await runJob(plan, tools, job, source);
}

/** Equal spellings have one key, so that the first of them is asked for all. */
export function investorQuestion(written: string, { field }: Pick<InputRow, 'field'>): LookupQuestion | Invalid {
  const column = field?.toLowerCase();
  const isWebsite = column === 'website' || (column !== 'name' && looksLikeWebsite(bare(written)));
  const as = isWebsite ? 'website' : 'name';
  const found = plainInvestor(as, written);
  if ('invalid' in found) return found;
  const request = { path: {}, query: { [as]: found.text } };
  return { key: askedBy({ endpoint: findInvestors, request }).item, endpoint: findInvestors, request };
}
