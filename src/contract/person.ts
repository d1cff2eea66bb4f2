/** Endpoint 4 of the API document. */
import * as z from 'zod/mini';
import {
  columnsOf,
  count,
  date,
  flag,
  id,
  listOfIds,
  maybe,
  number,
  numericId,
  object,
  personId,
  text,
  textPairs,
  texts,
  url,
  uuid,
} from './columns.ts';
import type { Endpoint } from './endpoint.ts';

const experience = object({
  company_name: maybe(text()),
  profnet_url: maybe(url()),
  title: maybe(text()),
  departments: maybe(texts()),
  start_date: maybe(date()),
  end_date: maybe(date()),
  is_current: maybe(flag()),
  job_order: maybe(count()),
  company_id: maybe(id()),
  domain: maybe(text()),
  description: maybe(text()),
  company_size: maybe(text()),
  industry: maybe(texts()),
  tech_verticals: maybe(textPairs()),
  location: maybe(text()),
  founded_year: maybe(count()),
});

const education = object({
  name: maybe(text()),
  profnet_url: maybe(url()),
  field_of_study: maybe(text()),
  degree_title: maybe(text()),
  description: maybe(text()),
  start_date: maybe(date()),
  end_date: maybe(date()),
  location: maybe(text()),
});

const language = object({ name: maybe(text()), proficiency_level: maybe(text()) });

/** The units of `current_tenure` and `average_tenure` are not documented. */
const personProfile = object({
  person_id: personId(),
  last_updated: maybe(date({ pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$' })),
  talent_signal_ids: maybe(listOfIds(uuid())),
  investor_signal_ids: maybe(listOfIds(uuid())),
  profile_picture_url: maybe(url()),
  first_name: maybe(text()),
  last_name: maybe(text()),
  full_name: maybe(text()),
  profnet_url: maybe(url()),
  profnet_num_id: maybe(numericId()),
  profnet_urn: maybe(id()),
  twitter_url: maybe(url()),
  github_url: maybe(url()),
  about: maybe(text()),
  tagline: maybe(text()),
  location: maybe(text()),
  region: maybe(text()),
  highlights: maybe(texts()),
  level_of_seniority: maybe(text()),
  years_of_experience: maybe(count()),
  education_level: maybe(text()),
  experience: maybe(z.array(experience)),
  current_position_title: maybe(text()),
  current_position_company_name: maybe(text()),
  current_position_company_website: maybe(url()),
  past_position_title: maybe(text()),
  past_position_company_name: maybe(text()),
  past_position_company_website: maybe(url()),
  current_tenure: maybe(number()),
  average_tenure: maybe(number()),
  education: maybe(z.array(education)),
  languages: maybe(z.array(language)),
  skills: maybe(texts()),
  profnet_followers: maybe(count()),
  profnet_connections: maybe(count()),
});

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
      experience: { told: ['title', 'company_name'], beside: 'experience.current.company_id' },
      education: { told: ['degree_title', 'field_of_study', 'name'] },
    },
  }),
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
