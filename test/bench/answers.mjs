// @ts-check
/** The answers of the bench's origins: as the API document shows them, every name invented. */

const signal = {
  signal_date: '2026-03-01',
  signal_score: 7,
  signal_summary: 'Two invented investors looked at an invented company, "twice", in one week.',
  signal_type: 'Company',
  source_types: ['investor', 'venture_capital'],
  signal_total_funding_usd: 12_500_000,
  signal_last_funding_date: '2025-11-20',
  signal_last_funding_usd: 4_000_000,
  signal_investors: [{ name: 'Invented Capital' }],
  entity_id: 'company-1',
  company: {
    name: 'Sample Works',
    description: 'Makes samples, of anything.',
    website: 'sample.example',
    founded_year: 2019,
    hq: { city: 'Sampleton', state: 'Exampleshire', country: 'Nowhere', continent: 'Europe' },
    industry: ['Software', 'Data'],
    tech_verticals: [['Data', 'Pipelines']],
    is_industry_estimated: false,
  },
  signal_source: ['https://news.example/one'],
};

const job = {
  company_name: 'Sample Works',
  title: 'Engineer',
  departments: ['Engineering'],
  start_date: '2020-01-01',
  is_current: true,
  job_order: 1,
  company_id: 'company-1',
  description: 'Builds samples. '.repeat(12),
  industry: ['Software'],
  tech_verticals: [['Data', 'Pipelines']],
};
const person = {
  last_updated: '2026-02-03 04:05:06',
  talent_signal_ids: [],
  investor_signal_ids: ['00000000-0000-4000-8000-000000000001'],
  first_name: 'Ada',
  last_name: 'Sample',
  full_name: 'Ada Sample',
  profnet_url: 'https://profnet.example/in/ada-sample',
  profnet_num_id: 123456,
  about: 'Invented. '.repeat(30),
  location: 'Sampleton, Exampleshire, Nowhere, Europe',
  highlights: ['vc_backed_experience'],
  years_of_experience: 12,
  experience: [job, job, job, job, job],
  education: [{ name: 'University of Examples', degree_title: 'MSc' }],
  languages: [{ name: 'English', proficiency_level: 'Native' }],
  skills: ['Sampling', 'Examples', 'Invention'],
};

export const answerOf = {
  health: { status: 'OK', relational_store: 'OK', analytics_store: 'OK' },
  person: (/** @type {string} */ id) => ({ person_id: id, ...person }),
  signal: (/** @type {number} */ number) => ({
    signal_id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    ...signal,
  }),
  group: (/** @type {string} */ name) => ({
    query: { profnet_id: name },
    matches: [
      {
        person_id: `per_${name}`,
        full_name: `Person ${name}`,
        profnet_url: `https://profnet.example/in/${name}`,
      },
    ],
  }),
};
