/** Where a book on PostgreSQL is: its URL and the variables of libpq, read as libpq reads them; what pdi cannot obey is refused by name. Pure. */
import { posix, win32 } from 'node:path';
import { attempt, listed, UsageError } from '../errors.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** What of this machine libpq looks at. */
export interface Machine {
  readonly platform: string;
  /** Undefined where the system has no name for its user. */
  readonly user: string | undefined;
  readonly home: string | undefined;
  readonly isThere: (path: string) => boolean;
}

export interface PostgresHost {
  /** As TLS and messages call it. */
  readonly name: string;
  readonly port: number;
  /** As the password file calls it. */
  readonly inPassfile: string;
  readonly to: { readonly path: string } | { readonly host: string; readonly port: number };
  readonly sslmode: string;
  /** In this order, where the server refuses the first. */
  readonly ways: readonly ('plain' | 'tls')[];
  /** What of the server's certificate must be right. */
  readonly checked: 'nothing' | 'authority' | 'name';
}

export interface PostgresAddress {
  readonly hosts: readonly PostgresHost[];
  readonly user: string;
  readonly database: string;
  readonly password: string | undefined;
  readonly passfile: string | undefined;
  readonly applicationName: string;
  readonly options: string | undefined;
  readonly connectMs: number;
  /** Paths; `root` may be the word `system`. */
  readonly root: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  readonly revoked: string | undefined;
}

const modes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];
const any = undefined;
const none: readonly string[] = [];

/**
 * What libpq takes from a URL, with its variable. Where the values are listed, pdi obeys these alone: another would change whom it
 * talks to, or how safely. What changes neither (keepalives, encodings) may say anything.
 */
const parameters = {
  host: ['PGHOST', any],
  hostaddr: ['PGHOSTADDR', any],
  port: ['PGPORT', any],
  dbname: ['PGDATABASE', any],
  user: ['PGUSER', any],
  passfile: ['PGPASSFILE', any],
  connect_timeout: ['PGCONNECT_TIMEOUT', any],
  application_name: ['PGAPPNAME', any],
  fallback_application_name: ['', any],
  options: ['PGOPTIONS', any],
  sslmode: ['PGSSLMODE', modes],
  sslrootcert: ['PGSSLROOTCERT', any],
  sslcert: ['PGSSLCERT', any],
  sslkey: ['PGSSLKEY', any],
  sslcrl: ['PGSSLCRL', any],
  target_session_attrs: ['PGTARGETSESSIONATTRS', ['any', 'read-write', 'primary']],
  channel_binding: ['PGCHANNELBINDING', ['disable', 'prefer']],
  gssencmode: ['PGGSSENCMODE', ['disable', 'prefer']],
  load_balance_hosts: ['PGLOADBALANCEHOSTS', ['disable']],
  min_protocol_version: ['PGMINPROTOCOLVERSION', ['3.0']],
  oauth_client_id: ['', none],
  oauth_client_secret: ['', none],
  oauth_issuer: ['', none],
  oauth_scope: ['', none],
  replication: ['', ['false', 'off', 'no', '0']],
  require_auth: ['PGREQUIREAUTH', none],
  requirepeer: ['PGREQUIREPEER', none],
  requiressl: ['PGREQUIRESSL', ['0']],
  scram_client_key: ['', none],
  scram_server_key: ['', none],
  service: ['PGSERVICE', none],
  servicefile: ['', none],
  ssl_max_protocol_version: ['PGSSLMAXPROTOCOLVERSION', ['TLSv1.3']],
  ssl_min_protocol_version: ['PGSSLMINPROTOCOLVERSION', ['TLSv1', 'TLSv1.1', 'TLSv1.2']],
  sslcertmode: ['PGSSLCERTMODE', ['allow']],
  sslcrldir: ['PGSSLCRLDIR', none],
  sslkeylogfile: ['', none],
  sslnegotiation: ['PGSSLNEGOTIATION', ['postgres']],
  sslsni: ['PGSSLSNI', ['1']],
  client_encoding: ['', any],
  gssdelegation: ['', any],
  gsslib: ['', any],
  keepalives: ['', any],
  keepalives_count: ['', any],
  keepalives_idle: ['', any],
  keepalives_interval: ['', any],
  krbsrvname: ['', any],
  max_protocol_version: ['', any],
  sslcompression: ['', any],
  tcp_user_timeout: ['', any],
} satisfies Record<string, readonly [variable: string, values: readonly string[] | undefined]>;

type Parameter = keyof typeof parameters;

const isParameter = (name: string): name is Parameter => Object.hasOwn(parameters, name);

/** The variables that are obeyed: the others are refused where they matter. */
export const postgresVariables: readonly string[] = [
  ...Object.values(parameters).flatMap(([variable]) => (variable === '' ? [] : [variable])),
  'PGPASSWORD',
];

const form = 'postgres://USER@HOST:PORT/DATABASE';

/** No part of the URL is repeated in a message, because a password may stand where it does not belong. */
const refused = (problem: string, hint = `write it as ${form}`): UsageError =>
  new UsageError(`the address of the book ${problem}`, { hint });

const holdsPassword = (): UsageError =>
  refused(
    'has a password in it, which would be stored and shown',
    `leave it out (${form}), and set PGPASSWORD or write a line of ~/.pgpass`,
  );

function decoded(text: string): string {
  const plain = attempt(() => decodeURIComponent(text));
  if (plain === undefined || plain.includes('\0')) throw refused('has a % that begins no byte');
  return plain;
}

/** What the URL says, by libpq's names. @throws UsageError for a password, and for what libpq does not know or pdi does not obey */
export function readPostgresUrl(url: string): ReadonlyMap<Parameter, string> {
  const [, credentials = '', behind] = /^postgres(?:ql)?:\/\/(?:([^@/]*)@)?(.*)$/s.exec(url) ?? [];
  if (behind === undefined) throw refused('does not begin with postgres://');
  const [, user = '', password = ''] = /^([^:]*):?(.*)$/s.exec(credentials) ?? [];
  // With a / in it, libpq would take the rest of a password for the database.
  if (password !== '' || /^[^?]*:[^?]*@/.test(behind)) throw holdsPassword();
  const { hosts, ports, rest } = hostsIn(behind);
  const [, database = '', query = ''] = /^(?:\/([^?]*))?(?:\?(.*))?$/s.exec(rest) ?? [];
  const found = new Map<Parameter, string>();
  for (const [name, text] of [
    ['user', user],
    ['host', hosts],
    ['port', ports],
    ['dbname', database],
  ] as const)
    if (text !== '') found.set(name, decoded(text));
  for (const pair of query === '' ? [] : query.split('&')) {
    const [name, value] = parameterIn(pair);
    found.set(name, value);
  }
  return found;
}

/** Lists with commas. An IPv6 address stands in brackets. */
function hostsIn(text: string): { hosts: string; ports: string; rest: string } {
  const [hosts, ports]: [string[], string[]] = [[], []];
  for (let rest = text; ; ) {
    const found = /^(?:\[([^\]]+)\](?=[:/?,]|$)|(?!\[)([^:/?,]*))(?::([^/?,]*))?(,?)/.exec(rest);
    if (found === null) throw refused('has a bracket [ without its end');
    const [whole, address, name, port, comma] = found;
    hosts.push(address ?? name ?? '');
    ports.push(port ?? '');
    rest = rest.slice(whole.length);
    if (comma !== ',') return { hosts: joined(hosts), ports: joined(ports), rest };
  }
}

/** Nothing, where all are missing. */
const joined = (parts: readonly string[]): string =>
  parts.every((part) => part === '') && parts.length === 1 ? '' : parts.join(',');

function parameterIn(pair: string): readonly [Parameter, string] {
  const [written = '', value, ...more] = pair.split('=');
  if (value === undefined || more.length > 0)
    throw refused('has a parameter that is not of the form NAME=VALUE');
  const [name, text] = [decoded(written), decoded(value)];
  if (name === 'password' || name === 'sslpassword') throw holdsPassword();
  // JDBC writes it so, and libpq takes it.
  if (name === 'ssl' && text === 'true') return ['sslmode', 'require'];
  if (!isParameter(name))
    throw refused(`has a parameter that libpq does not know: ${listed([name])}`);
  refuseUnlessObeyed(name, name, text);
  return [name, text];
}

function refuseUnlessObeyed(name: Parameter, place: string, text: string): void {
  const [, values] = parameters[name];
  if (text === '' || values === undefined || values.includes(text)) return;
  const known = values.length === 0 ? '' : `, but for ${values.join(', ')}`;
  throw new UsageError(`pdi does not obey ${place} as libpq does${known}`, {
    item: place,
    hint: `leave ${place} out, or see \`pdi help team\``,
  });
}

/** What is said of a parameter: in the URL, else by its variable. */
class Given {
  constructor(
    private readonly written: ReadonlyMap<Parameter, string>,
    private readonly variables: Variables,
  ) {
    for (const name of Object.keys(parameters).filter(isParameter)) {
      const [variable] = parameters[name];
      if (!written.has(name)) refuseUnlessObeyed(name, variable, variables[variable] ?? '');
    }
  }

  of(name: Parameter): string | undefined {
    return (this.written.get(name) ?? this.variables[parameters[name][0]]) || undefined;
  }

  /** Several hosts, and what belongs to each, stand in lists with commas. */
  list(name: Parameter): readonly string[] {
    return this.of(name)?.split(',') ?? [];
  }

  bad(name: Parameter, problem: string): UsageError {
    const [variable] = parameters[name];
    if (this.written.has(name)) return refused(`has ${problem}`);
    return new UsageError(`${variable}: this is ${problem}`, {
      item: variable,
      hint: `change ${variable} or unset it`,
    });
  }
}

/** Where and how to connect. @throws UsageError */
export function postgresAddress(
  url: string,
  variables: Variables,
  machine: Machine,
): PostgresAddress {
  const given = new Given(readPostgresUrl(url), variables);
  const user = given.of('user') ?? machine.user;
  if (user === undefined) throw refused('names no role, and the system has no name for this user');
  const folder = folderOf(machine, variables);
  const inFolder = (name: string): string | undefined =>
    folder === undefined || !machine.isThere(`${folder}/${name}`) ? undefined : `${folder}/${name}`;
  const root = given.of('sslrootcert') ?? inFolder('root.crt');
  const hosts = hostsOf({ parameters: given, machine, root });
  refuseMissingRoot(hosts, root, machine);
  return {
    hosts,
    user,
    database: given.of('dbname') ?? user,
    password: variables.PGPASSWORD || undefined,
    passfile: given.of('passfile') ?? passfileOf(machine, folder),
    applicationName: given.of('application_name') ?? given.of('fallback_application_name') ?? 'pdi',
    options: given.of('options'),
    connectMs: timeoutOf(given),
    root,
    certificate: given.of('sslcert') ?? inFolder('postgresql.crt'),
    key: given.of('sslkey') ?? inFolder('postgresql.key'),
    revoked: given.of('sslcrl') ?? inFolder('root.crl'),
  };
}

function folderOf({ platform, home }: Machine, { APPDATA }: Variables): string | undefined {
  if (platform === 'win32')
    return APPDATA === undefined ? undefined : win32.join(APPDATA, 'postgresql');
  return home === undefined ? undefined : posix.join(home, '.postgresql');
}

function passfileOf({ platform, home }: Machine, folder?: string): string | undefined {
  if (platform === 'win32') return folder && win32.join(folder, 'pgpass.conf');
  return home && posix.join(home, '.pgpass');
}

interface LookedAt {
  readonly parameters: Given;
  readonly machine: Machine;
  readonly root: string | undefined;
}

function hostsOf(by: LookedAt): readonly PostgresHost[] {
  const { parameters } = by;
  const [names, addresses] = [parameters.list('host'), parameters.list('hostaddr')];
  const ports = parameters.list('port').map((text) => portOf(text, parameters));
  const count = addresses.length || names.length || 1;
  if (names.length > 0 && names.length !== count)
    throw parameters.bad('hostaddr', 'another number of addresses than there are hosts');
  if (ports.length > 1 && ports.length !== count)
    throw parameters.bad('port', 'another number of ports than there are hosts');
  return Array.from({ length: count }, (_, at) => {
    const port = ports[ports.length === 1 ? 0 : at] ?? defaultPort;
    return hostOf(names[at] ?? '', addresses[at] ?? '', port, by);
  });
}

const defaultPort = 5432;

function portOf(text: string, parameters: Given): number {
  if (text === '') return defaultPort;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw parameters.bad('port', 'no port, a number from 1 to 65535');
  return port;
}

const isAddress = (text: string): boolean =>
  /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f.]*:[\da-f:.]+(?:%\w+)?)$/i.test(text);

function hostOf(name: string, address: string, port: number, by: LookedAt): PostgresHost {
  const usual = usualHost(by.machine);
  const host = name || address || usual;
  if (address === '' && host.startsWith('/')) {
    const to = { path: posix.join(host, `.s.PGSQL.${port}`) };
    const inPassfile = host === usual ? 'localhost' : host;
    // Over a socket there is no TLS, whatever is asked.
    const plain = { sslmode: 'disable', ways: ['plain'], checked: 'nothing' } as const;
    return { name: host, port, inPassfile, to, ...plain };
  }
  if (address !== '' && !isAddress(address))
    throw by.parameters.bad('hostaddr', 'no address of IP');
  const reached = address || host;
  const sslmode = modeOf(reached, by);
  const to = { host: reached, port };
  const checked = checkedBy(sslmode, by.root);
  return { name: host, port, inPassfile: host, to, sslmode, ways: waysOf(sslmode), checked };
}

/** Debian's libpq has its socket in the first of the folders, any other in the second. */
function usualHost({ platform, isThere }: Machine): string {
  if (platform === 'win32') return 'localhost';
  return isThere('/var/run/postgresql') ? '/var/run/postgresql' : '/tmp';
}

const isThisMachine = (host: string): boolean =>
  /^(?:(?:.*\.)?localhost\.?|127\.\d+\.\d+\.\d+|::1)$/i.test(host);

/** Between machines libpq would fall back to plain text without a word: here only `disable` allows it, and what is weaker than `require` is raised. */
function modeOf(host: string, { parameters, root }: LookedAt): string {
  const asked = parameters.of('sslmode');
  if (root === 'system') {
    if (asked !== undefined && asked !== 'verify-full')
      throw parameters.bad(
        'sslmode',
        'an sslmode other than verify-full, which sslrootcert=system wants',
      );
    return 'verify-full';
  }
  if (isThisMachine(host)) return asked ?? 'prefer';
  return asked === undefined || asked === 'allow' || asked === 'prefer' ? 'require' : asked;
}

function waysOf(sslmode: string): PostgresHost['ways'] {
  if (sslmode === 'disable') return ['plain'];
  if (sslmode === 'allow') return ['plain', 'tls'];
  return sslmode === 'prefer' ? ['tls', 'plain'] : ['tls'];
}

/** Where a certificate of an authority is at hand, libpq checks by it, whatever the mode. */
function checkedBy(sslmode: string, root: string | undefined): PostgresHost['checked'] {
  if (sslmode === 'verify-full') return 'name';
  return sslmode === 'verify-ca' || root !== undefined ? 'authority' : 'nothing';
}

function refuseMissingRoot(
  hosts: readonly PostgresHost[],
  root: string | undefined,
  { isThere }: Machine,
): void {
  const wanted = hosts.find(({ ways, checked }) => ways.includes('tls') && checked !== 'nothing');
  if (wanted === undefined || root === 'system' || (root !== undefined && isThere(root))) return;
  const { sslmode } = wanted;
  throw new UsageError(
    root === undefined
      ? `sslmode=${sslmode} needs the certificate of the authority that signed the server's`
      : `sslrootcert: there is no file ${root}`,
    {
      item: root ?? 'sslrootcert',
      hint: 'name its file with PGSSLROOTCERT or ?sslrootcert=FILE (~/.postgresql/root.crt), or say ?sslrootcert=system for a public authority',
    },
  );
}

const defaultConnectMs = 15_000;

/** Seconds, as libpq takes them: nothing, 0 and less are no limit there, and 1 is 2. */
function timeoutOf(parameters: Given): number {
  const text = parameters.of('connect_timeout') ?? '';
  if (!/^\s*(?:[+-]?\d{1,6})?\s*$/.test(text))
    throw parameters.bad('connect_timeout', 'no number of seconds to wait for a connection');
  const seconds = Number(text);
  return seconds > 0 ? Math.max(2, seconds) * 1000 : defaultConnectMs;
}

const field = String.raw`((?:\\.|[^\\:])*)`;
const passfileLine = new RegExp(`^${field}:${field}:${field}:${field}:(.*)$`);
const unescaped = (text: string): string => text.replace(/\\(.)/g, '$1');

/** The password in a file such as ~/.pgpass: that of the first line that fits. */
export function passwordIn(
  passfile: string,
  { user, database }: PostgresAddress,
  { inPassfile, port }: PostgresHost,
): string | undefined {
  const wanted = [inPassfile, String(port), database, user];
  for (const line of passfile.split(/\r*\n/)) {
    const fields = line.startsWith('#') ? null : passfileLine.exec(line);
    const password = fields?.[5];
    const fits = wanted.every((text, at) => {
      const written = fields?.[at + 1] ?? '';
      return written === '*' || unescaped(written) === text;
    });
    if (password !== undefined && fits) return unescaped(password.replace(/\r+$/, ''));
  }
  return undefined;
}

/** The book as messages name it. */
export function placeOf({ user, database }: PostgresAddress, host: PostgresHost): string {
  const [who, what] = [encodeURIComponent(user), encodeURIComponent(database)];
  if ('path' in host.to) return `postgres://${who}@/${what}?host=${host.name}&port=${host.port}`;
  const name = host.name.includes(':') ? `[${host.name}]` : host.name;
  return `postgres://${who}@${name}:${host.port}/${what}`;
}
