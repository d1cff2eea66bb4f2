/** `--out` names a file that is there. It may hold what was bought: a run that replaces it, or writes another one, buys that again. */
import type { Endpoint } from '../contract/endpoint.ts';
import { FileExists, UsageError } from '../errors.ts';

/**
 * Throws `error`: of a FILE that exists, with what either way on costs. `calls` gives the number of calls that may be billed, or says
 * how many in words; it is asked only where a call may be.
 */
export async function withPriceOfAnother(
  error: unknown,
  { billing }: Pick<Endpoint, 'billing'>,
  calls: () => Promise<string | undefined> | string | undefined,
): Promise<never> {
  const price = error instanceof FileExists && billing !== 'free' ? await calls() : undefined;
  if (price === undefined || !(error instanceof FileExists)) throw error;
  const { item, hint } = error.details;
  throw new UsageError(error.message, { item, hint: `${hint}: either makes ${price}` });
}
