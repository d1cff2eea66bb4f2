/** The invented records are made of these words. None of them names a real person or company. */
import type { NonEmpty } from './random.ts';

type City = Readonly<Record<'city' | 'state' | 'country' | 'continent', string>>;

export const words = {
  firstNames: [
    ['Ada', 'ada'],
    ['Zoë', 'zoe'],
    ['José', 'jose'],
    ['Łukasz', 'lukasz'],
    ['美咲', 'misaki'],
    ['Søren', 'soren'],
    ['Chloé', 'chloe'],
    ['王芳', 'wangfang'],
    ['Priya', 'priya'],
    ['Kwame', 'kwame'],
    ['Ingrid', 'ingrid'],
    ['Tomás', 'tomas'],
  ],
  trades: [
    'Widgets',
    'Robotics',
    'Analytics',
    'Biotech',
    'Logistics',
    'Payments',
    'Energy',
    'Software',
  ],
  industries: [
    'Software',
    'Financial Services',
    'Health Care',
    'Manufacturing',
    'Energy',
    'Education',
  ],
  verticals: [
    ['Artificial Intelligence', 'Machine Learning'],
    ['Fintech', 'Payments'],
    ['Health Tech', 'Diagnostics'],
    ['Climate Tech', 'Storage'],
    ['Robotics', 'Warehouse Automation'],
  ],
  places: [
    { city: 'Lisbon', state: 'Lisboa', country: 'Portugal', continent: 'Europe' },
    { city: 'São Paulo', state: 'São Paulo', country: 'Brazil', continent: 'South America' },
    { city: 'Montréal', state: 'Québec', country: 'Canada', continent: 'North America' },
    { city: 'Kyoto', state: 'Kyoto', country: 'Japan', continent: 'Asia' },
    { city: 'Nairobi', state: 'Nairobi County', country: 'Kenya', continent: 'Africa' },
  ],
  titles: [
    'Chief Executive Officer',
    'Founder',
    'Staff Engineer',
    'Head of Product',
    'Data Scientist',
    'Partner',
  ],
  departments: ['Engineering', 'Product', 'Operations', 'Finance'],
  seniorities: ['C-Level', 'Director', 'Manager', 'Individual Contributor'],
  sizes: ['1-10', '11-50', '51-200', '201-500', '501-1000'],
  skills: [
    'TypeScript',
    'Statistics',
    'Negotiation',
    'Hiring',
    'Pricing',
    'Go-to-market; sales',
    'C++',
  ],
  schools: ['Example University', 'Sample Institute of Technology', 'École d’Exemple'],
  /** Section "Person profile" gives these observed values. */
  highlights: [
    'major_tech_experience',
    'prior_vc_backed_experience',
    'strong_technical_background',
    'vc_backed_experience',
  ],
  stages: ['Pre-Seed', 'Seed', 'Series A', 'Series B', 'Growth'],
} satisfies Readonly<Record<string, NonEmpty<string | readonly [string, string] | City>>>;
