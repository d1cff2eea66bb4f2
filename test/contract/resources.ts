/**
 * The resources of the API document, typed out by hand from its section "Resources and their fields": a field a line, with `!` where a
 * record cannot be without it, the kind of its column, and its value in one whole record. Fields in lists have no column of their own.
 */
import type { operations } from '../../src/contract/operations.ts';

export interface Resource {
  readonly name: string;
  readonly operation: keyof typeof operations;
  readonly required: readonly string[];
  /** The name and the kind of each. */
  readonly columns: readonly string[];
  readonly record: Readonly<Record<string, unknown>>;
}

function resource(name: string, operation: Resource['operation'], lines: string): Resource {
  const fields = lines
    .trim()
    .split(/\s*\n\s*/)
    .map((line) => {
      const [, path = '', mark, kind, value] =
        /^([\w.]+)(!?)(?: (\w+))?(?: = (.*))?$/.exec(line) ?? [];
      return { path, kind, value, isRequired: mark === '!' };
    });
  return {
    name,
    operation,
    required: fields.filter(({ isRequired }) => isRequired).map(({ path }) => path),
    columns: fields.flatMap(({ path, kind }) => (kind === undefined ? [] : [`${path} ${kind}`])),
    record: fields.reduce<Resource['record']>(
      (record, { path, value }) =>
        value === undefined
          ? record
          : { ...Object(withValue(record, path.split('.'), JSON.parse(value))) },
      {},
    ),
  };
}

/** The whole with a value at a path of names, and of places in lists. */
function withValue(whole: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const within: unknown = Object(whole)[key];
  const changed = { ...Object(whole), [key]: withValue(within, rest, value) };
  return /^\d+$/.test(key) ? Object.values(changed) : changed;
}

const uuid = '3f2a8c10-5b7e-4d19-9c33-0a1b2c3d4e5f';

export const resources: readonly Resource[] = [
  resource(
    'Resolve group',
    'resolvePeople',
    `
    query!
    query.profnet_url url = "https://profnet.example/in/ada"
    query.profnet_id id = "ada"
    query.profnet_num_id id = 42
    query.profnet_urn id = "urn:li:ada"
    matches! json
    matches.0.person_id! = "per_a1"
    matches.0.full_name = "Ada Example"
    matches.0.profnet_url = "https://profnet.example/in/ada"`,
  ),
  resource(
    'Person profile',
    'getPerson',
    `
    person_id! id = "per_a1"
    last_updated date = "2025-03-01 10:20:30"
    talent_signal_ids list = ["${uuid}"]
    investor_signal_ids list = []
    profile_picture_url url = "https://pictures.example/a.png"
    first_name text = "Ada"
    last_name text = "Example"
    full_name text = "Ada Example"
    profnet_url url = "https://profnet.example/in/ada"
    profnet_num_id id = 42
    profnet_urn id = "urn:li:ada"
    twitter_url url = "https://twitter.example/ada"
    github_url url = "https://github.example/ada"
    about text = "About"
    tagline text = "Tag"
    location text = "Lund, Skåne, Sweden, Europe"
    region text = "Europe"
    highlights list = ["major_tech_experience", "a_new_one"]
    level_of_seniority text = "Director"
    years_of_experience count = 12
    education_level text = ""
    experience json
    experience.0.company_name = "Invented AB"
    experience.0.profnet_url = "https://profnet.example/company/invented"
    experience.0.title = "Engineer"
    experience.0.departments = ["Engineering"]
    experience.0.start_date = "2020-01-01"
    experience.0.end_date = "2022-01-01"
    experience.0.is_current = false
    experience.0.job_order = 1
    experience.0.company_id = "c1"
    experience.0.domain = "invented.example"
    experience.0.description = "Work"
    experience.0.company_size = "11-50"
    experience.0.industry = ["Software"]
    experience.0.tech_verticals = [["AI", "Vision"]]
    experience.0.location = "Lund"
    experience.0.founded_year = 1999
    current_position_title text = "CTO"
    current_position_company_name text = "Invented AB"
    current_position_company_website url = "invented.example"
    past_position_title text = "Engineer"
    past_position_company_name text = "Older AB"
    past_position_company_website url = "older.example"
    current_tenure number = 1.5
    average_tenure number = 2
    education json
    education.0.name = "Lund"
    education.0.profnet_url = "https://profnet.example/school/lund"
    education.0.field_of_study = "Maths"
    education.0.degree_title = "MSc"
    education.0.description = "<b>x</b>"
    education.0.start_date = "2010-01-01"
    education.0.end_date = "2015-01-01"
    education.0.location = "Lund"
    languages json
    languages.0.name = "Swedish"
    languages.0.proficiency_level = "Native"
    skills list = ["Logic"]
    profnet_followers count = 10
    profnet_connections count = 500`,
  ),
  resource(
    'Investor-interest signal',
    'readInvestorInterest',
    `
    signal_id! id = "${uuid}"
    signal_date date = "2025-02-28"
    signal_score count = 7
    signal_summary text = "Summary"
    signal_type text = "Company"
    source_types list = ["influencer", "private_equity"]
    signal_total_funding_usd usd = 1000000
    signal_last_funding_date date = "2024-12-31"
    signal_last_funding_usd usd = 250000.5
    signal_investors json
    signal_investors.0.name = "Invented Capital"
    signal_investors.0.other = 1
    entity_id id = "c1"
    company.name text = "Invented AB"
    company.description text = "D"
    company.website url = "invented.example"
    company.profnet_url url = "https://profnet.example/company/invented"
    company.twitter_url url = "https://twitter.example/invented"
    company.founded_year count = 1999
    company.hq.city text = "Lund"
    company.hq.state text = "Skåne"
    company.hq.country text = "Sweden"
    company.hq.continent text = "Europe"
    company.industry list = ["Software"]
    company.tech_verticals json = [["AI", "Vision"]]
    company.is_industry_estimated flag = true
    company.customer_focus text = "B2B"
    person.full_name text = "Ada Example"
    person.description text = "D"
    person.website url = "ada.example"
    person.profnet_url url = "https://profnet.example/in/ada"
    person.twitter_url url = "https://twitter.example/ada"
    person.founded_year count = 2001
    person.location.city text = "Lund"
    person.location.state text = "Skåne"
    person.location.country text = "Sweden"
    person.location.continent text = "Europe"
    person.industry list = ["Software"]
    person.tech_verticals json = [["AI", "Vision"]]
    person.is_industry_estimated flag = false
    signal_source list = ["https://news.example/1"]`,
  ),
  resource(
    'Network person',
    'listNetworkPeople',
    `
    person_id! id = "per_a1"
    connected_on! text = "profnet"
    connected_at! date = "2025-01-02T03:04:05Z"
    connected_teammates! list = ["u1", "u2"]
    first_name text = "Ada"
    last_name text = "Example"
    full_name text = "Ada Example"
    headline text = "CTO"
    profile_picture_url url = "https://pictures.example/a.png"
    profnet_url url = "https://profnet.example/in/ada"
    twitter_url url = "https://twitter.example/ada"
    github_url url = "https://github.example/ada"
    primary_role text = "founder"
    current_company_id id = "c1"`,
  ),
  resource(
    'Company latest revenue',
    'getCompanyLatestRevenue',
    `
    id! id = "c1"
    company_name text = "Invented AB"
    domain text = "invented.example"
    est_revenue_usd usd = 1500000
    latest_revenue_reported_usd usd = 1400000.25
    latest_revenue_reported_date date = "2024-12-31"
    revenue_type text = "ARR"
    est_revenue_growth_1m_pct percent = 4.05
    est_revenue_growth_3m_pct percent = -1.5
    est_revenue_growth_6m_pct percent = 0
    est_revenue_growth_1y_pct percent = 12
    est_revenue_growth_2y_pct percent = 30.25`,
  ),
  ...(['getFundingRoundsSearch', 'getTalentSearch'] as const).map((operation) =>
    resource(
      `Saved search details (${operation})`,
      operation,
      `
      id! id = 7
      name text = "Seed rounds"
      query_id id = 8
      product_type text = "funding_rounds"
      is_global flag = true
      full_count count = 123`,
    ),
  ),
  resource(
    'Company list summary',
    'listCompanyLists',
    `
    id! id = "${uuid}"
    name text = "List"
    is_global flag = false
    shared_with list = []
    created_at date = "2025-01-02T03:04:05Z"
    updated_at date = "2025-01-02T03:04:05Z"
    company_count count = 3`,
  ),
  resource(
    'People list',
    'modifyPeopleList',
    `
    id! id = "${uuid}"
    name text = "List"
    created_at date = "2025-01-02T03:04:05Z"
    updated_at date = "2025-01-02T03:04:05Z"
    people json
    people.0.person_id! = "per_a1"
    people.0.created_at = "2025-01-02T03:04:05Z"`,
  ),
  resource(
    'Investor list',
    'getInvestorList',
    `
    id! id = "${uuid}"
    name text = "List"
    created_at date = "2025-01-02T03:04:05Z"
    updated_at date = "2025-01-02T03:04:05Z"
    investors json
    investors.0.investor_id! = "inv_a1"
    investors.0.created_at = "2025-01-02T03:04:05Z"`,
  ),
  resource(
    'Investor record',
    'findInvestors',
    `
    investor_id! id = "inv_a1"
    strategic_signal_ids! list = ["${uuid}"]
    investor_name! text = "Invented Capital"
    investor_types! list = ["venture_capital"]
    investment_stage! list = ["Seed", "Series A"]
    industry_target! list = ["Software"]
    svc_industry_target! list = ["Software"]
    svc_tech_verticals_target! list = ["AI"]
    fund_details! json
    fund_details.0.name = "Fund I"
    fund_details.0.announced_on = "2020-01-01"
    fund_details.0.raised_amount_usd = "1000000"
    portfolio_companies! list = ["c1"]
    person_id id = "per_a1"
    company_id id = "c2"
    investor_rank count = 12
    company_size text = "11-50"
    operating_status text = "active"
    domain text = "capital.example"
    hq_location text = "Lund"
    founded_year count = 1999
    profnet_url url = "https://profnet.example/company/capital"
    twitter_url url = "https://twitter.example/capital"
    description text = "D"
    number_of_exits count = 1
    number_of_lead_investments count = 2
    number_of_investments count = 3
    number_of_funds count = 4`,
  ),
  resource(
    'Health report',
    'checkHealth',
    'status! text = "OK"\nrelational_store text = "OK"\nanalytics_store text = "ERROR"',
  ),
];
