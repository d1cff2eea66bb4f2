/** `pdi investors` asks one question by name or website, or one question for each row of a file. */
import { askedBy } from '../book/buyer.ts';
import { type InputFlags, refuseWithoutFile } from '../cli/input-options.ts';
import { bare, bareName } from '../contract/bare.ts';
import { hasLostCharacter, type Invalid, lostCharacter } from '../contract/identifier.ts';
import { checkInvestors, findInvestors } from '../contract/investors.ts';
import { looksLikeWebsite, objectionToWebsite } from '../contract/website.ts';
import { UsageError } from '../errors.ts';
import { type LookupQuestion, lookupJob } from '../jobs/lookup.ts';
import type { InputRow } from '../rows/input-row.ts';
import type { Context } from './context.ts';
import { call } from './run-call.ts';
import { runJob } from './run-job.ts';

interface InvestorFlags extends InputFlags {
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
    const query = checkInvestors({ name, website }, (parameter) => `--${parameter}`);
    return call(context, { endpoint: findInvestors, request: { path: {}, query }, item: { freeText: name ?? website ?? '' } });
  }
  await runJob(context, lookupJob({ endpoint: findInvestors, identifierColumns: ['website', 'name'], ask: investorQuestion }), [], flags);
}

/** Equal spellings have one key, so that the first of them is asked for all. */
export function investorQuestion(written: string, { field }: Pick<InputRow, 'field'>): LookupQuestion<typeof findInvestors> | Invalid {
  const column = field?.toLowerCase();
  const isWebsite = column === 'website' || (column !== 'name' && looksLikeWebsite(bare(written)));
  const text = isWebsite ? bare(written) : bareName(written);
  if (text === '') return { invalid: 'empty' };
  if (hasLostCharacter(text)) return { invalid: lostCharacter };
  const objection = isWebsite ? objectionToWebsite(text) : undefined;
  if (objection !== undefined) return { invalid: objection };
  const request = { path: {}, query: { [isWebsite ? 'website' : 'name']: text } };
  return { key: askedBy(findInvestors, request).item, request, item: { freeText: text } };
}
