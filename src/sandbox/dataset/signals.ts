/** Invents investor-interest signals. Place 0 is the newest in the default order, and ids ascend within a day, so nothing is sorted. */

import { type InvestorInterestSignal, sourceTypes } from '../../contract/feed.ts';
import { companyOf } from './companies.ts';
import { type Data, type Draws, dateAgo, ids, indexed, signalDays } from './data.ts';
import { activeInvestor, investorName } from './investors.ts';
import { nameOf } from './people.ts';
import { between, pick, pickSome, type Random, streamOf } from './random.ts';
import { words } from './words.ts';

export type SignalFacts = ReturnType<typeof factsOf>;

const hasEntityId = (place: number) => place % 11 !== 5;

const typeOf = (place: number) => (place % 2 === 0 ? 'Talent' : 'Company');

/** The two newest signals are always about the first person and the first company. */
function subjectOf({ seed, total }: Draws, place: number): number {
  const most = typeOf(place) === 'Talent' ? total.people : total.companies;
  return place < 2 ? 1 : between(streamOf(seed, 'signal subject', place), 1, most);
}

function interestedIn(data: Draws, place: number): readonly number[] {
  const random = streamOf(data.seed, 'signal investors', place);
  const [one, other] = [activeInvestor(data, random), activeInvestor(data, random)];
  return one === other ? [one] : [one, other];
}

/** Each question about a signal has its own stream, so that no answer depends on another. */
export function factsOf(data: Draws, place: number) {
  const random = streamOf(data.seed, 'signal', place);
  return {
    type: typeOf(place),
    subject: subjectOf(data, place),
    score: between(random, 1, 10),
    sourceTypes: pickSome(random, sourceTypes, between(random, 1, 3)),
    investors: interestedIn(data, place),
  };
}

export function indexedSignals(draws: Draws, places: readonly number[]): Data['signalsOf'] {
  const about = (type: SignalFacts['type']) => (place: number) => (typeOf(place) === type ? [subjectOf(draws, place)] : []);
  return {
    people: indexed(places, about('Talent')),
    companies: indexed(places, about('Company')),
    investors: indexed(places, (place) => interestedIn(draws, place)),
  };
}

export const daysAgo = ({ total }: Draws, place: number): number => Math.floor((place * signalDays) / total.signals);

const personIn = (number: number, name: ReturnType<typeof nameOf>, random: Random): InvestorInterestSignal['person'] => ({
  full_name: name.full_name,
  description: number === 3 ? '@SUM(A1:A9) stealth founder' : 'An invented person on the move',
  ...(number % 2 === 0 && { website: `https://${name.slug}.example` }),
  profnet_url: name.profnet_url,
  location: { ...pick(random, words.places) },
  industry: pickSome(random, words.industries, 1),
  tech_verticals: pickSome(random, words.verticals, 1).map((pair) => [...pair]),
  is_industry_estimated: number % 2 === 1,
});

function happening(place: number, days: number, { type, score, sourceTypes: sources, investors }: SignalFacts, random: Random) {
  const lastRound = between(random, 1, 400) * 50_000;
  return {
    signal_id: ids.signals.make(place),
    signal_date: dateAgo(days),
    signal_score: score,
    signal_summary: `${investors.length} invented investor(s) showed interest, number ${place}`,
    signal_type: type,
    source_types: [...sources],
    signal_total_funding_usd: lastRound + between(random, 0, 900) * 10_000.5,
    signal_last_funding_date: dateAgo(days + between(random, 10, 700)),
    signal_last_funding_usd: lastRound,
  };
}

function aboutOf(data: Data, { type, subject }: SignalFacts, place: number): Partial<InvestorInterestSignal> {
  if (type === 'Talent') {
    const name = nameOf(data, subject);
    const random = streamOf(data.seed, 'signal detail', place);
    return { ...(hasEntityId(place) && { entity_id: name.person_id }), person: personIn(subject, name, random) };
  }
  const { id, about } = companyOf(data, subject);
  return { ...(hasEntityId(place) && { entity_id: id }), company: about };
}

export function signalOf(data: Data, place: number): InvestorInterestSignal {
  const facts = factsOf(data, place);
  return {
    ...happening(place, daysAgo(data, place), facts, streamOf(data.seed, 'signal detail', place)),
    signal_investors: facts.investors.map((number) => ({ name: investorName(data, number) })),
    ...aboutOf(data, facts, place),
    signal_source: [`https://news.example/signals/${place}`],
  };
}
