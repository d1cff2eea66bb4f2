/** `pdi config check` prints one line (ok, warn or fail) for each thing that a call needs. */
import { statSync } from 'node:fs';
import { configFile } from '../../config/read-config.ts';
import { PdiError } from '../../errors.ts';
import { printRows, textColumns } from '../delivery.ts';
import type { Show } from '../plan.ts';
import type { Tools } from '../tools.ts';
import { type Finding, failing, findingOf, serviceFindings } from './check-service.ts';

const oldestNode = [20, 19] as const;

interface CheckedMachine {
  readonly nodeVersion: string;
  /** The folder of the configuration. */
  readonly directory: string;
  /** @throws PdiError for a file that cannot be read as one */
  readonly readFile: () => Promise<void>;
}

/** Prints all findings, after two free questions. @throws PdiError after the report: a bad key first, otherwise the first failure */
export async function runConfigCheck(show: Show, tools: Tools, { nodeVersion, ...file }: CheckedMachine): Promise<void> {
  const findings: Finding[] = [nodeFinding(nodeVersion), ...(await fileFindings(file, tools.io.platform))];
  const baseUrl = await findingOf('base URL', async () => (await tools.service()).baseUrl);
  findings.push(baseUrl);
  if (baseUrl.failure === undefined) findings.push(...(await serviceFindings(tools)));
  const rows = findings.map(({ check, status, detail }) => ({ check, status, detail }));
  await printRows(show, tools, textColumns('check', 'status', 'detail'), rows);
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

async function fileFindings({ directory, readFile }: Omit<CheckedMachine, 'nodeVersion'>, platform: string): Promise<readonly Finding[]> {
  const file = configFile(directory);
  try {
    const open = statSync(file).mode & 0o077;
    if (platform !== 'win32' && open !== 0) {
      return [{ check: 'configuration', status: 'warn', detail: `${file} can be read by others: chmod 600 ${file}` }];
    }
    await readFile();
    return [{ check: 'configuration', status: 'ok', detail: file }];
  } catch (error) {
    if (error instanceof PdiError) return [failing('configuration', error)];
    return [{ check: 'configuration', status: 'ok', detail: `${file} does not exist: nothing is stored` }];
  }
}
