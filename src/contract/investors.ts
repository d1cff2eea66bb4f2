/** Endpoint 10 of the API document. */
import * as z from 'zod/mini';
import { truncated } from '../errors.ts';
import { parseUrl } from '../rows/url.ts';
import {
  columnsOf,
  count,
  date,
  id,
  investorId,
  listOfIds,
  personId,
  record,
  text,
  texts,
  url,
  uuid,
} from './columns.ts';
import type { Endpoint } from './endpoint.ts';
import {
  bare,
  bareName,
  type Invalid,
  isFlag,
  lostCharacterIn,
  mailAddress,
  namesNobody,
  notSent,
  plainName,
  spoiltByProgram,
} from './identifier.ts';

const fund = record(
  {},
  { name: text(), announced_on: date(), raised_amount_usd: text({ pattern: '^\\d+$' }) },
);

const investor = record(
  {
    investor_id: investorId(),
    investor_name: text(),
    strategic_signal_ids: listOfIds(uuid()),
    investor_types: texts(),
    investment_stage: texts(),
    industry_target: texts(),
    svc_industry_target: texts(),
    svc_tech_verticals_target: texts(),
    fund_details: z.array(fund),
    portfolio_companies: listOfIds(),
  },
  {
    person_id: personId(),
    company_id: id(),
    investor_rank: count(),
    company_size: text(),
    operating_status: text(),
    domain: text(),
    hq_location: text(),
    founded_year: count(),
    profnet_url: url(),
    twitter_url: url(),
    description: text(),
    number_of_exits: count(),
    number_of_lead_investments: count(),
    number_of_investments: count(),
    number_of_funds: count(),
  },
);

const nameSpelling = (name: string): string => plainName(name).toLowerCase();

/** Without scheme, `www.`, case of the host and closing slash; another path is another website. */
const websiteSpelling = (website: string): string =>
  website
    .trim()
    .replace(/^(?:(?:https?:)?\/\/|www\.)+/i, '')
    .replace(/\/$/, '')
    .replace(/^[^/?#]+/, (host) => host.toLowerCase());

/** A list has no header; an `Investor` alone may be one. */
const columnName =
  /^(?:investor|fund|firm|company|organi[sz]ation|account)s?[ _-](?:names?|websites?|domains?|urls?|ids?)$/i;
const template =
  /^(?:\{\{[^{}]*\}\}|\$\{[^{}]*\}|<<[^<>]*>>|«[^«»]*»|%[a-z][\w.]*%|\*\|[^|]*\|\*)$/i;

export function plainInvestor(
  as: 'name' | 'website',
  written: string,
): { readonly text: string } | Invalid {
  const text = as === 'website' ? bare(written) : bareName(written);
  if (text === '') return { invalid: 'empty' };
  const invalid = lostCharacterIn(text) ?? (as === 'website' ? notAWebsite(text) : notAName(text));
  return invalid === undefined ? { text } : { invalid };
}

/** A number such as `7.5E8` or `0` would be read as the address of a machine. */
const domain = /^(?:[a-z\d_-]+\.)+[a-z][a-z\d-]+\.?$/i;
const several = /\s|[,;|](?:https?:|www\.)/i;

const longestName = 300;
/** A tag, a character of HTML, a word of LaTeX or RTF, or the marks of a merge. */
const markup = /<[a-z/!?]|[<>]{2}|&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,30});|\\/i;
/** A bullet or a number of a list, what stands between names or is drawn around them, and half a pair of quotes. */
const aroundName =
  /^(?:[+→?]|\(?\d{1,3}[.)])\s|^(?:[-*_~|:;,<>`•◦▪‣·–—[{]|==)|[-–—{*_~|=:;,<>]$|^[^[{]*[\]}]$|[\u2500-\u257f]|^["“„«‹「『《〈][^"“”»›」』》〉]*$|^[^"“”„«»‹›「『《〈]*["“”»›」』》〉]$/;
/** What tools print around their lists: how many there are, a prompt, a line of settings. */
const printed =
  /^\d+ (?:rows?|records?|results?)\b|^(?:…|\.{3})?\s*(?:and )?\d+ more\b|^query ok\b|^traceback \(|^(?:\$|\S{0,30}>) \S|\s=\s|^[\w.-]+=\S|^[a-z]\w*[_-]\w+: |^http\/\d/i;

const notNames: readonly (readonly [RegExp, string])[] = [
  [/[\p{Cc}\ufff9-\ufffb]/u, 'holds a control character'],
  [/^[=+@]\w+(?:\.\w+)*\(/, 'a formula, not the name of an investor'],
  [/^(?:#+|\/\/)\s/, 'a comment, not the name of an investor'],
  [/[a-z]:\/\//i, 'a text around a URL, not the name of an investor'],
  [columnName, 'the name of a column, not of an investor'],
  [template, 'a field of a template that nobody filled in'],
  [markup, 'holds markup, as of HTML: give the name alone'],
  [mailAddress, 'a mail address, not the name of an investor'],
  [/^(?:per|inv)_\S+$/, 'an id, not the name of an investor'],
  [printed, 'what a tool printed, not the name of an investor'],
  [aroundName, 'not a name alone: leave out what stands around it'],
];

function notAName(text: string): string | undefined {
  if (namesNobody(text)) return 'what programs write for nothing, not the name of an investor';
  if (isFlag(text)) return 'a flag of a command, not the name of an investor';
  const found = notNames.find(([shape]) => shape.test(text))?.[1] ?? spoiltByProgram(text);
  return found ?? (text.length > longestName ? `longer than ${longestName} characters` : undefined);
}

function notAWebsite(text: string): string | undefined {
  const {
    protocol = '',
    hostname = '',
    username,
  } = parseUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`) ?? {};
  const isOneWebsite =
    !several.test(text) && /^https?:$/.test(protocol) && domain.test(hostname) && username === '';
  return isOneWebsite ? undefined : 'not a website: neither a URL nor a domain';
}

export const findInvestors = {
  title: 'Look up investors',
  records: 'investors',
  method: 'GET',
  path: '/investors',
  billing: 'unstated',
  stored: true,
  query: z.partial(z.strictObject({ website: text(), name: text() })),
  spelling: { website: websiteSpelling, name: nameSpelling },
  check({ query: { name, website } = {}, ...request }, named) {
    const as = name === undefined ? 'website' : 'name';
    const written = String(name ?? website ?? '');
    const found = plainInvestor(as, written);
    if (
      (name !== undefined && website !== undefined) ||
      ('invalid' in found && found.invalid === 'empty')
    ) {
      const hint = 'what the service does with both or neither is not documented';
      throw notSent(`give one of ${named('name')} and ${named('website')}`, hint);
    }
    if (!('invalid' in found)) return { ...request, query: { [as]: found.text } };
    const hint = as === 'website' ? `${named('name')} asks for a name` : 'correct it';
    const shown = truncated(written, longestName);
    throw notSent(`${named(as)} ${shown}: ${found.invalid}`, hint, shown);
  },
  response: z.array(investor),
  result: 'list',
  // A record does not say by which name or website it was found.
  askedBy: [],
  columns: columnsOf(investor, {
    table: [
      'investor_name',
      'domain',
      'investor_types',
      'investment_stage',
      'hq_location',
      'investor_id',
    ],
  }),
  card: [
    { title: '', lines: [['investor_name'], ['domain'], ['hq_location']] },
    {
      title: 'About',
      fields: ['investor_types', 'operating_status', 'company_size', 'founded_year', 'description'],
    },
    {
      title: 'Invests in',
      fields: [
        'investment_stage',
        'industry_target',
        'svc_industry_target',
        'svc_tech_verticals_target',
      ],
    },
    { title: 'Funds', list: 'fund_details' },
    {
      title: 'Counts',
      fields: [
        'investor_rank',
        'number_of_investments',
        'number_of_lead_investments',
        'number_of_exits',
        'number_of_funds',
      ],
    },
    { title: 'Links', fields: ['profnet_url', 'twitter_url'] },
    {
      title: 'Ids',
      fields: [
        'investor_id',
        'person_id',
        'company_id',
        'portfolio_companies',
        'strategic_signal_ids',
      ],
    },
  ],
} as const satisfies Endpoint;
