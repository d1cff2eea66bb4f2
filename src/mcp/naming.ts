/** Names a call in the book, in errors, and in the question to the person. */
import type { Item } from '../book/buyer.ts';
import type { Endpoint, RequestParts } from '../contract/endpoint.ts';
import { pluralize, UsageError } from '../errors.ts';
import { jsonText } from '../json/write.ts';
import { kindOfTool } from './listing.ts';
import { shortened } from './result-text.ts';

/** Gives the item as the commands name it: an identifier, a page, or a free text, of which the book keeps only a hash. */
export function itemOf({ path: template, query: schema }: Endpoint, { path, query = {} }: RequestParts): Item {
  const [identifier] = Object.values(path);
  if (identifier !== undefined) return identifier;
  if (schema === undefined) return template;
  return 'page' in schema.shape ? `page:${Number(query.page ?? 0)}` : { freeText: String(Object.values(query)[0] ?? '') };
}

/** An agent may send a name as long as a book. An id is no longer than its rule allows. */
const longestName = 80;

export function nameOf(item: Item, { path }: Endpoint): string | undefined {
  if (typeof item !== 'string') return shortened(item.freeText, longestName);
  return item === path ? undefined : item.replace(':', ' ');
}

export const subjectOf = ({ method, path }: Endpoint, request: RequestParts): string => `${method} ${path} ${JSON.stringify(request)}`;

const prices: Readonly<Record<Endpoint['billing'], string>> = {
  free: 'It is free.',
  charged: '1 call that is charged.',
  unstated: '1 call that may be billed: its price is not documented.',
};

/** Nobody reads more before they agree. */
const longestQuestion = 8000;

/** Says what is asked for, what it costs, and what is used already. An agent chose the values. @throws UsageError if it is too long to read */
export function questionText(
  endpoint: Endpoint,
  request: RequestParts,
  { used, names }: { readonly used: readonly string[]; readonly names: NamesByItem },
): string {
  const { path, query, body } = request;
  const values = Object.entries({ ...path, ...query, ...(typeof body === 'object' && body) });
  const what = values.map(([name, value]) => `${name} ${valueText(value)}${knownAs(names.get(String(value)))}`).join(', ');
  const isForGood = kindOfTool(endpoint) === 'delete' ? ' It is deleted for good.' : '';
  const page = endpoint.emptyPage === undefined ? '' : ' An empty page is not charged.';
  const title = what === '' ? endpoint.title : `${endpoint.title} (${what})`;
  return readable(`pdi: ${title}?${isForGood} ${prices[endpoint.billing]}${page}${usedText(used)}`);
}

const usedText = (used: readonly string[]): string => (used.length === 0 ? '' : ` (${used.join('; ')})`);

/** The names that the service gave to ids in this session. */
export type NamesByItem = ReadonlyMap<string, string>;

const knownAs = (name: string | undefined): string => (name === undefined ? '' : ` (${visibly(name)})`);

interface ManyToAsk {
  readonly items: readonly { readonly item: string; readonly name: string | undefined }[];
  /** So many others are there already. */
  readonly kept: number;
  readonly used: readonly string[];
}

/** Asks about many ids at once, with what each is called. @throws as `questionText` */
export function manyQuestionText({ title }: Endpoint, { items, kept, used }: ManyToAsk): string {
  const named = items.map(({ item, name }) => `${visibly(item)}${knownAs(name)}`).join(', ');
  const cost = `${pluralize(items.length, 'call')} that ${items.length === 1 ? 'is' : 'are'} charged`;
  const free =
    kept === 0
      ? ''
      : `; ${pluralize(kept, 'id')} more ${kept === 1 ? 'is' : 'are'} kept already and ${kept === 1 ? 'costs' : 'cost'} nothing`;
  return readable(`pdi: ${title} for ${pluralize(items.length, 'id')}: ${named}? ${cost}${free}.${usedText(used)}`);
}

function readable(question: string): string {
  if (question.length <= longestQuestion) return question;
  const message = `the question to the person would have ${question.length} characters, and ${longestQuestion} are the most that anybody is asked to read`;
  throw new UsageError(message, { hint: 'nothing was sent, and nobody was asked; give fewer or shorter values in one call' });
}

const valueText = (value: unknown): string =>
  Array.isArray(value) ? `${pluralize(value.length, 'id')}: ${value.map(visibly).join(', ')}` : visibly(value);

/** These have no shape of their own, or change the order of what stands around them. A plain space is the one blank that is seen as such. */
const hidden = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Z}/gu;

/** A value as JSON with every character to be seen, because the person agrees to what is sent, not to what it looks like. */
function visibly(value: unknown): string {
  const escaped = (character: string) =>
    Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
  return jsonText(value).replace(hidden, escaped);
}
