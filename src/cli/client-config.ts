/** `pdi mcp --config CLIENT`: the settings that start this server, to be pasted into those of a client. */
import { camelCase } from '../config/resolve.ts';
import { allSettings, settings } from '../config/settings.ts';
import { jsonText } from '../json/write.ts';
import type { McpRules } from '../mcp/serve.ts';
import type { Choices } from './choices.ts';
import { carriedVariables, keyWords } from './client-environment.ts';
import { sandboxNumbers } from './sandbox-flags.ts';

export type McpClient = keyof typeof clients;

/** Where the settings of a client are, and which programs of that name can ask the person (elicitation). */
const clients = {
  claude: {
    place: '.mcp.json of a project (Claude Code), or claude_desktop_config.json (Claude Desktop)',
    asks: 'Claude Code (from 2.1.76) can ask the person, Claude Desktop cannot',
  },
  cursor: { place: '.cursor/mcp.json of a project, or ~/.cursor/mcp.json', asks: 'Cursor can ask the person' },
  vscode: { place: '.vscode/mcp.json of a project', asks: 'VS Code (from 1.102) can ask the person' },
} as const;

interface ClientConfig {
  readonly text: string;
  readonly remark: string;
}

/** No key is in it: the server finds the key as every command does. @throws UsageError for what the server would refuse at its start */
export function clientConfig(choices: Choices, client: McpClient, rules: McpRules, holdsKey: (text: string) => boolean): ClientConfig {
  // A profile that does not exist, or a bad setting, is told before anything is printed.
  choices.rules();
  const { node, script } = choices.io.program;
  const { env, leftOut } = carriedVariables(choices, holdsKey);
  const args = [script, ...rootArguments(choices), 'mcp', ...ownArguments(rules)];
  const server = { command: node, args, ...(Object.keys(env).length > 0 && { env }) };
  const config = client === 'vscode' ? { servers: { pdi: { type: 'stdio', ...server } } } : { mcpServers: { pdi: server } };
  const { place, asks } = clients[client];
  const lacks = leftOut.length === 0 ? [] : [`left out, because a password or key is in it: ${leftOut.join(', ')}`];
  const answers = 'where nobody can be asked, calls that may be billed are refused unless --confirm never';
  const remark = [`goes into ${place}`, ...serviceWords(choices), keyWords(choices), ...lacks, asks, answers].join('; ');
  return { text: `${jsonText(config, 2)}\n`, remark };
}

const baseUrlOf = (choices: Choices): string | undefined => (choices.sandboxed() ? undefined : choices.setting(settings.baseUrl));

const serviceWords = (choices: Choices): readonly string[] =>
  choices.sandboxed() || baseUrlOf(choices) !== undefined
    ? []
    : ['no base URL is set yet: `pdi config set base-url URL`, and print this again'];

/** The flags that were given beside --config, and the base URL in use, wherever it comes from. */
function rootArguments(choices: Choices): readonly string[] {
  const { flags } = choices;
  const given: Readonly<Record<string, unknown>> = { ...flags, baseUrl: baseUrlOf(choices) };
  const valuedFlags = allSettings.flatMap(({ name, flag }) => valued(`--${name}`, flag === undefined ? undefined : given[camelCase(name)]));
  const sandbox = sandboxNumbers.flatMap(({ name, flag }) => valued(flag, flags[name]));
  const faults = (flags.fault ?? []).flatMap((fault) => ['--fault', fault]);
  return [...switches.flatMap((name) => (given[camelCase(name)] === true ? [`--${name}`] : [])), ...valuedFlags, ...sandbox, ...faults];
}

const switches = ['sandbox', 'allow-http', 'fresh', 'retry-unknown', 'verbose'];

const valued = (flag: string, value: unknown): readonly string[] => (value === undefined ? [] : [flag, String(value)]);

const ownArguments = ({ confirm, allowChanges, readOnly, tools }: McpRules): readonly string[] => [
  ...(confirm === undefined ? [] : ['--confirm', confirm]),
  ...(allowChanges === true ? ['--allow-changes'] : []),
  ...(readOnly === true ? ['--read-only'] : []),
  ...(tools === undefined ? [] : ['--tools', tools.join(',')]),
];
