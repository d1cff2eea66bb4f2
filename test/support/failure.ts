import { PdiError } from '../../src/errors.ts';

/** What an action fails with; it is an error of this program's making, or the test ends with it. */
export async function failureOf(action: Promise<unknown> | (() => unknown)): Promise<PdiError> {
  try {
    await (typeof action === 'function' ? action() : action);
  } catch (error) {
    if (error instanceof PdiError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
