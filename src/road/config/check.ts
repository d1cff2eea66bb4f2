/** `pdi config check` prints one line (ok, warn or fail) for each thing that a call needs, and asks the service two free questions. */
import { existsSync, statSync } from 'node:fs';
import { maskKey } from '../../config/mask.ts';
import { configFile, readConfig } from '../../config/read-config.ts';
import { checkHealth, type HealthReport } from '../../contract/health.ts';
import { listCompanyLists } from '../../contract/lists.ts';
import { orFailureUnlessStopped, PdiError, pluralize } from '../../errors.ts';
import { printRows, reportColumns } from '../delivery.ts';
import { printPlan } from '../dry-run.ts';
import type { Plan, Show } from '../plan.ts';
import type { Tools } from '../tools.ts';

interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  readonly failure?: PdiError;
}

export const planConfigCheck = (plan: Plan, tools: Tools): Promise<void> =>
  printPlan(plan, tools, [
    { endpoint: checkHealth, request: { path: {} } },
    { endpoint: listCompanyLists, request: { path: {} } },
  ]);

/** Prints all findings; `directory` is that of the configuration. @throws PdiError after the report: a bad key first, otherwise the first failure */
export async function runConfigCheck(show: Show, tools: Tools, directory: string, nodeVersion: string): Promise<void> {
  const findings = [nodeFinding(nodeVersion), await fileFinding(configFile(directory), directory, tools.io.platform)];
  const baseUrl = await findingOf('base URL', async () => (await tools.service()).baseUrl);
  findings.push(baseUrl);
  if (baseUrl.failure === undefined) findings.push(...(await serviceFindings(tools)));
  const rows = findings.map(({ check, status, detail }) => ({ check, status, detail }));
  await printRows(show, tools, reportColumns({ check: 'text', status: 'text', detail: 'text' }), rows);
  const failures = findings.flatMap(({ failure }) => failure ?? []);
  const [failure] = [...failures.filter(({ code }) => code === 'auth'), ...failures];
  if (failure !== undefined) throw failure;
}

function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isRecent = major > 20 || (major === 20 && minor >= 19);
  const detail = isRecent ? version : `${version}; pdi is made for 20.19 and later`;
  return { check: 'node', status: isRecent ? 'ok' : 'warn', detail };
}

async function fileFinding(file: string, directory: string, platform: string): Promise<Finding> {
  const check = 'configuration';
  if (!existsSync(file)) return { check, status: 'ok', detail: `${file} does not exist: nothing is stored` };
  if (platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
    return { check, status: 'warn', detail: `${file} can be read by others: chmod 600 ${file}` };
  return findingOf(check, async () => readConfig(directory).file);
}

/** Checks connection, stores and key. A failed health check alone is a warning, because some gateways block its path. */
async function serviceFindings(tools: Tools): Promise<readonly Finding[]> {
  const key = await findingOf('key', async () => `${maskKey(await (await tools.service()).key())} found`);
  const [health, lists] = await Promise.all([askHealth(tools), key.failure === undefined ? askLists(tools) : undefined]);
  const asked = lists === undefined ? [] : [lists];
  return [connectionFinding(health, lists), ...storeFindings(health), key, ...asked];
}

const askHealth = ({ client }: Tools): Promise<HealthReport | PdiError> =>
  orFailureUnlessStopped(async () => (await (await client()).call(checkHealth, { path: {} })).body);

async function askLists({ client }: Tools): Promise<Finding> {
  const asked = await findingOf('permissions', async () => {
    const { body } = await (await client()).call(listCompanyLists, { path: {} });
    return `the key is good; ${pluralize(body.length, 'company list')} ${body.length === 1 ? 'is' : 'are'} shared with it`;
  });
  const { failure } = asked;
  if (failure?.code !== 'auth') return asked;
  // The usual hint for a refused key is to run this same command.
  const hint =
    failure.details.status === 403
      ? 'ask for a key that may list company lists, or set another with `pdi config set api-key`'
      : 'set another key with `pdi config set api-key`; `pdi config list` shows where this one comes from';
  return { ...asked, failure: failure.with({ hint }) };
}

/** If both questions got no answer, the failure of the key's question gives the reason. */
function connectionFinding(health: HealthReport | PdiError, lists: Finding | undefined): Finding {
  const check = 'connection';
  const failures = [health instanceof PdiError ? health : undefined, ...(lists === undefined ? [] : [lists.failure])];
  // An answer with an error status also shows that the service answers.
  const isReached = failures.some((failure) => failure === undefined || failure.details.status !== undefined);
  if (health instanceof PdiError && !isReached) return failing(check, lists?.failure ?? health);
  if (health instanceof PdiError || health.status === 'OK') return { check, status: 'ok', detail: 'the service answers' };
  return { check, status: 'warn', detail: `the service answers, and reports its status as ${health.status}` };
}

function storeFindings(health: HealthReport | PdiError): readonly Finding[] {
  const unknown = health instanceof PdiError ? `not known: ${health.message}` : 'not reported';
  const stores: Partial<HealthReport> = health instanceof PdiError ? {} : health;
  return (['relational', 'analytics'] as const).map((name) => {
    const status = stores[`${name}_store`];
    return { check: `${name} store`, status: status === 'OK' ? 'ok' : 'warn', detail: status ?? unknown };
  });
}

async function findingOf(check: string, find: () => Promise<string>): Promise<Finding> {
  const found = await orFailureUnlessStopped(find);
  return found instanceof PdiError ? failing(check, found) : { check, status: 'ok', detail: found };
}

const failing = (check: string, failure: PdiError): Finding => ({ check, status: 'fail', detail: failure.message, failure });
