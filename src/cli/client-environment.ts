/** Decides which variables of this shell a client gives to the server that it starts: it starts it in another folder, and has no shell. */
import { isAbsolute, resolve } from 'node:path';
import { variable } from '../config/resolve.ts';
import { environmentVariables } from '../config/settings.ts';
import type { Choices } from './choices.ts';
import { keyFound } from './settings-shown.ts';

/** These hold a path, or (the book) perhaps a URL. */
const paths = new Set(['PDI_API_KEY_FILE', 'PDI_BOOK', 'PDI_CONFIG_DIR', 'NODE_EXTRA_CA_CERTS']);
/** The base URL is an argument; the key is never printed; the others are of a terminal. */
const notCarried = new Set(['PDI_BASE_URL', 'PDI_API_KEY', 'NO_COLOR', 'FORCE_COLOR', 'TERM=dumb', 'CI']);

interface CarriedVariables {
  readonly env: Readonly<Record<string, string>>;
  /** The names of those that hold a password or a key. */
  readonly leftOut: readonly string[];
}

interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** `holdsKey` tells whether one of the run's keys is in a text. */
export function carriedVariables(choices: Choices, holdsKey: (text: string) => boolean): CarriedVariables {
  const { env } = choices.io;
  const given = namesToCarry(choices).flatMap((name) => {
    const value = variable(env, name);
    return value === undefined ? [] : [{ name, value }];
  });
  const isSecret = ({ name, value }: NamedValue) => (isAddress(name, value) && holdsPassword(value)) || holdsKey(value);
  const carried = given
    .filter((one) => !isSecret(one))
    .flatMap(({ name, value }) => wholeValue(name, value, choices).map((whole) => [name, whole] as const));
  return { env: Object.fromEntries(carried), leftOut: given.filter(isSecret).map(({ name }) => name) };
}

function namesToCarry(choices: Choices): readonly string[] {
  const known = environmentVariables.flatMap(({ name }) => name.split(', ')).filter((name) => !notCarried.has(name));
  // A program that gives the key is found as in this shell.
  const path = keyFound(choices)?.source === 'key-command' ? ['PATH'] : [];
  const lowerCase = known.filter((name) => name.endsWith('_PROXY')).map((name) => name.toLowerCase());
  return [...new Set([...known, ...paths, ...lowerCase, ...path])];
}

/** Gives nothing for what pdi ignores, or cannot read another time. */
function wholeValue(name: string, value: string, { io }: Choices): readonly string[] {
  if (name.startsWith('XDG_')) return isAbsolute(value) ? [value] : [];
  if (!paths.has(name) || value.includes('://')) return [value];
  return isPassing(value) ? [] : [isAbsolute(value) ? value : resolve(io.currentDirectory(), value)];
}

/** A shell makes such a file for one command: `<(command)`. */
const isPassing = (path: string): boolean => /^\/(?:dev\/fd|proc)\//.test(path);

/** The address of a proxy may lack its scheme. A path may hold any character, and no password. */
const isAddress = (name: string, value: string): boolean => value.includes('://') || /_proxy$/i.test(name);

/** Before the host or among the parameters. A proxy's user alone may be a token. */
const holdsPassword = (value: string): boolean =>
  /:(?!\/\/)[^@\s]*@/.test(value) || /^(?!postgres)[a-z]+:\/\/[^/\s]*@/i.test(value) || /pass(?:word|wd)?=/i.test(value);

/** How the key gets to the server, without the key. */
export function keyWords(choices: Choices): string {
  if (choices.sandboxed()) return 'the sandbox needs no key';
  const file = variable(choices.io.env, 'PDI_API_KEY_FILE');
  const { name } = choices.profile();
  const profile = `profile ${name}`;
  const store = '`pdi config set api-key` stores one';
  switch (keyFound(choices)?.source) {
    case 'PDI_API_KEY':
      return `the key of PDI_API_KEY is not in it: give the client that variable by itself, or let pdi store the key (${store})`;
    case 'PDI_API_KEY_FILE':
      return file !== undefined && isPassing(file)
        ? `the key is not in it, and ${file} ends with this command: ${store}`
        : 'the server reads the key from the file that PDI_API_KEY_FILE names';
    case 'key-command':
      return `the server gets the key from the key-command of ${profile}`;
    case 'api-key':
      return `the server finds the key in ${profile}, where it is stored`;
    case undefined:
      return `there is no key yet: ${store}`;
  }
}
