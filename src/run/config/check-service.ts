/** What `pdi config check` asks the service, with two free questions: is it there and well, and is the key good? */
import { maskKey } from '../../config/mask.ts';
import { checkHealth, type HealthReport } from '../../contract/health.ts';
import { listCompanyLists } from '../../contract/lists.ts';
import { PdiError } from '../../errors.ts';
import type { Context } from '../context.ts';
import { printPlan } from '../dry-run.ts';
import { asFailure, type Finding, failing, findingOf } from './finding.ts';

/** `--dry-run`: the two questions, unasked. */
export const planServiceCheck = (context: Context): Promise<void> =>
  printPlan<typeof checkHealth | typeof listCompanyLists>(context, [
    { endpoint: checkHealth, request: { path: {} } },
    { endpoint: listCompanyLists, request: { path: {} } },
  ]);

/**
 * The connection, both stores, the key, and what it may do. The key's question decides what fails: trouble with the health
 * check alone, a path that some gateways do not let through, is a warning.
 */
export async function serviceFindings(context: Context): Promise<readonly Finding[]> {
  const key = await findingOf('key', async () => `${maskKey(await (await context.service()).key())} found`);
  const [health, lists] = await Promise.all([askHealth(context), key.failure === undefined ? askLists(context) : undefined]);
  const asked = lists === undefined ? [] : [lists];
  return [connectionFinding(health, lists), ...storeFindings(health), key, ...asked];
}

/** The report, or why there is none. */
async function askHealth(context: Context): Promise<HealthReport | PdiError> {
  try {
    return (await (await context.client()).call(checkHealth, { path: {} })).body;
  } catch (error) {
    return asFailure(error);
  }
}

async function askLists(context: Context): Promise<Finding> {
  const asked = await findingOf('permissions', async () => {
    const { body } = await (await context.client()).call(listCompanyLists, { path: {} });
    return `the key is good; ${body.length} company lists are shared with it`;
  });
  return asked.failure?.code === 'auth' ? { ...asked, failure: withoutCircle(asked.failure) } : asked;
}

/** The usual hint of a refused key is to run this very command. */
function withoutCircle({ code, message, details }: PdiError): PdiError {
  const hint =
    details.status === 403
      ? 'ask for a key that may list company lists, or set another with `pdi config set api-key`'
      : 'set another key with `pdi config set api-key`; `pdi config list` shows where this one comes from';
  return new PdiError(code, message, { ...details, hint });
}

/** An answer with any status is an answer. */
const isAnswered = (failure: PdiError | undefined): boolean => failure === undefined || failure.details.status !== undefined;

/** Where neither question was answered, the one about the key says why. */
function connectionFinding(health: HealthReport | PdiError, lists: Finding | undefined): Finding {
  const check = 'connection';
  if (!(health instanceof PdiError)) {
    if (health.status === 'OK') return { check, status: 'ok', detail: 'the service answers' };
    return { check, status: 'warn', detail: `the service answers, and reports its status as ${health.status}` };
  }
  const reached = isAnswered(health) || (lists !== undefined && isAnswered(lists.failure));
  return reached ? { check, status: 'ok', detail: 'the service answers' } : failing(check, lists?.failure ?? health);
}

function storeFindings(health: HealthReport | PdiError): readonly Finding[] {
  const unknown = health instanceof PdiError ? `not known: ${health.message}` : 'not reported';
  const stores: Partial<HealthReport> = health instanceof PdiError ? {} : health;
  return [
    storeFinding('relational store', stores.relational_store, unknown),
    storeFinding('analytics store', stores.analytics_store, unknown),
  ];
}

const storeFinding = (check: string, status: string | null | undefined, unknown: string): Finding => ({
  check,
  status: status === 'OK' ? 'ok' : 'warn',
  detail: status ?? unknown,
});
