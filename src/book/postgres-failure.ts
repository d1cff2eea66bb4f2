/** Why a book on PostgreSQL cannot be used, in words that say what to do: every failure of its server is of one class. */
import { type FailureDetails, PdiError, systemCodeOf } from '../errors.ts';
import type { FailureCode } from '../exit.ts';
import { type PostgresAddress, type PostgresHost, placeOf } from './postgres-address.ts';

/** Nothing that may be billed can be sent: it ends a job at once. */
export class BookAway extends PdiError {
  /** It is a failure of the way to the server, or of its hour: the next try may find it gone. */
  get passes(): boolean {
    return this.details.retryable === true;
  }

  /** The server's own code, such as 42P01; undefined where it said nothing. */
  get sqlState(): string | undefined {
    return isOfServer(this.details.cause) ? this.details.cause.code : undefined;
  }

  override with(details: FailureDetails): BookAway {
    return new BookAway(this.code, this.message, { ...this.details, ...details });
  }
}

interface ServerError extends Error {
  readonly code: string;
  /** A pooler tells no other. */
  readonly severity_local: string;
}

export const isOfServer = (error: unknown): error is ServerError =>
  error instanceof Error &&
  'severity_local' in error &&
  typeof error.severity_local === 'string' &&
  systemCodeOf(error) !== undefined;

/** The server has ended the connection with it. It may say so in its own language. */
export const isLastWord = (error: ServerError): boolean =>
  /^(?:FATAL|PANIC)$/.test('severity' in error ? String(error.severity) : error.severity_local);

/** What we find out ourselves on the way has a code as the system's errors have. */
export const trouble = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code });

/** Failures after which the next host of several is asked, as libpq does: it is not reached, or not the one. */
export const isOfHost = (error: unknown): boolean =>
  !isOfServer(error)
    ? /^(?:E(?!RR_|ACCES|PROTO)|CONN|NO_ANSWER|STANDBY)/.test(systemCodeOf(error) ?? '')
    : error.code === '57P03';

export interface Circumstances {
  readonly address: PostgresAddress;
  readonly host: PostgresHost;
  /** The server asked for a password, and there was none. */
  readonly lacksPassword: boolean;
  /** Of the statement. */
  readonly text: string;
}

interface Complaint {
  readonly code: FailureCode;
  readonly reason: string;
  readonly hint: string;
  readonly passes?: true;
}

/** What is no failure of the server or of the way to it stays as it is. */
export function awayBy(error: unknown, circumstances: Circumstances): unknown {
  if (error instanceof PdiError) return new BookAway(error.code, error.message, error.details);
  const told = isOfServer(error)
    ? toldByServer(error, circumstances)
    : toldByWay(error, circumstances);
  if (told === undefined) return error;
  const { code, reason, hint, passes } = told;
  const place = placeOf(circumstances.address, circumstances.host);
  return new BookAway(code, `cannot use the book ${place}: ${reason}`, {
    item: place,
    billed: 'no',
    retryable: passes === true,
    endsJob: true,
    hint,
    ...(passes && { rerun: 'run the command again' }),
    cause: error,
  });
}

const away = (reason: string): Complaint => ({
  code: 'unavailable',
  reason,
  hint: 'nothing more was sent; see that the server runs there, and that this machine reaches it',
  passes: true,
});

const onlyReads: Complaint = {
  code: 'unavailable',
  reason: 'this server only reads, and a book is written',
  hint: 'name the server that writes, or all of them with commas: postgres://HOST1,HOST2/DATABASE',
};

type ToldBy = (message: string, circumstances: Circumstances, error: ServerError) => Complaint;

/** By the beginning of the server's code (SQLSTATE). */
const byState: readonly (readonly [RegExp, ToldBy])[] = [
  [/^28/, refusedRole],
  [
    /^3D000/,
    (reason, { address }) => ({
      code: 'usage',
      reason,
      hint: `create it (createdb ${nameOf(address.database)}), or name another with PDI_BOOK or \`pdi config set book URL\``,
    }),
  ],
  [/^42501/, (...details) => lackedRight(...details)],
  [/^25006/, () => onlyReads],
  [
    /^53300/,
    (reason) => ({
      ...away(`it takes no more connections (${reason})`),
      hint: 'nothing more was sent; wait for others to end, or ask for more connections, or for a pooler such as pgbouncer',
    }),
  ],
  [
    /^53/,
    (reason) => ({ ...away(reason), hint: 'nothing more was sent; free some space on the server' }),
  ],
  [/^(?:08|40|57P0[1235])/, away],
];

function toldByServer(error: ServerError, circumstances: Circumstances): Complaint {
  const reason = error.message.replace(/\s+/g, ' ');
  const state = stateOf(error);
  const found = byState.find(([states]) => states.test(state));
  if (found !== undefined) return found[1](reason, circumstances, error);
  return { code: 'internal', reason: `${reason} (${state})`, hint: 'nothing more was sent' };
}

/** pgbouncer has one code for nearly all, and other words for what the server has said. */
const byPooler: readonly (readonly [RegExp, string])[] = [
  [/database .*does not exist|no such database/, '3D000'],
  [/no such user|role .*does not exist|auth/i, '28000'],
  [/no more connections|too many/, '53300'],
];

const stateOf = ({ code, message }: ServerError): string =>
  (code === '08P01' && byPooler.find(([words]) => words.test(message))?.[1]) || code;

function refusedRole(message: string, { address, host, lacksPassword }: Circumstances): Complaint {
  const { user, database } = address;
  const line = [host.inPassfile, String(host.port), database, user]
    .map((text) => text.replace(/[\\:]/g, '\\$&'))
    .join(':');
  const reason = lacksPassword ? `it wants a password, and there is none (${message})` : message;
  return {
    code: 'auth',
    reason,
    hint: `set PGPASSWORD or write \`${line}:PASSWORD\` into ~/.pgpass, or name another role (postgres://USER@HOST/DATABASE), or ask who runs the server to let this one in`,
  };
}

/** As SQL writes a name. */
const nameOf = (name: string): string =>
  /^[a-z_][a-z\d_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;

const lackedRight: ToldBy = (reason, { address, text }, error) => {
  const [user, database] = [nameOf(address.user), nameOf(address.database)];
  const owner = (right: string) =>
    `the owner of the database runs \`GRANT ${right} ON DATABASE ${database} TO ${user}\``;
  const makers = `whoever made the book runs \`GRANT USAGE ON SCHEMA pdi TO ${user}; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA pdi TO ${user}\``;
  const making = text.includes('CREATE SCHEMA') ? `to make the book, ${owner('CREATE')}` : makers;
  return { code: 'auth', reason, hint: isLastWord(error) ? owner('CONNECT') : making };
};

const passing: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOENT: 'no server has its socket there',
  EAI_AGAIN: 'the name server did not answer',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
};

const otherPlace =
  'check host and port of the book (PDI_BOOK, `pdi config get book`, PGHOST, PGPORT)';

const final: Readonly<Record<string, Omit<Complaint, 'reason'> & { readonly reason?: string }>> = {
  ENOTFOUND: { code: 'unavailable', reason: 'the host name is not known', hint: otherPlace },
  EACCES: {
    code: 'auth',
    reason: 'this user may not use its socket',
    hint: 'ask who runs the server, or name its host (postgres://USER@HOST/DATABASE)',
  },
  NOT_POSTGRES: { code: 'unavailable', hint: otherPlace },
  NO_TLS: {
    code: 'unavailable',
    hint: 'turn TLS on in the server (ssl = on), or accept plain text with ?sslmode=disable or PGSSLMODE=disable',
  },
  // Of several hosts another may be about to write.
  STANDBY: { ...onlyReads, passes: true },
  UNKNOWN_PROOF: {
    code: 'auth',
    hint: 'ask for a role with a password (scram-sha-256) or a client certificate',
  },
};

/** Of the way to the server: the network, or TLS. */
function toldByWay(error: unknown, { host, address }: Circumstances): Complaint | undefined {
  const code = systemCodeOf(error);
  if (!(error instanceof Error) || code === undefined) return undefined;
  const known = final[code];
  if (known !== undefined) return { ...known, reason: known.reason ?? error.message };
  if (isOfTls(code)) return toldByTls(error, code, host, address);
  if (passing[code] !== undefined) return away(passing[code]);
  if (code === 'ETIMEDOUT' || code === 'NO_ANSWER') return away(error.message);
  return /^(?:CONN|E[A-Z]+$)/.test(code) ? away('the connection was closed') : undefined;
}

const isOfTls = (code: string): boolean =>
  /^(?:ERR_(?:SSL|TLS|OSSL)|EPROTO)|CERT|CRL|UNABLE_TO/.test(code);

function toldByTls(
  error: Error,
  code: string,
  host: PostgresHost,
  address: PostgresAddress,
): Complaint {
  // OpenSSL's own line names a place in its source; what it complains of stands between.
  const complaint = / routines:[^:]*:([^:]+)/.exec(error.message)?.[1] ?? error.message;
  const reason = `TLS: ${complaint.split('\n')[0]?.replace(/\.$/, '')}`;
  const { sslmode } = host;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return {
      code: 'unavailable',
      reason,
      hint: `sslmode=${sslmode} wants this host in the certificate: name the host as it stands there, or check the authority alone with sslmode=verify-ca`,
    };
  if (code.startsWith('ERR_'))
    return {
      code: 'unavailable',
      reason,
      hint: 'the server may want a client certificate (PGSSLCERT, PGSSLKEY), or be too old for TLS 1.2',
    };
  return {
    code: 'unavailable',
    reason,
    hint: `sslmode=${sslmode} checks the certificate by ${address.root ?? 'none'}: name the file of its authority with PGSSLROOTCERT or ?sslrootcert=FILE`,
  };
}
