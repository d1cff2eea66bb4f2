/** Names a call in the ledger, in errors, and in the question to the person. */
import type { Endpoint, RequestParts } from '../../contract/endpoint.ts';
import { pluralize } from '../../errors.ts';
import type { Item } from '../../jobs/purchase.ts';
import { shown } from './arguments.ts';
import { kindOfTool } from './listing.ts';

/** Gives the item as the commands name it: an identifier, a page, or a free text, of which the ledger keeps only a hash. */
export function itemOf({ path: template, query: schema }: Endpoint, { path, query = {} }: RequestParts): Item {
  const [identifier] = Object.values(path);
  if (identifier !== undefined) return identifier;
  if (schema === undefined) return template;
  return 'page' in schema.shape ? `page:${Number(query.page ?? 0)}` : { freeText: String(Object.values(query)[0] ?? '') };
}

export function nameOf(item: Item, { path }: Endpoint): string | undefined {
  if (typeof item !== 'string') return item.freeText;
  return item === path ? undefined : item.replace(':', ' ');
}

export const subjectOf = ({ method, path }: Endpoint, request: RequestParts): string => `${method} ${path} ${JSON.stringify(request)}`;

const prices: Readonly<Record<Endpoint['billing'], string>> = {
  free: 'It is free.',
  charged: '1 call that is charged.',
  unstated: '1 call that may be billed: its price is not documented.',
};

/** Says what is asked for, what it costs, and what is used already. An agent chose the values, so they are quoted and short. */
export function questionText(endpoint: Endpoint, request: RequestParts, used: readonly string[]): string {
  const { path, query, body } = request;
  const values = Object.entries({ ...path, ...query, ...(typeof body === 'object' && body) });
  const what = values.map(([name, value]) => `${name} ${valueText(value)}`).join(', ');
  const isForGood = kindOfTool(endpoint) === 'delete' ? ' It is deleted for good.' : '';
  const page = endpoint.emptyPage === undefined ? '' : ' An empty page is not charged.';
  const title = what === '' ? endpoint.title : `${endpoint.title} (${what})`;
  return `pdi: ${title}?${isForGood} ${prices[endpoint.billing]}${page}${used.length === 0 ? '' : ` (${used.join('; ')})`}`;
}

const maxNamed = 5;

function valueText(value: unknown): string {
  if (!Array.isArray(value)) return shown(value);
  const more = value.length > maxNamed ? ', …' : '';
  return `${pluralize(value.length, 'id')}: ${value.slice(0, maxNamed).map(shown).join(', ')}${more}`;
}
