/** `pdi investors` asks one question by name or website, or one question for each row of a file. */
import { type InputFlags, refuseWithoutFile } from '../cli/input-options.ts';
import { findInvestors } from '../contract/investors.ts';
import { UsageError } from '../errors.ts';
import { lookupJob } from '../jobs/lookup.ts';
import type { Context } from './context.ts';
import { call } from './run-call.ts';
import { runJob } from './run-job.ts';

export interface InvestorFlags extends InputFlags {
  readonly name?: string | undefined;
  readonly website?: string | undefined;
}

/** @throws UsageError unless exactly one of name, website and file is given */
export async function runInvestors(context: Context, flags: InvestorFlags): Promise<void> {
  const { name, website, input } = flags;
  if ([name, website, input].filter((given) => given !== undefined).length !== 1) {
    throw new UsageError('give one of --name, --website and --input', {
      hint: 'what the service does with both or neither is not documented',
    });
  }
  if (input === undefined) {
    refuseWithoutFile(flags, ['--input']);
    const query = { ...(name !== undefined && { name }), ...(website !== undefined && { website }) };
    return call(context, { endpoint: findInvestors, request: { path: {}, query }, item: { freeText: name ?? website ?? '' } });
  }
  const ask = (text: string, row: { readonly field?: string }) => {
    const field = row.field?.toLowerCase();
    const asked = field === 'website' || (field !== 'name' && looksLikeWebsite(text)) ? 'website' : 'name';
    return { key: `${asked}:${text}`, request: { path: {}, query: { [asked]: text } }, item: { freeText: text } };
  };
  await runJob(context, lookupJob({ endpoint: findInvestors, identifierColumns: ['website', 'name'], ask }), [], flags);
}

/** This decides when the column name does not. A name has spaces or no dot. */
const looksLikeWebsite = (text: string): boolean => /^(https?:\/\/)?[^\s/]+\.[^\s/.]{2,}(\/\S*)?$/i.test(text);
