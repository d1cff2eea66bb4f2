/** `--out` names a file that is there. It may hold what was bought: a run that replaces it, or writes another one, buys that again. */
import type { Endpoint } from '../contract/endpoint.ts';
import { FileExists, UsageError } from '../errors.ts';

/**
 * The error to throw in the place of `error`: of a FILE that exists, with what either way on costs. `calls` gives the number of
 * calls that may be billed, or says how many in words; it is asked only where a call may be.
 */
export async function withPriceOfAnother(
  error: unknown,
  { billing }: Pick<Endpoint, 'billing'>,
  calls: () => Promise<string | undefined> | string | undefined,
): Promise<unknown> {
  if (!(error instanceof FileExists) || billing === 'free') return error;
  const price = await calls();
  if (price === undefined) return error;
  const { item, hint } = error.details;
  return new UsageError(error.message, { item, hint: `${hint}: either makes ${price}` });
}
