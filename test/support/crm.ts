/** An invented export of a CRM: contacts with a link and a second identifier, in every form that people leave them in, each with its share. */
import type { Name, Names } from '../../src/sandbox/dataset/names.ts';
import { between, pick, type Random, streamOf } from '../../src/sandbox/dataset/random.ts';

interface Form {
  readonly name: string;
  /** Rows of a thousand whose link has this form. */
  readonly share: number;
  readonly link: (person: Name, random: Random) => string;
  /** The link alone does not tell whose it is, or only a guess would. */
  readonly isHopeless?: true;
  /** Only people with accents in their slug have it. */
  readonly accents?: true;
}

const page = 'https://www.profnet.example';
const on = (host: string, slug: string): string => `https://${host}profnet.example/in/${slug}`;
/** What trackers and pages put behind a link. */
const tails = ['?trk=people-guest', '?originalSubdomain=fr', '/?utm_source=mail&utm_term=a/b c', '?miniProfileUrn=urn%3Ali%3A7'] as const;
const views = ['overlay/contact-info/', 'detail/recent-activity/shares/', 'recent-activity/all/', 'details/experience'] as const;
const unseen = ['\u200b', '\ufeff', '\u200e', '\u2060', '\u00ad'] as const;

const written: readonly Form[] = [
  { name: 'as the service writes it', share: 305, link: ({ url }) => url },
  { name: 'http', share: 40, link: ({ slug }) => `http://www.profnet.example/in/${slug}` },
  { name: 'without www', share: 40, link: ({ slug }) => on('', slug) },
  { name: 'without scheme', share: 40, link: ({ slug }) => `www.profnet.example/in/${slug}` },
  { name: 'host and path alone', share: 20, link: ({ slug }) => `profnet.example/in/${slug}` },
  { name: 'vanity id', share: 40, link: ({ slug }) => slug },
  { name: 'member id', share: 15, link: ({ memberId }) => String(memberId) },
  { name: 'URN', share: 15, link: ({ urn }) => urn },
  { name: 'accents, percent-encoded', share: 4, accents: true, link: ({ url }) => url },
  { name: 'accents, as they are', share: 4, accents: true, link: ({ slug }) => on('www.', slug) },
];

const pages: readonly Form[] = [
  { name: 'closing slash', share: 70, link: ({ url }) => `${url}/` },
  { name: 'country host', share: 45, link: ({ slug }, random) => on(pick(random, ['fr.', 'uk.', 'de.', 'pt-br.', 'www.es.']), slug) },
  { name: 'mobile host', share: 15, link: ({ slug }, random) => on(pick(random, ['m.', 'mobile.', 'fr.m.']), slug) },
  { name: 'query', share: 60, link: ({ url }, random) => url + pick(random, tails) },
  { name: 'fragment', share: 5, link: ({ url }) => `${url}#experience` },
  { name: 'language behind', share: 15, link: ({ url }, random) => `${url}/${pick(random, ['en', 'fr-FR/', 'pt_BR'])}` },
  { name: 'language before', share: 5, link: ({ slug }, random) => `${page}/${pick(random, ['fr', 'de', 'pt-br'])}/in/${slug}` },
  { name: 'old mobile page', share: 3, link: ({ slug }) => `${page}/mwlite/in/${slug}` },
  { name: 'another view', share: 25, link: ({ url }, random) => `${url}/${pick(random, views)}` },
  {
    name: 'capitals',
    share: 10,
    link: ({ slug }, random) => pick(random, [`HTTPS://WWW.Profnet.Example/in/${slug}`, `${page}/IN/${slug}`]),
  },
  { name: 'scheme twice', share: 3, link: ({ url }) => `https://${url}` },
  { name: 'scheme with one slash', share: 2, link: ({ slug }) => `https:/www.profnet.example/in/${slug}` },
];

const wrapped: readonly Form[] = [
  { name: 'blanks around', share: 20, link: ({ url }, random) => pick(random, [` ${url} `, `\t${url}`, `${url}\u00a0`, `${url}\n`]) },
  { name: 'quotes', share: 15, link: ({ url }, random) => pick(random, [`"${url}"`, `“${url}”`, `'${url}'`, `«${url}»`]) },
  { name: 'angle brackets', share: 10, link: ({ url }) => `<${url}>` },
  { name: 'formula of a text', share: 12, link: ({ memberId, url }, random) => `="${pick(random, [String(memberId), url])}"` },
  { name: 'apostrophe of a sheet', share: 8, link: ({ slug }, random) => `'${pick(random, ['', '@'])}${slug}` },
  { name: 'handle with @', share: 15, link: ({ slug }) => `@${slug}` },
  { name: 'invisible characters', share: 15, link: ({ url }, random) => pick(random, unseen) + url + pick(random, unseen) },
];

const inTexts: readonly Form[] = [
  {
    name: 'text around the link',
    share: 30,
    link: ({ url, fullName }, random) =>
      pick(random, [`Profile: ${url}`, `${fullName} - ${url}`, `${url} (${fullName})`, `[${fullName}](${url})`]),
  },
  { name: 'lost letters before the link', share: 10, link: ({ url }) => `?? Name - ${url}` },
  { name: 'mark behind', share: 10, link: ({ url }, random) => url + pick(random, [',', '.', ')', ';', '/.', '>']) },
  { name: 'name behind a bar', share: 5, link: ({ url, fullName }) => `${url}|${fullName}` },
  { name: 'formula of a link', share: 4, link: ({ url, fullName }) => `=HYPERLINK("${url}","${fullName}")` },
  { name: 'another hyphen', share: 4, link: ({ url }, random) => url.replaceAll('-', pick(random, ['\u2010', '\u2011'])) },
];

const unclear: readonly Form[] = [
  { name: 'blank', share: 12, link: (_, random) => pick(random, ['', ' ', '""', '\u200b']) },
  {
    name: 'filler',
    share: 6,
    link: (_, random) =>
      pick(random, ['n/a', 'N/A', '-', 'NULL', 'nan', 'None', '\\N', 'undefined', '(blank)', 'TBD', '----', '(text)', 'Total', '#N/A']),
  },
  { name: 'profile that is gone', share: 6, link: (_, random) => on('www.', `gone-${between(random, 1, 9999)}`) },
  { name: 'company page', share: 3, link: () => `${page}/company/sample-widgets/` },
  { name: 'page of the sales tool', share: 3, link: (_, random) => `${page}/sales/lead/ACwAAA${between(random, 1e6, 9e6)},NAME_SEARCH,x1` },
  { name: 'search page', share: 1, link: ({ lastName }) => `${page}/search/results/people/?keywords=${lastName}` },
  { name: 'public page of old', share: 2, link: ({ slug }) => `${page}/pub/${slug}/4/5a6/b78` },
  { name: 'full name', share: 4, link: ({ fullName }) => fullName },
  { name: 'mail address', share: 2, link: ({ slug }) => `${slug}@sample.example` },
  {
    name: 'spoilt number',
    share: 10,
    link: ({ memberId }, random) =>
      pick(random, [
        '7.00E+08',
        `7.${String(memberId).slice(1)}E8`,
        `${memberId}.0`,
        `+${memberId}`,
        `${memberId}L`,
        memberId.toLocaleString('de'),
      ]),
  },
  { name: 'person id', share: 4, link: ({ personId }) => personId },
  { name: 'id of a list', share: 2, link: () => '0b7c2f6e-3f0a-4d56-9a51-2f1f6a3c9d10' },
  { name: 'slug in capitals', share: 2, link: ({ slug }) => on('www.', slug.toUpperCase()) },
  { name: 'slug cut off', share: 1, link: ({ url }) => url.slice(0, url.lastIndexOf('-')) },
  { name: 'two links', share: 1, link: ({ url }) => `${url}; ${page}/company/sample` },
  { name: 'scheme without its first letter', share: 1, link: ({ url }) => url.slice(1) },
  { name: 'link through a search engine', share: 1, link: ({ url }) => `https://search.example/url?q=${encodeURIComponent(url)}` },
];

const hopeless = unclear.map((form): Form => ({ ...form, isHopeless: true }));

/** All forms; their shares are 1,000 together. */
const crmForms: readonly Form[] = [...written, ...pages, ...wrapped, ...inTexts, ...hopeless];

export interface CrmRow {
  readonly form: string;
  readonly isHopeless: boolean;
  readonly link: string;
  /** An identifier of the same person from another tool; empty in every third row. */
  readonly handle: string;
  /** Whom the row means. */
  readonly person: Name;
}

/** The same seed gives the same rows. One row in twenty is a person whom another row has, too. */
export function crmRows(names: Names, { rows, seed }: { readonly rows: number; readonly seed: number }): readonly CrmRow[] {
  const random = streamOf(seed, 'crm')(0);
  const forms = crmForms.flatMap((form) => Array.from({ length: Math.round((form.share * rows) / 1000) }, () => form));
  const people = shuffled(range(names.total), random).slice(0, Math.ceil(rows * 0.95));
  const accented = range(names.total).filter((number) => /[^\w-]/.test(names.name(number).slug));
  return shuffled(forms, random).map((form, at): CrmRow => {
    const among = form.accents === true ? accented : people;
    const person = names.name(among[at % among.length] ?? 1);
    const handle = at % 3 === 0 ? '' : pick(random, [person.slug, person.urn, String(person.memberId)]);
    return { form: form.name, isHopeless: form.isHopeless === true, link: form.link(person, random), handle, person };
  });
}

const range = (total: number): number[] => Array.from({ length: total }, (_, index) => index + 1);

function shuffled<T>(items: readonly T[], random: Random): readonly T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

/** The export: `contact,full_name,link,handle,owner`. */
export function crmCsv(rows: readonly CrmRow[]): string {
  const lines = rows.map(({ person, link, handle }, at) => [`C-${at + 1}`, person.fullName, link, handle, at % 2 === 0 ? 'Mara' : 'Jon']);
  return [['contact', 'full_name', 'link', 'handle', 'owner'], ...lines].map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');
}

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
