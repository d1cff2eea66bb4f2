/** `pdi config check` prints one line (ok, warn or fail) for each thing that a call needs. */
import { statSync } from 'node:fs';
import { configFile } from '../../config/read-config.ts';
import { PdiError } from '../../errors.ts';
import type { Context } from '../context.ts';
import { printRows, textColumns } from '../print.ts';
import { planServiceCheck, serviceFindings } from './check-service.ts';
import { type Finding, failing, findingOf } from './finding.ts';

const oldestNode = [20, 19] as const;

/** Prints all findings, after two free questions. @throws PdiError after the report: a bad key first, otherwise the first failure */
export async function runConfigCheck(context: Context): Promise<void> {
  if (context.flags.dryRun === true) return planServiceCheck(context);
  const findings: Finding[] = [nodeFinding(context.io.nodeVersion), ...(await fileFindings(context))];
  const baseUrl = await findingOf('base URL', async () => (await context.service()).baseUrl);
  findings.push(baseUrl);
  if (baseUrl.failure === undefined) findings.push(...(await serviceFindings(context)));
  const rows = findings.map(({ check, status, detail }) => ({ check, status, detail }));
  await printRows(context, textColumns('check', 'status', 'detail'), rows);
  const failures = findings.flatMap(({ failure }) => failure ?? []);
  const [failure] = [...failures.filter(({ code }) => code === 'auth'), ...failures];
  if (failure !== undefined) throw failure;
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

async function fileFindings(context: Context): Promise<readonly Finding[]> {
  const file = configFile(context.configDirectory());
  try {
    const open = statSync(file).mode & 0o077;
    if (context.io.platform !== 'win32' && open !== 0) {
      return [{ check: 'configuration', status: 'warn', detail: `${file} can be read by others: chmod 600 ${file}` }];
    }
    await context.openConfig();
    context.config();
    return [{ check: 'configuration', status: 'ok', detail: file }];
  } catch (error) {
    if (error instanceof PdiError) return [failing('configuration', error)];
    return [{ check: 'configuration', status: 'ok', detail: `${file} does not exist: nothing is stored` }];
  }
}
