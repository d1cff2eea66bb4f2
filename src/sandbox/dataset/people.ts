/** Invents profiles when they are asked for. Sections "Person profile" and "Network person". */
import type { NetworkPerson } from '../../contract/network.ts';
import type { Person } from '../../contract/person.ts';
import { dateAgo, momentAgo } from './calendar.ts';
import type { Companies, Company } from './companies.ts';
import { signalIds, talentSignalIds, userIds } from './identifiers.ts';
import type { Name, Names } from './names.ts';
import { between, pick, pickSome, type Random, streamOf } from './random.ts';
import type { Signals } from './signals.ts';
import { departments, highlights, places, schools, seniorities, skills, titles } from './words.ts';

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

const taglineOf = (number: number, title: string) => hostileTaglines.get(number) ?? `${title}, mostly`;
const hasCurrentJob = (number: number) => number % 7 !== 0;

const links = (number: number, name: Name) => ({
  ...(number % 3 !== 0 && { profile_picture_url: `https://pictures.profnet.example/${name.slug}.jpg` }),
  ...(number % 4 === 1 && { twitter_url: `https://twitter.example/${name.slug}` }),
  ...(number % 5 === 2 && { github_url: `https://github.example/${name.slug}` }),
});

interface Role {
  readonly company: Company;
  readonly title: string;
  readonly startDaysAgo: number;
  readonly endDaysAgo?: number;
  readonly order: number;
}

function experienceOf(
  { company, title, startDaysAgo, endDaysAgo, order }: Role,
  random: Random,
): NonNullable<Person['experience']>[number] {
  const { id, domain, size, about } = company;
  return {
    company_name: about.name,
    profnet_url: about.profnet_url,
    title,
    departments: pickSome(random, departments, 2),
    start_date: dateAgo(startDaysAgo),
    ...(endDaysAgo !== undefined && { end_date: dateAgo(endDaysAgo) }),
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

function educationOf(number: number, random: Random): NonNullable<Person['education']>[number] {
  const name = pick(random, schools);
  return {
    name,
    profnet_url: 'https://www.profnet.example/school/example',
    field_of_study: pick(random, ['Mathematics', 'Economics', 'Computer Science']),
    degree_title: pick(random, ['BSc', 'MSc', 'PhD']),
    description: `<p>Thesis <b>${number}</b> at ${name}<script>alert(1)</script></p>`,
    start_date: dateAgo(between(random, 6000, 7000)),
    end_date: dateAgo(between(random, 4500, 5000)),
    location: 'Example City',
  };
}

function jobsOf(number: number, companies: Companies, random: Random) {
  const numberOfCurrent = ((number - 1) % companies.total) + 1;
  const startDaysAgo = between(random, 100, 1500);
  const past = {
    company: companies.company(between(random, 1, companies.total)),
    title: pick(random, titles),
    startDaysAgo: startDaysAgo + between(random, 300, 2500),
    endDaysAgo: startDaysAgo + 10,
    order: hasCurrentJob(number) ? 2 : 1,
  };
  const current = { company: companies.company(numberOfCurrent), title: pick(random, titles), startDaysAgo, order: 1 };
  return hasCurrentJob(number) ? { current, past } : { past };
}

/** The document does not give the unit of tenures; here they are in years. */
function careerOf({ current, past }: ReturnType<typeof jobsOf>, random: Random): Partial<Person> {
  const years = (days: number) => Math.round((days / 365) * 100) / 100;
  return {
    experience: [...(current === undefined ? [] : [current]), past].map((job) => experienceOf(job, random)),
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
function profileOf(number: number, name: Name, companies: Companies, signals: Signals, random: Random): Person {
  const jobs = jobsOf(number, companies, random);
  const { city, state, country, continent } = pick(random, places);
  return {
    person_id: name.personId,
    last_updated: momentAgo(between(random, 0, 90), between(random, 0, 23))
      .slice(0, 19)
      .replace('T', ' '),
    talent_signal_ids: number % 2 === 0 ? [talentSignalIds.make(number)] : [],
    investor_signal_ids: [...signals.ofPerson(number)].map(signalIds.make),
    first_name: name.firstName,
    last_name: name.lastName,
    full_name: name.fullName,
    profnet_url: name.url,
    profnet_num_id: name.memberId,
    profnet_urn: name.urn,
    ...links(number, name),
    about: hostileAbouts.get(number) ?? `An invented person, number ${number}`,
    tagline: taglineOf(number, (jobs.current ?? jobs.past).title),
    location: `${city}, ${state}, ${country}, ${continent}`,
    region: continent,
    highlights: pickSome(random, highlights, between(random, 0, 3)),
    level_of_seniority: pick(random, seniorities),
    years_of_experience: between(random, 1, 35),
    education_level: number % 6 === 0 ? '' : 'Bachelor',
    ...careerOf(jobs, random),
    education: [educationOf(number, random)],
    languages: [{ name: 'English', proficiency_level: 'Native or bilingual' }],
    skills: pickSome(random, skills, between(random, 0, 5)),
    profnet_followers: between(random, 0, 90_000),
    profnet_connections: between(random, 0, 500),
  };
}

/** Some fields that the document does not require are left out on purpose. */
function networkPersonOf(number: number, name: Name, { current, past }: ReturnType<typeof jobsOf>, random: Random): NetworkPerson {
  return {
    person_id: name.personId,
    connected_on: 'profnet',
    connected_at: momentAgo(between(random, 0, 900), between(random, 0, 23)),
    connected_teammates: pickSome(random, [userIds.make(1), userIds.make(2), userIds.make(3)], between(random, 1, 3)),
    first_name: name.firstName,
    last_name: name.lastName,
    full_name: name.fullName,
    headline: taglineOf(number, (current ?? past).title),
    profnet_url: name.url,
    ...links(number, name),
    ...(number % 3 !== 1 && { primary_role: pick(random, ['founder', 'engineer', 'investor']) }),
    ...(current !== undefined && { current_company_id: current.company.id }),
  };
}

export function inventPeople(seed: number, names: Names, companies: Companies, signals: Signals) {
  const stream = streamOf(seed, 'person');
  const networkStream = streamOf(seed, 'network');
  return {
    profile: (number: number) => profileOf(number, names.name(number), companies, signals, stream(number)),
    networkTotal: Math.ceil(names.total / 2),
    /** `place` counts from 0 in the order of the answer. */
    networkPerson(place: number): NetworkPerson {
      const number = place * 2 + 1;
      return networkPersonOf(number, names.name(number), jobsOf(number, companies, stream(number)), networkStream(number));
    },
  };
}
