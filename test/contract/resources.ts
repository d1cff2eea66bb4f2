/**
 * The resources of the API document, typed out by hand from its section "Resources and their fields": for each the columns
 * that its fields make (name and kind, one a line), the fields a record cannot be without, and one whole record.
 */
import type { operations } from '../../src/contract/operations.ts';

export interface Resource {
  readonly name: string;
  readonly operation: keyof typeof operations;
  readonly required: readonly string[];
  readonly columns: string;
  readonly record: Readonly<Record<string, unknown>>;
}

const uuid = '3f2a8c10-5b7e-4d19-9c33-0a1b2c3d4e5f';
const place = { city: 'Lund', state: 'Skåne', country: 'Sweden', continent: 'Europe' };

const person: Resource = {
  name: 'Person profile',
  operation: 'getPerson',
  required: ['person_id'],
  columns: `
    person_id id
    last_updated date
    talent_signal_ids list
    investor_signal_ids list
    profile_picture_url url
    first_name text
    last_name text
    full_name text
    profnet_url url
    profnet_num_id id
    profnet_urn id
    twitter_url url
    github_url url
    about text
    tagline text
    location text
    region text
    highlights list
    level_of_seniority text
    years_of_experience count
    education_level text
    experience json
    current_position_title text
    current_position_company_name text
    current_position_company_website url
    past_position_title text
    past_position_company_name text
    past_position_company_website url
    current_tenure number
    average_tenure number
    education json
    languages json
    skills list
    profnet_followers count
    profnet_connections count`,
  record: {
    person_id: 'per_a1',
    last_updated: '2025-03-01 10:20:30',
    talent_signal_ids: [uuid],
    investor_signal_ids: [],
    profile_picture_url: 'https://pictures.example/a.png',
    first_name: 'Ada',
    last_name: 'Example',
    full_name: 'Ada Example',
    profnet_url: 'https://profnet.example/in/ada',
    profnet_num_id: 42,
    profnet_urn: 'urn:li:ada',
    twitter_url: 'https://twitter.example/ada',
    github_url: 'https://github.example/ada',
    about: 'About',
    tagline: 'Tag',
    location: 'Lund, Skåne, Sweden, Europe',
    region: 'Europe',
    highlights: ['major_tech_experience', 'a_new_one'],
    level_of_seniority: 'Director',
    years_of_experience: 12,
    education_level: '',
    experience: [
      {
        company_name: 'Invented AB',
        profnet_url: 'https://profnet.example/company/invented',
        title: 'Engineer',
        departments: ['Engineering'],
        start_date: '2020-01-01',
        end_date: '2022-01-01',
        is_current: false,
        job_order: 1,
        company_id: 'c1',
        domain: 'invented.example',
        description: 'Work',
        company_size: '11-50',
        industry: ['Software'],
        tech_verticals: [['AI', 'Vision']],
        location: 'Lund',
        founded_year: 1999,
      },
    ],
    current_position_title: 'CTO',
    current_position_company_name: 'Invented AB',
    current_position_company_website: 'invented.example',
    past_position_title: 'Engineer',
    past_position_company_name: 'Older AB',
    past_position_company_website: 'older.example',
    current_tenure: 1.5,
    average_tenure: 2,
    education: [
      {
        name: 'Lund',
        profnet_url: 'https://profnet.example/school/lund',
        field_of_study: 'Maths',
        degree_title: 'MSc',
        description: '<b>x</b>',
        start_date: '2010-01-01',
        end_date: '2015-01-01',
        location: 'Lund',
      },
    ],
    languages: [{ name: 'Swedish', proficiency_level: 'Native' }],
    skills: ['Logic'],
    profnet_followers: 10,
    profnet_connections: 500,
  },
};

const signal: Resource = {
  name: 'Investor-interest signal',
  operation: 'readInvestorInterest',
  required: ['signal_id'],
  columns: `
    signal_id id
    signal_date date
    signal_score count
    signal_summary text
    signal_type text
    source_types list
    signal_total_funding_usd usd
    signal_last_funding_date date
    signal_last_funding_usd usd
    signal_investors json
    entity_id id
    company.name text
    company.description text
    company.website url
    company.profnet_url url
    company.twitter_url url
    company.founded_year count
    company.hq.city text
    company.hq.state text
    company.hq.country text
    company.hq.continent text
    company.industry list
    company.tech_verticals json
    company.is_industry_estimated flag
    company.customer_focus text
    person.full_name text
    person.description text
    person.website url
    person.profnet_url url
    person.twitter_url url
    person.founded_year count
    person.location.city text
    person.location.state text
    person.location.country text
    person.location.continent text
    person.industry list
    person.tech_verticals json
    person.is_industry_estimated flag
    signal_source list`,
  record: {
    signal_id: uuid,
    signal_date: '2025-02-28',
    signal_score: 7,
    signal_summary: 'Summary',
    signal_type: 'Company',
    source_types: ['influencer', 'private_equity'],
    signal_total_funding_usd: 1_000_000,
    signal_last_funding_date: '2024-12-31',
    signal_last_funding_usd: 250_000.5,
    signal_investors: [{ name: 'Invented Capital', other: 1 }],
    entity_id: 'c1',
    company: {
      name: 'Invented AB',
      description: 'D',
      website: 'invented.example',
      profnet_url: 'https://profnet.example/company/invented',
      twitter_url: 'https://twitter.example/invented',
      founded_year: 1999,
      hq: place,
      industry: ['Software'],
      tech_verticals: [['AI', 'Vision']],
      is_industry_estimated: true,
      customer_focus: 'B2B',
    },
    person: {
      full_name: 'Ada Example',
      description: 'D',
      website: 'ada.example',
      profnet_url: 'https://profnet.example/in/ada',
      twitter_url: 'https://twitter.example/ada',
      founded_year: 2001,
      location: place,
      industry: ['Software'],
      tech_verticals: [['AI', 'Vision']],
      is_industry_estimated: false,
    },
    signal_source: ['https://news.example/1'],
  },
};

const networkPerson: Resource = {
  name: 'Network person',
  operation: 'listNetworkPeople',
  required: ['person_id', 'connected_on', 'connected_at', 'connected_teammates'],
  columns: `
    person_id id
    connected_on text
    connected_at date
    connected_teammates list
    first_name text
    last_name text
    full_name text
    headline text
    profile_picture_url url
    profnet_url url
    twitter_url url
    github_url url
    primary_role text
    current_company_id id`,
  record: {
    person_id: 'per_a1',
    connected_on: 'profnet',
    connected_at: '2025-01-02T03:04:05Z',
    connected_teammates: ['u1', 'u2'],
    first_name: 'Ada',
    last_name: 'Example',
    full_name: 'Ada Example',
    headline: 'CTO',
    profile_picture_url: 'https://pictures.example/a.png',
    profnet_url: 'https://profnet.example/in/ada',
    twitter_url: 'https://twitter.example/ada',
    github_url: 'https://github.example/ada',
    primary_role: 'founder',
    current_company_id: 'c1',
  },
};

const revenue: Resource = {
  name: 'Company latest revenue',
  operation: 'getCompanyLatestRevenue',
  // Present, though the document leaves open whether it is null where there is no revenue data.
  required: ['id'],
  columns: `
    id id
    company_name text
    domain text
    est_revenue_usd usd
    latest_revenue_reported_usd usd
    latest_revenue_reported_date date
    revenue_type text
    est_revenue_growth_1m_pct percent
    est_revenue_growth_3m_pct percent
    est_revenue_growth_6m_pct percent
    est_revenue_growth_1y_pct percent
    est_revenue_growth_2y_pct percent`,
  record: {
    id: 'c1',
    company_name: 'Invented AB',
    domain: 'invented.example',
    est_revenue_usd: 1_500_000,
    latest_revenue_reported_usd: 1_400_000.25,
    latest_revenue_reported_date: '2024-12-31',
    revenue_type: 'ARR',
    est_revenue_growth_1m_pct: 4.05,
    est_revenue_growth_3m_pct: -1.5,
    est_revenue_growth_6m_pct: 0,
    est_revenue_growth_1y_pct: 12,
    est_revenue_growth_2y_pct: 30.25,
  },
};

const savedSearch = (operation: 'getFundingRoundsSearch' | 'getTalentSearch'): Resource => ({
  name: `Saved search details (${operation})`,
  operation,
  required: ['id'],
  columns: `
    id id
    name text
    query_id id
    product_type text
    is_global flag
    full_count count`,
  record: { id: 7, name: 'Seed rounds', query_id: 8, product_type: 'funding_rounds', is_global: true, full_count: 123 },
});

const companyList: Resource = {
  name: 'Company list summary',
  operation: 'listCompanyLists',
  required: ['id'],
  columns: `
    id id
    name text
    is_global flag
    shared_with list
    created_at date
    updated_at date
    company_count count`,
  record: {
    id: uuid,
    name: 'List',
    is_global: false,
    shared_with: [],
    created_at: '2025-01-02T03:04:05Z',
    updated_at: '2025-01-02T03:04:05Z',
    company_count: 3,
  },
};

const peopleList: Resource = {
  name: 'People list',
  operation: 'modifyPeopleList',
  required: ['id'],
  columns: `
    id id
    name text
    created_at date
    updated_at date
    people json`,
  record: {
    id: uuid,
    name: 'List',
    created_at: '2025-01-02T03:04:05Z',
    updated_at: '2025-01-02T03:04:05Z',
    people: [{ person_id: 'per_a1', created_at: '2025-01-02T03:04:05Z' }],
  },
};

const investorList: Resource = {
  name: 'Investor list',
  operation: 'getInvestorList',
  required: ['id'],
  columns: `
    id id
    name text
    created_at date
    updated_at date
    investors json`,
  record: {
    id: uuid,
    name: 'List',
    created_at: '2025-01-02T03:04:05Z',
    updated_at: '2025-01-02T03:04:05Z',
    investors: [{ investor_id: 'inv_a1', created_at: '2025-01-02T03:04:05Z' }],
  },
};

const investor: Resource = {
  name: 'Investor record',
  operation: 'findInvestors',
  required: [
    'investor_id',
    'strategic_signal_ids',
    'investor_name',
    'investor_types',
    'investment_stage',
    'industry_target',
    'svc_industry_target',
    'svc_tech_verticals_target',
    'fund_details',
    'portfolio_companies',
  ],
  columns: `
    investor_id id
    strategic_signal_ids list
    investor_name text
    investor_types list
    investment_stage list
    industry_target list
    svc_industry_target list
    svc_tech_verticals_target list
    fund_details json
    portfolio_companies list
    person_id id
    company_id id
    investor_rank count
    company_size text
    operating_status text
    domain text
    hq_location text
    founded_year count
    profnet_url url
    twitter_url url
    description text
    number_of_exits count
    number_of_lead_investments count
    number_of_investments count
    number_of_funds count`,
  record: {
    investor_id: 'inv_a1',
    strategic_signal_ids: [uuid],
    investor_name: 'Invented Capital',
    investor_types: ['venture_capital'],
    investment_stage: ['Seed', 'Series A'],
    industry_target: ['Software'],
    svc_industry_target: ['Software'],
    svc_tech_verticals_target: ['AI'],
    fund_details: [{ name: 'Fund I', announced_on: '2020-01-01', raised_amount_usd: '1000000' }],
    portfolio_companies: ['c1'],
    person_id: 'per_a1',
    company_id: 'c2',
    investor_rank: 12,
    company_size: '11-50',
    operating_status: 'active',
    domain: 'capital.example',
    hq_location: 'Lund',
    founded_year: 1999,
    profnet_url: 'https://profnet.example/company/capital',
    twitter_url: 'https://twitter.example/capital',
    description: 'D',
    number_of_exits: 1,
    number_of_lead_investments: 2,
    number_of_investments: 3,
    number_of_funds: 4,
  },
};

const health: Resource = {
  name: 'Health report',
  operation: 'checkHealth',
  required: ['status'],
  columns: `
    status text
    relational_store text
    analytics_store text`,
  record: { status: 'OK', relational_store: 'OK', analytics_store: 'ERROR' },
};

const resolveGroup: Resource = {
  name: 'Resolve group',
  operation: 'resolvePeople',
  required: ['query', 'matches'],
  columns: `
    query.profnet_url url
    query.profnet_id id
    query.profnet_num_id id
    query.profnet_urn id
    matches json`,
  record: {
    query: { profnet_url: 'https://profnet.example/in/ada', profnet_id: 'ada', profnet_num_id: 42, profnet_urn: 'urn:li:ada' },
    matches: [{ person_id: 'per_a1', full_name: 'Ada Example', profnet_url: 'https://profnet.example/in/ada' }],
  },
};

export const resources: readonly Resource[] = [
  resolveGroup,
  person,
  signal,
  networkPerson,
  revenue,
  savedSearch('getFundingRoundsSearch'),
  savedSearch('getTalentSearch'),
  companyList,
  peopleList,
  investorList,
  investor,
  health,
];
