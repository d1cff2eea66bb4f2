/** The documented shapes of ids (section "Identifier conventions"): what does not have one is told before anything is sent. Pure. */
import type { PathParameter } from '../contract/endpoint.ts';
import { UsageError } from '../errors.ts';

export type IdShape = PathParameter['shape'];

/** What is wrong with a text that is no id of a shape, and what to do instead. */
export interface Misshapen {
  readonly reason: string;
  readonly hint: string;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** As a shell takes it. */
const typed = (text: string): string => (/^[\w:/.@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

const complaints: Readonly<Record<IdShape, (text: string) => Misshapen | undefined>> = {
  opaque: () => undefined,
  person: (text) => {
    if (text.startsWith('per_')) return undefined;
    if (!text.includes('/')) {
      const reason = 'not a person id: it does not begin with per_';
      return { reason, hint: `\`pdi resolve ${typed(text)}\` (free) finds the person id of a vanity id, a numeric id or a URN` };
    }
    const hint = `\`pdi resolve ${typed(text)}\` (free) finds the person id; \`pdi resolve ${typed(text)} -o ndjson | pdi person -i -\` goes straight on`;
    return { reason: 'a profile URL, not a person id: pdi resolve (free) finds the id', hint };
  },
  uuid: (text) =>
    uuid.test(text)
      ? undefined
      : { reason: 'not a list id, which is a UUID', hint: '`pdi lists companies list` (free) shows the ids of company lists' },
  integer: (text) =>
    /^\d+$/.test(text) ? undefined : { reason: 'not the id of a saved search, which is a whole number', hint: 'the service shows it' },
};

/** Why a text, already trimmed, is no id of this shape; undefined where it may be one. */
export function misshapen(shape: IdShape, text: string): Misshapen | undefined {
  // The service would take several for one that it does not know.
  if (text.includes(',')) return { reason: 'an id with a comma', hint: 'give one id at a time, separated by blanks or line ends' };
  return complaints[shape](text);
}

/** @throws UsageError naming the argument or flag, and what to do instead */
export function requireShape(shape: IdShape, text: string, name: string): void {
  const found = misshapen(shape, text.trim());
  if (found !== undefined)
    throw new UsageError(`${name} ${text}: ${found.reason}`, { item: text, hint: `nothing was sent; ${found.hint}` });
}
