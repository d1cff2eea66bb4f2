/** Invents people: names, the four identifiers that resolve to one profile, and profiles. Sections "Person profile" and "Network person". */
import type { DocumentedOf } from '../../contract/endpoint.ts';
import type { listNetworkPeople } from '../../contract/network.ts';
import type { getPerson } from '../../contract/person.ts';
import type { PersonResolveIdentifier } from '../../contract/resolve.ts';
import { parseUrl, percentDecoded } from '../../rows/url.ts';
import { companyOf } from './companies.ts';
import { type Data, type Draws, dateAgo, ids, momentAgo } from './data.ts';
import { between, pick, pickSome, type Random, streamOf } from './random.ts';
import { words } from './words.ts';

type Person = DocumentedOf<typeof getPerson>;

/** Both schemes are the network's own, with or without `www`. The service cleans nothing else. */
const ownUrl = /^https?:\/\/(?:www\.)?profnet\.example\/in\/([^/?#]+)$/;

/** The slug is undefined in a URL of another site, which is well-formed and nobody's. */
export function readProfileUrl(text: string): { readonly slug: string | undefined } | undefined {
  const slug = ownUrl.exec(text)?.[1];
  if (slug !== undefined)
    return percentDecoded(slug).trim() === '' ? undefined : { slug: percentDecoded(slug) };
  const url = /^https?:\/\//i.test(text) ? parseUrl(text) : undefined;
  if (url === undefined) return undefined;
  const parts = url.pathname.split('/').filter((part) => part !== '');
  return parts.length === 0 || (parts.length === 1 && parts[0] === 'in')
    ? undefined
    : { slug: undefined };
}

export function nameOf({ seed }: Draws, number: number) {
  // The documentation uses the first person, so this name does not depend on the seed.
  const [firstName, slugName] =
    number === 1 ? words.firstNames[0] : pick(streamOf(seed, 'name', number), words.firstNames);
  const lastName = `Sample-${number}`;
  const slug = `${number % 97 === 0 ? firstName.toLowerCase() : slugName}-sample-${number}`;
  return {
    person_id: ids.people.make(number),
    first_name: firstName,
    last_name: lastName,
    full_name: `${firstName} ${lastName}`,
    profnet_url: `https://www.profnet.example/in/${encodeURIComponent(slug)}`,
    profnet_num_id: ids.members.make(number),
    profnet_urn: ids.urns.make(number),
    slug,
  };
}

const held = ({ total }: Draws, number: number | undefined): number | undefined =>
  number !== undefined && Number.isInteger(number) && number >= 1 && number <= total.people
    ? number
    : undefined;

function withSlug(data: Data, slug: string | undefined): number | undefined {
  const number = held(data, Number(/-([1-9]\d{0,8})$/.exec(slug ?? '')?.[1]));
  return number !== undefined && nameOf(data, number).slug === slug ? number : undefined;
}

export const numberOf = (data: Data, personId: string): number | undefined =>
  held(data, ids.people.read(personId));

export function addressed(
  data: Data,
  { profnet_url, profnet_id, profnet_num_id, profnet_urn }: PersonResolveIdentifier,
): number | undefined {
  const url = profnet_url === undefined ? undefined : readProfileUrl(profnet_url);
  if (url !== undefined) return withSlug(data, url.slug);
  if (profnet_id !== undefined) return withSlug(data, profnet_id);
  if (profnet_urn !== undefined) return held(data, ids.urns.read(profnet_urn));
  return profnet_num_id === undefined ? undefined : held(data, ids.members.read(profnet_num_id));
}

/** Real profiles contain texts that a spreadsheet would run, a terminal would obey or a browser would render. */
const hostileTaglines: ReadonlyMap<number, string> = new Map([
  [3, '=HYPERLINK("https://evil.example","click")'],
  [5, '美しいものを作る 🚀 builder of things'],
  [8, '\u001b[2Jcleared your screen'],
]);
const hostileAbouts: ReadonlyMap<number, string> = new Map([
  [3, '+1+1, "quoted", and a comma'],
  [4, 'Red \u001b[31malert\u001b[0m\u0007 and a title \u001b]0;owned\u0007'],
  [6, 'First line\r\nSecond line\tafter a tab'],
]);

const taglineOf = (number: number, title: string) =>
  hostileTaglines.get(number) ?? `${title}, mostly`;

const links = (number: number, slug: string) => ({
  ...(number % 3 !== 0 && { profile_picture_url: `https://pictures.profnet.example/${slug}.jpg` }),
  ...(number % 4 === 1 && { twitter_url: `https://twitter.example/${slug}` }),
  ...(number % 5 === 2 && { github_url: `https://github.example/${slug}` }),
});

type Role = NonNullable<ReturnType<typeof jobsOf>['current' | 'past']>;

function experienceOf(
  data: Data,
  role: Role,
  order: number,
  random: Random,
): NonNullable<Person['experience']>[number] {
  const { title, startDaysAgo, endDaysAgo, company } = role;
  const { id, domain, size, about } = company;
  return {
    company_name: about.name,
    profnet_url: about.profnet_url,
    title,
    departments: pickSome(random, words.departments, 2),
    start_date: dateAgo(data, startDaysAgo),
    ...(endDaysAgo !== undefined && { end_date: dateAgo(data, endDaysAgo) }),
    is_current: endDaysAgo === undefined,
    job_order: order,
    company_id: id,
    domain,
    description: `Worked on ${about.name}`,
    company_size: size,
    industry: about.industry,
    tech_verticals: about.tech_verticals,
    location: `${about.hq.city}, ${about.hq.country}`,
    founded_year: about.founded_year,
  };
}

function educationOf(
  data: Data,
  number: number,
  random: Random,
): NonNullable<Person['education']>[number] {
  const name = pick(random, words.schools);
  return {
    name,
    profnet_url: 'https://www.profnet.example/school/example',
    field_of_study: pick(random, ['Mathematics', 'Economics', 'Computer Science']),
    degree_title: pick(random, ['BSc', 'MSc', 'PhD']),
    description: `<p>Thesis <b>${number}</b> at ${name}<script>alert(1)</script></p>`,
    start_date: dateAgo(data, between(random, 6000, 7000)),
    end_date: dateAgo(data, between(random, 4500, 5000)),
    location: 'Example City',
  };
}

function jobsOf(data: Data, number: number, random: Random) {
  const { companies } = data.total;
  const startDaysAgo = between(random, 100, 1500);
  const past = {
    company: companyOf(data, between(random, 1, companies)),
    title: pick(random, words.titles),
    startDaysAgo: startDaysAgo + between(random, 300, 2500),
    endDaysAgo: startDaysAgo + 10,
  };
  const company = companyOf(data, ((number - 1) % companies) + 1);
  const current = {
    company,
    title: pick(random, words.titles),
    startDaysAgo,
    endDaysAgo: undefined,
  };
  return number % 7 === 0 ? { past } : { current, past };
}

/** The document does not give the unit of tenures; here they are in years. */
function careerOf(
  data: Data,
  { current, past }: ReturnType<typeof jobsOf>,
  random: Random,
): Partial<Person> {
  const years = (days: number) => Math.round((days / 365) * 100) / 100;
  return {
    experience: [...(current === undefined ? [] : [current]), past].map((job, at) =>
      experienceOf(data, job, at + 1, random),
    ),
    ...(current !== undefined && {
      current_position_title: current.title,
      current_position_company_name: current.company.about.name,
      current_position_company_website: current.company.about.website,
      current_tenure: years(current.startDaysAgo),
    }),
    past_position_title: past.title,
    past_position_company_name: past.company.about.name,
    past_position_company_website: past.company.about.website,
    average_tenure: years(past.startDaysAgo - past.endDaysAgo),
  };
}

/** The order of the draws decides what a profile contains. */
export function personOf(data: Data, number: number): Person {
  const random = streamOf(data.seed, 'person', number);
  const { person_id, slug, ...names } = nameOf(data, number);
  const jobs = jobsOf(data, number, random);
  const { city, state, country, continent } = pick(random, words.places);
  return {
    person_id,
    last_updated: momentAgo(data, between(random, 1, 90), between(random, 0, 23))
      .slice(0, 19)
      .replace('T', ' '),
    talent_signal_ids: number % 2 === 0 ? [ids.talentSignals.make(number)] : [],
    investor_signal_ids: data.signalsOf.people(number).map(ids.signals.make),
    ...names,
    ...links(number, slug),
    about: hostileAbouts.get(number) ?? `An invented person, number ${number}`,
    tagline: taglineOf(number, (jobs.current ?? jobs.past).title),
    location: `${city}, ${state}, ${country}, ${continent}`,
    region: continent,
    highlights: pickSome(random, words.highlights, between(random, 0, 3)),
    level_of_seniority: pick(random, words.seniorities),
    years_of_experience: between(random, 1, 35),
    education_level: number % 6 === 0 ? '' : 'Bachelor',
    ...careerOf(data, jobs, random),
    education: [educationOf(data, number, random)],
    languages: [{ name: 'English', proficiency_level: 'Native or bilingual' }],
    skills: pickSome(random, words.skills, between(random, 0, 5)),
    profnet_followers: between(random, 0, 90_000),
    profnet_connections: between(random, 0, 500),
  };
}

/** `place` counts from 0 in the order of the answer. Some fields that the document does not require are left out on purpose. */
export function networkPersonAt(
  data: Data,
  place: number,
): DocumentedOf<typeof listNetworkPeople>[number] {
  const number = place * 2 + 1;
  const random = streamOf(data.seed, 'network', number);
  const { person_id, first_name, last_name, full_name, profnet_url, slug } = nameOf(data, number);
  const { current, past } = jobsOf(data, number, streamOf(data.seed, 'person', number));
  return {
    person_id,
    connected_on: 'profnet',
    connected_at: momentAgo(data, between(random, 1, 900), between(random, 0, 23)),
    connected_teammates: pickSome(
      random,
      [ids.users.make(1), ids.users.make(2), ids.users.make(3)],
      between(random, 1, 3),
    ),
    first_name,
    last_name,
    full_name,
    headline: taglineOf(number, (current ?? past).title),
    profnet_url,
    ...links(number, slug),
    ...(number % 3 !== 1 && { primary_role: pick(random, ['founder', 'engineer', 'investor']) }),
    ...(current !== undefined && { current_company_id: current.company.id }),
  };
}
