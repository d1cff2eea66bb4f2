/** Endpoint 4 of the API document. */
import * as z from 'zod/mini';
import {
  columnsOf,
  count,
  date,
  flag,
  id,
  listOfIds,
  number,
  numericId,
  personId,
  record,
  text,
  textPairs,
  texts,
  url,
  uuid,
} from './columns.ts';
import type { Endpoint } from './endpoint.ts';

const experience = record(
  {},
  {
    company_name: text(),
    profnet_url: url(),
    title: text(),
    departments: texts(),
    start_date: date(),
    end_date: date(),
    is_current: flag(),
    job_order: count(),
    company_id: id(),
    domain: text(),
    description: text(),
    company_size: text(),
    industry: texts(),
    tech_verticals: textPairs(),
    location: text(),
    founded_year: count(),
  },
);

const education = record(
  {},
  {
    name: text(),
    profnet_url: url(),
    field_of_study: text(),
    degree_title: text(),
    description: text(),
    start_date: date(),
    end_date: date(),
    location: text(),
  },
);

const language = record({}, { name: text(), proficiency_level: text() });

/** The units of `current_tenure` and `average_tenure` are not documented. */
const personProfile = record(
  { person_id: personId() },
  {
    last_updated: date({ pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$' }),
    talent_signal_ids: listOfIds(uuid()),
    investor_signal_ids: listOfIds(uuid()),
    profile_picture_url: url(),
    first_name: text(),
    last_name: text(),
    full_name: text(),
    profnet_url: url(),
    profnet_num_id: numericId(),
    profnet_urn: id(),
    twitter_url: url(),
    github_url: url(),
    about: text(),
    tagline: text(),
    location: text(),
    region: text(),
    highlights: texts(),
    level_of_seniority: text(),
    years_of_experience: count(),
    education_level: text(),
    experience: z.array(experience),
    current_position_title: text(),
    current_position_company_name: text(),
    current_position_company_website: url(),
    past_position_title: text(),
    past_position_company_name: text(),
    past_position_company_website: url(),
    current_tenure: number(),
    average_tenure: number(),
    education: z.array(education),
    languages: z.array(language),
    skills: texts(),
    profnet_followers: count(),
    profnet_connections: count(),
  },
);

export const getPerson = {
  title: 'Get person by id',
  records: 'people',
  noun: 'profile',
  method: 'GET',
  path: '/people/{personId}',
  billing: 'charged',
  stored: true,
  pathParameters: { personId: { shape: 'person', malformed: { status: 404 } } },
  response: personProfile,
  result: 'one',
  columns: columnsOf(personProfile, {
    table: [
      'person_id',
      'full_name',
      'current_position_title',
      'current_position_company_name',
      'location',
    ],
    lists: {
      experience: { labels: ['title', 'company_name'], beside: 'experience.current.company_id' },
      education: { labels: ['degree_title', 'field_of_study', 'name'] },
    },
  }),
  fleeting: ['last_updated', 'profile_picture_url', 'current_tenure', 'average_tenure'],
  askedBy: ['person_id'],
  card: [
    { title: '', lines: [['full_name'], ['tagline'], ['location'], ['person_id']] },
    {
      title: 'Current position',
      lines: [
        ['current_position_title', 'current_position_company_name'],
        ['current_position_company_website'],
      ],
    },
    { title: 'Experience', list: 'experience' },
    { title: 'Education', list: 'education' },
    { title: 'Skills', lines: [['skills']] },
    { title: 'Links', fields: ['profnet_url', 'twitter_url', 'github_url', 'profile_picture_url'] },
  ],
} as const satisfies Endpoint;
