/** `pdi mcp --config CLIENT` prints the settings that start this server, to be pasted into those of a client. */
import { sandboxNumbers } from '../../cli/sandbox-flags.ts';
import { camelCase } from '../../config/resolve.ts';
import { allSettings } from '../../config/settings.ts';
import { jsonText } from '../../json/write.ts';
import type { Context } from '../context.ts';
import { printText } from '../print.ts';
import type { McpFlags } from './serve.ts';

type McpClient = keyof typeof places;

const places = {
  claude: '.mcp.json of a project (Claude Code), or claude_desktop_config.json (Claude Desktop)',
  cursor: '.cursor/mcp.json of a project, or ~/.cursor/mcp.json',
  vscode: '.vscode/mcp.json of a project',
} as const;

/** No key is in it: the server finds the key as every command does. */
export async function printClientConfig(context: Context, client: McpClient, flags: McpFlags): Promise<void> {
  // A profile that does not exist is told before anything is printed.
  context.profile();
  const server = { command: 'pdi', args: [...rootArguments(context), 'mcp', ...ownArguments(flags)] };
  const config = client === 'vscode' ? { servers: { pdi: { type: 'stdio', ...server } } } : { mcpServers: { pdi: server } };
  await printText(context, `${jsonText(config, 2)}\n`, context.flags.out);
  context.notice(`goes into ${places[client]}`);
}

/** The flags that were given beside --config; settings without a flag come from the profile when the server starts. */
function rootArguments({ flags }: Context): readonly string[] {
  const given: Readonly<Record<string, unknown>> = { ...flags };
  const settings = allSettings.flatMap(({ name, flag }) => valued(`--${name}`, flag === undefined ? undefined : given[camelCase(name)]));
  const sandbox = sandboxNumbers.flatMap(({ name, flag }) => valued(flag, flags[name]));
  const faults = (flags.fault ?? []).flatMap((fault) => ['--fault', fault]);
  return [...switches.flatMap((name) => (given[camelCase(name)] === true ? [`--${name}`] : [])), ...settings, ...sandbox, ...faults];
}

const switches = ['sandbox', 'allow-http', 'fresh', 'retry-unknown', 'verbose'];

const valued = (flag: string, value: unknown): readonly string[] => (value === undefined ? [] : [flag, String(value)]);

const ownArguments = ({ confirm, allowChanges, readOnly, tools }: McpFlags): readonly string[] => [
  ...(confirm === undefined ? [] : ['--confirm', confirm]),
  ...(allowChanges === true ? ['--allow-changes'] : []),
  ...(readOnly === true ? ['--read-only'] : []),
  ...(tools === undefined ? [] : ['--tools', tools.join(',')]),
];
