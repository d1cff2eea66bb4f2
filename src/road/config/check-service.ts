/** `pdi config check` asks the service two free questions: is it healthy, and is the key good? */
import { maskKey } from '../../config/mask.ts';
import { checkHealth, type HealthReport } from '../../contract/health.ts';
import { listCompanyLists } from '../../contract/lists.ts';
import { PdiError, pluralize } from '../../errors.ts';
import { printPlan } from '../dry-run.ts';
import type { Plan } from '../plan.ts';
import type { Tools } from '../tools.ts';

export const planServiceCheck = (plan: Plan, tools: Tools): Promise<void> =>
  printPlan<typeof checkHealth | typeof listCompanyLists>(plan, tools, [
    { endpoint: checkHealth, request: { path: {} } },
    { endpoint: listCompanyLists, request: { path: {} } },
  ]);

/** Checks connection, stores and key. A failed health check alone is a warning, because some gateways block its path. */
export async function serviceFindings(tools: Tools): Promise<readonly Finding[]> {
  const key = await findingOf('key', async () => `${maskKey(await (await tools.service()).key())} found`);
  const [health, lists] = await Promise.all([askHealth(tools), key.failure === undefined ? askLists(tools) : undefined]);
  const asked = lists === undefined ? [] : [lists];
  return [connectionFinding(health, lists), ...storeFindings(health), key, ...asked];
}

async function askHealth({ client }: Tools): Promise<HealthReport | PdiError> {
  try {
    return (await (await client()).call(checkHealth, { path: {} })).body;
  } catch (error) {
    return asFailure(error);
  }
}

async function askLists({ client }: Tools): Promise<Finding> {
  const asked = await findingOf('permissions', async () => {
    const { body } = await (await client()).call(listCompanyLists, { path: {} });
    return `the key is good; ${pluralize(body.length, 'company list')} ${body.length === 1 ? 'is' : 'are'} shared with it`;
  });
  return asked.failure?.code === 'auth' ? { ...asked, failure: withoutCircle(asked.failure) } : asked;
}

/** The usual hint for a refused key is to run this same command, so the failure gets another hint here. */
function withoutCircle({ code, message, details }: PdiError): PdiError {
  const hint =
    details.status === 403
      ? 'ask for a key that may list company lists, or set another with `pdi config set api-key`'
      : 'set another key with `pdi config set api-key`; `pdi config list` shows where this one comes from';
  return new PdiError(code, message, { ...details, hint });
}

/** An answer with an error status also shows that the service answers. */
const isAnswered = (failure: PdiError | undefined): boolean => failure === undefined || failure.details.status !== undefined;

/** If both questions got no answer, the failure of the key's question gives the reason. */
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
