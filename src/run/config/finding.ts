/** What `pdi config check` finds out, one line each. */
import { PdiError } from '../../errors.ts';

export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** Why the command fails, where it does. */
  readonly failure?: PdiError;
}

/** What `find` says, or why it could not. Bugs and Ctrl-C are no findings: those are thrown. */
export async function findingOf(check: string, find: () => Promise<string>): Promise<Finding> {
  try {
    return { check, status: 'ok', detail: await find() };
  } catch (error) {
    return failing(check, asFailure(error));
  }
}

export const failing = (check: string, failure: PdiError): Finding => ({ check, status: 'fail', detail: failure.message, failure });

/** @throws what is no failure to report: a bug, or Ctrl-C */
export function asFailure(error: unknown): PdiError {
  if (error instanceof PdiError && error.code !== 'interrupted') return error;
  throw error;
}
