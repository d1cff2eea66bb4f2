/** Writes the question to the person: every character that would be sent, what it costs, and what is used already. */
import type { Endpoint } from '../contract/endpoint.ts';
import { pluralize, UsageError } from '../errors.ts';
import { jsonText } from '../json/write.ts';
import { kindOfTool } from './listing.ts';
import type { AskedCall, FoundBySubject, ToolSession } from './session.ts';
import type { ConsentQuestion } from './tool.ts';

const prices: Readonly<Record<Endpoint['billing'], string>> = {
  free: 'It is free.',
  charged: '1 call that is charged.',
  unstated: '1 call that may be billed: its price is not documented.',
};

/** Asks about one call: what is asked for, what it costs, and what is used already. An agent chose the values. */
export function questionAbout({ endpoint, request, subject, label }: AskedCall, session: ToolSession): ConsentQuestion {
  const { path, query, body } = request;
  const values = Object.entries({ ...path, ...query, ...(typeof body === 'object' && body) });
  const what = values.map(([name, value]) => `${name} ${valueText(value)}${knownAs(session, String(value))}`).join(', ');
  const title = what === '' ? endpoint.title : `${endpoint.title} (${what})`;
  const isForGood = kindOfTool(endpoint) === 'delete' ? ' It is deleted for good.' : '';
  const page = endpoint.emptyPage === undefined ? '' : ' An empty page is not charged.';
  return {
    subject,
    label: label === undefined ? endpoint.title : `${endpoint.title}, ${label}`,
    text: async () => {
      const used = endpoint.billing === 'free' ? '' : await usedText(session);
      return readable(`pdi: ${title}?${isForGood} ${prices[endpoint.billing]}${page}${used}`);
    },
  };
}

/** Asks about many ids at once, with what each is called. The others are `known`: kept, or lost and not sent again. */
export function questionAboutMany(
  { title }: Endpoint,
  missing: readonly AskedCall[],
  known: FoundBySubject,
  session: ToolSession,
): ConsentQuestion {
  const count = pluralize(missing.length, 'id');
  const named = missing.map(({ item }) => `${visibly(item)}${knownAs(session, String(item))}`).join(', ');
  const cost = `${pluralize(missing.length, 'call')} that ${missing.length === 1 ? 'is' : 'are'} charged`;
  const lost = [...known.values()].filter(({ withheld }) => withheld === true).length;
  const others = [keptText(known.size - lost), lostText(lost)].map((words) => (words === '' ? '' : `; ${words}`)).join('');
  return {
    subject: missing.map(({ subject }) => subject).join(' '),
    label: `${title}, ${count}`,
    text: async () => readable(`pdi: ${title} for ${count}: ${named}? ${cost}${others}.${await usedText(session)}`),
  };
}

function keptText(kept: number): string {
  if (kept === 0) return '';
  return kept === 1 ? '1 id more is kept already and costs nothing' : `${kept} ids more are kept already and cost nothing`;
}

function lostText(lost: number): string {
  if (lost === 0) return '';
  return `${pluralize(lost, 'id')} more ${lost === 1 ? 'is' : 'are'} not sent again: the answer was lost, and may have been billed`;
}

async function usedText(session: ToolSession): Promise<string> {
  const used = await session.used();
  return used.length === 0 ? '' : ` (${used.join('; ')})`;
}

/** The name that the service gave to an id in this session. */
function knownAs({ names }: ToolSession, id: string): string {
  const name = names.get(id);
  return name === undefined ? '' : ` (${visibly(name)})`;
}

/** Nobody reads more before they agree. */
const longestQuestion = 8000;

/** @throws UsageError if it is too long to read */
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
