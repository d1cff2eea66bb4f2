/** `pdi mcp --config CLIENT`: the settings that start this server, to be pasted into those of a client. */
import { isAbsolute, resolve } from 'node:path';
import { postgresVariables } from '../book/postgres-address.ts';
import { checkBaseUrl } from '../config/base-url.ts';
import { findKey, keyOfAnother } from '../config/key.ts';
import { variable } from '../config/resolve.ts';
import { environmentVariables, settings } from '../config/settings.ts';
import { isPostgresUrl } from '../config/values.ts';
import { jsonText } from '../json/exact.ts';
import type { Choices } from './choices.ts';

export type McpClient = keyof typeof clients;

/** Where the settings of a client are, and which programs of that name can ask the person (elicitation). */
const clients = {
  claude: {
    place: '.mcp.json of a project (Claude Code), or claude_desktop_config.json (Claude Desktop)',
    asks: 'Claude Code (from 2.1.76) can ask the person, Claude Desktop cannot',
  },
  cursor: {
    place: '.cursor/mcp.json of a project, or ~/.cursor/mcp.json',
    asks: 'Cursor can ask the person',
  },
  vscode: {
    place: '.vscode/mcp.json of a project',
    asks: 'VS Code (from 1.102) can ask the person',
  },
} as const;

/** No key is in it: the server finds the key as every command does. @throws UsageError for what the server would refuse at its start */
export function clientConfig(
  choices: Choices,
  client: McpClient,
  holdsKey: (text: string) => boolean,
) {
  // A profile that does not exist, or a bad setting, is told before anything is printed.
  choices.rules();
  const baseUrl = choices.sandboxed() ? undefined : choices.setting(settings.baseUrl);
  if (baseUrl !== undefined) checkBaseUrl(baseUrl, choices.flags.allowHttp === true);
  const [command, ...before] = choices.io.program;
  const { env, leftOut } = carriedVariables(choices, holdsKey);
  const server = {
    command,
    args: [...before, ...serverArguments(choices, baseUrl)],
    ...(Object.keys(env).length > 0 && { env }),
  };
  const config =
    client === 'vscode'
      ? { servers: { pdi: { type: 'stdio', ...server } } }
      : { mcpServers: { pdi: server } };
  const { place, asks } = clients[client];
  const isUnset = !choices.sandboxed() && baseUrl === undefined;
  const service = isUnset
    ? ['no base URL is set yet: `pdi config set base-url URL`, and print this again']
    : [];
  const lacks =
    leftOut.length === 0
      ? []
      : [`left out, because a password or key is in it: ${leftOut.join(', ')}`];
  const answers =
    'in a client that cannot ask the person, calls that may be billed are refused, except with --confirm never';
  const remark = [
    `goes into ${place}`,
    ...service,
    keyWords(choices),
    ...lacks,
    asks,
    answers,
  ].join('; ');
  return { text: `${jsonText(config, 2)}\n`, remark };
}

/** The command line again: without what asks for this, and with the base URL that it would find in a variable or a profile. */
function serverArguments({ argv }: Choices, baseUrl: string | undefined): readonly string[] {
  const service =
    baseUrl === undefined || argv.some((word) => /^--base-url(?:=|$)/.test(word))
      ? []
      : ['--base-url', baseUrl];
  const isHere = (word: string, at: number): boolean =>
    !/^--config(?:=|$)/.test(word) && argv[at - 1] !== '--config';
  return [...service, ...argv.filter(isHere)];
}

/** These hold a path, or (the book) perhaps a URL. */
const paths = new Set([
  ...['PDI_API_KEY_FILE', 'PDI_BOOK', 'PDI_CONFIG_DIR', 'NODE_EXTRA_CA_CERTS'],
  ...['PGPASSFILE', 'PGSSLROOTCERT', 'PGSSLCERT', 'PGSSLKEY', 'PGSSLCRL'],
]);
/** The base URL is an argument; the key is never printed; the others are of a terminal. */
const notCarried = new Set([
  'PDI_BASE_URL',
  'PDI_API_KEY',
  'NO_COLOR',
  'FORCE_COLOR',
  'TERM=dumb',
  'PAGER',
  'CI',
]);

/** A client starts the server in another folder and without a shell. `leftOut` names the variables that hold a password or a key. */
function carriedVariables(choices: Choices, holdsKey: (text: string) => boolean) {
  const { env } = choices.io;
  const carried: Record<string, string> = {};
  const leftOut: string[] = [];
  for (const name of namesToCarry(choices)) {
    const value = variable(env, name);
    if (value === undefined) continue;
    const whole = wholeValue(name, value, choices);
    if (holdsPassword(name, value) || holdsKey(value)) leftOut.push(name);
    else if (whole !== undefined) carried[name] = whole;
  }
  return { env: carried, leftOut };
}

function namesToCarry(choices: Choices): readonly string[] {
  const known = environmentVariables
    .flatMap(([names]) => names.split(', '))
    .filter((name) => !notCarried.has(name) && !name.startsWith('PG'));
  // A program that gives the key is found as in this shell.
  const path = findKey(choices.keyPlaces())?.source === 'key-command' ? ['PATH'] : [];
  const lowerCase = known
    .filter((name) => name.endsWith('_PROXY'))
    .map((name) => name.toLowerCase());
  const ofBook = isPostgresUrl(choices.setting(settings.book) ?? '') ? postgresVariables : [];
  return [...known, ...lowerCase, ...path, ...ofBook];
}

/** Gives nothing for what pdi ignores, or cannot read another time. */
function wholeValue(name: string, value: string, { io }: Choices): string | undefined {
  if (name.startsWith('XDG_')) return isAbsolute(value) ? value : undefined;
  if (!paths.has(name) || value.includes('://')) return value;
  if (isPassing(value)) return undefined;
  return isAbsolute(value) ? value : resolve(io.currentDirectory(), value);
}

/** A shell makes such a file for one command: `<(command)`; the stdin of the server is its client's. */
const isPassing = (path: string): boolean => /^\/(?:dev\/stdin$|dev\/fd\/|proc\/)/.test(path);

/** Before the host or among the parameters of an address. A proxy's may lack its scheme, and its user alone may be a token. */
const holdsPassword = (name: string, value: string): boolean =>
  name === 'PGPASSWORD' ||
  ((value.includes('://') || /_proxy$/i.test(name)) &&
    (/:(?!\/\/)[^@\s]*@/.test(value) ||
      /^(?!postgres)(?:[a-z][\w+.-]*:\/\/)?[^/\s]*@/i.test(value) ||
      /pass(?:word|wd)?=/i.test(value)));

function keyWords(choices: Choices): string {
  if (choices.sandboxed()) return 'the sandbox needs no key';
  const profile = `profile ${choices.profile().name}`;
  const store = '`pdi config set api-key` stores one';
  const places = choices.keyPlaces();
  const found = findKey(places);
  if (found === undefined) {
    const other = keyOfAnother(places);
    return other === undefined
      ? `there is no key yet: ${store}`
      : `${other.message}: ${other.details.hint}`;
  }
  const { source, text } = found;
  if (source === 'PDI_API_KEY')
    return `the key of PDI_API_KEY is not in it: give the client that variable by itself, or let pdi store the key (${store})`;
  if (source === 'key-command') return `the server gets the key from the key-command of ${profile}`;
  if (source === 'api-key') return `the server finds the key in ${profile}, where it is stored`;
  return isPassing(text)
    ? `the key is not in it, and ${text} ends with this command: ${store}`
    : 'the server reads the key from the file that PDI_API_KEY_FILE names';
}
