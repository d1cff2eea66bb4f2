/** The invented records are made of these words. None of them names a real person or company. */
import type { NonEmpty } from './random.ts';

export const firstNames: NonEmpty<readonly [shown: string, slug: string]> = [
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
];

export const trades: NonEmpty<string> = ['Widgets', 'Robotics', 'Analytics', 'Biotech', 'Logistics', 'Payments', 'Energy', 'Software'];

export const industries: NonEmpty<string> = ['Software', 'Financial Services', 'Health Care', 'Manufacturing', 'Energy', 'Education'];

export const verticals: NonEmpty<readonly [top: string, second: string]> = [
  ['Artificial Intelligence', 'Machine Learning'],
  ['Fintech', 'Payments'],
  ['Health Tech', 'Diagnostics'],
  ['Climate Tech', 'Storage'],
  ['Robotics', 'Warehouse Automation'],
];

export const places: NonEmpty<Readonly<Record<'city' | 'state' | 'country' | 'continent', string>>> = [
  { city: 'Lisbon', state: 'Lisboa', country: 'Portugal', continent: 'Europe' },
  { city: 'São Paulo', state: 'São Paulo', country: 'Brazil', continent: 'South America' },
  { city: 'Montréal', state: 'Québec', country: 'Canada', continent: 'North America' },
  { city: 'Kyoto', state: 'Kyoto', country: 'Japan', continent: 'Asia' },
  { city: 'Nairobi', state: 'Nairobi County', country: 'Kenya', continent: 'Africa' },
];

export const titles: NonEmpty<string> = [
  'Chief Executive Officer',
  'Founder',
  'Staff Engineer',
  'Head of Product',
  'Data Scientist',
  'Partner',
];
export const departments: NonEmpty<string> = ['Engineering', 'Product', 'Operations', 'Finance'];
export const seniorities: NonEmpty<string> = ['C-Level', 'Director', 'Manager', 'Individual Contributor'];
export const sizes: NonEmpty<string> = ['1-10', '11-50', '51-200', '201-500', '501-1000'];
export const skills: NonEmpty<string> = ['TypeScript', 'Statistics', 'Negotiation', 'Hiring', 'Pricing', 'Go-to-market; sales', 'C++'];
export const schools: NonEmpty<string> = ['Example University', 'Sample Institute of Technology', 'École d’Exemple'];

/** Section "Person profile" gives these observed values. */
export const highlights: NonEmpty<string> = [
  'major_tech_experience',
  'prior_vc_backed_experience',
  'strong_technical_background',
  'vc_backed_experience',
];

export const stages: NonEmpty<string> = ['Pre-Seed', 'Seed', 'Series A', 'Series B', 'Growth'];
