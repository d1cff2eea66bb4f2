/** `pdi config check`: what stands between the user and an answer, one line each: ok, warn or fail. */
import { statSync } from 'node:fs';
import { maskKey } from '../config/mask.ts';
import { configFile } from '../config/store.ts';
import type { Context } from '../context.ts';
import { checkHealth } from '../contract/health.ts';
import { listCompanyLists } from '../contract/lists.ts';
import { PdiError } from '../errors.ts';
import { printRows, textColumns } from './print-rows.ts';

/** One line of the report. */
interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** Why the command fails, where it does. */
  readonly failure?: PdiError;
}

/** The oldest Node that pdi is tested with. */
const oldestNode = [20, 19] as const;

/**
 * Prints all findings: Node, files, base URL, the way there, both stores, the key and what it may do. Asks two free
 * questions (health, company lists).
 * @throws PdiError the first failure, after the report
 */
export async function runDoctor(context: Context): Promise<void> {
  const findings: Finding[] = [nodeFinding(context.io.nodeVersion), ...fileFindings(context)];
  const baseUrl = await attempt('base URL', async () => (await context.service()).baseUrl);
  findings.push(baseUrl);
  if (baseUrl.failure === undefined) {
    findings.push(...(await healthFindings(context)));
    const key = await attempt('key', async () => `${maskKey(await (await context.service()).key())} found`);
    findings.push(key);
    if (key.failure === undefined) findings.push(await permissionFinding(context));
  }
  const rows = findings.map(({ check, status, detail }) => ({ check, status, detail }));
  await printRows(context, textColumns('check', 'status', 'detail'), rows);
  const failed = findings.find(({ failure }) => failure !== undefined);
  if (failed?.failure !== undefined) throw failed.failure;
}

async function attempt(check: string, find: () => Promise<string>): Promise<Finding> {
  try {
    return { check, status: 'ok', detail: await find() };
  } catch (error) {
    return failing(check, error);
  }
}

function failing(check: string, error: unknown): Finding {
  if (!(error instanceof PdiError)) throw error;
  return { check, status: 'fail', detail: error.message, failure: error };
}

function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const recent = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
  return {
    check: 'node',
    status: recent ? 'ok' : 'warn',
    detail: recent ? version : `${version}; pdi is made for ${oldestNode.join('.')} and later`,
  };
}

function fileFindings(context: Context): readonly Finding[] {
  const file = configFile(context.configDirectory());
  try {
    const open = statSync(file).mode & 0o077;
    if (context.io.platform !== 'win32' && open !== 0) {
      return [{ check: 'configuration', status: 'warn', detail: `${file} can be read by others: chmod 600 ${file}` }];
    }
    context.config();
    return [{ check: 'configuration', status: 'ok', detail: file }];
  } catch (error) {
    if (error instanceof PdiError) return [failing('configuration', error)];
    return [{ check: 'configuration', status: 'ok', detail: `${file} does not exist: nothing is stored` }];
  }
}

/** The way to the service (name, connection, certificate), and its stores. */
async function healthFindings(context: Context): Promise<readonly Finding[]> {
  try {
    const client = await context.client();
    const { body } = await client.call(checkHealth, { path: {} });
    const stores = [
      ['relational store', body.relational_store],
      ['analytics store', body.analytics_store],
    ] as const;
    return [
      { check: 'connection', status: 'ok', detail: 'the service answers' },
      ...stores.map(([check, status]) => storeFinding(check, status)),
    ];
  } catch (error) {
    return [failing('connection', error)];
  }
}

function storeFinding(check: string, status: string | null | undefined): Finding {
  if (status === 'OK') return { check, status: 'ok', detail: 'OK' };
  if (status === undefined || status === null) return { check, status: 'warn', detail: 'not reported' };
  const failure = new PdiError('unavailable', `the service reports its ${check} as ${status}`, {
    billed: 'no',
    retryable: true,
    hint: 'try again later',
  });
  return { check, status: 'fail', detail: status, failure };
}

/** One free question that needs a good key: is it valid, and may it ask? */
async function permissionFinding(context: Context): Promise<Finding> {
  return attempt('permissions', async () => {
    const client = await context.client();
    const { body } = await client.call(listCompanyLists, { path: {} });
    return `the key is good; ${body.length} company lists are shared with it`;
  });
}
