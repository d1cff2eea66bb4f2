/** A finding is one line of `pdi config check`. */
import { PdiError } from '../../errors.ts';

export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  readonly failure?: PdiError;
}

/** Gives the result of `find`, or its failure. @throws bugs and Ctrl-C, which are not findings */
export async function findingOf(check: string, find: () => Promise<string>): Promise<Finding> {
  try {
    return { check, status: 'ok', detail: await find() };
  } catch (error) {
    return failing(check, asFailure(error));
  }
}

export const failing = (check: string, failure: PdiError): Finding => ({ check, status: 'fail', detail: failure.message, failure });

/** @throws the error itself if it is a bug or Ctrl-C */
export function asFailure(error: unknown): PdiError {
  if (error instanceof PdiError && error.code !== 'interrupted') return error;
  throw error;
}
