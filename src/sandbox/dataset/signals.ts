/** Invents investor-interest signals. Place 0 is the newest in the default order, and ids ascend within a day, so nothing is sorted. */

import { type InvestorInterestSignal, sourceTypes } from '../../contract/feed.ts';
import { dateAgo, signalDays } from './calendar.ts';
import type { Companies } from './companies.ts';
import { indexed, signalIds } from './identifiers.ts';
import type { InvestorNames } from './investors.ts';
import type { Name, Names } from './names.ts';
import { between, pick, pickSome, type Random, streamOf } from './random.ts';
import { industries, places, verticals } from './words.ts';

export interface SignalFacts {
  readonly type: 'Company' | 'Talent';
  readonly subject: number;
  readonly score: number;
  readonly sourceTypes: readonly string[];
  readonly investors: readonly number[];
}

export type Signals = ReturnType<typeof inventSignals>;

/** Some signals name their subject only by website or profile URL. */
const hasEntityId = (place: number) => place % 11 !== 5;

/** Each question about a signal has its own stream, so that no answer depends on another. */
function drawsOf(seed: number, total: number, subjects: Readonly<Record<SignalFacts['type'], number>>, investors: InvestorNames) {
  const stream = streamOf(seed, 'signal');
  const subjectStream = streamOf(seed, 'signal subject');
  const investorStream = streamOf(seed, 'signal investors');

  const typeOf = (place: number) => (place % 2 === 0 ? 'Talent' : 'Company');

  /** The two newest signals are always about the first person and the first company. */
  const subjectOf = (place: number): number => (place < 2 ? 1 : between(subjectStream(place), 1, subjects[typeOf(place)]));

  function interestedIn(place: number): readonly number[] {
    const random = investorStream(place);
    const [one, other] = [investors.active(random), investors.active(random)];
    return one === other ? [one] : [one, other];
  }

  function facts(place: number): SignalFacts {
    const random = stream(place);
    return {
      type: typeOf(place),
      subject: subjectOf(place),
      score: between(random, 1, 10),
      sourceTypes: pickSome(random, sourceTypes, between(random, 1, 3)),
      investors: interestedIn(place),
    };
  }

  const daysAgo = (place: number) => Math.floor((place * signalDays) / total);
  const subjectsOf = (type: SignalFacts['type']) => (place: number) => (typeOf(place) === type ? [subjectOf(place)] : []);
  return { facts, daysAgo, subjectsOf, interestedIn };
}

const personIn = (number: number, name: Name, random: Random): InvestorInterestSignal['person'] => ({
  full_name: name.fullName,
  description: number === 3 ? '@SUM(A1:A9) stealth founder' : 'An invented person on the move',
  ...(number % 2 === 0 && { website: `https://${name.slug}.example` }),
  profnet_url: name.url,
  location: { ...pick(random, places) },
  industry: pickSome(random, industries, 1),
  tech_verticals: pickSome(random, verticals, 1).map((pair) => [...pair]),
  is_industry_estimated: number % 2 === 1,
});

function happening(place: number, days: number, { type, score, sourceTypes: sources, investors }: SignalFacts, random: Random) {
  const lastRound = between(random, 1, 400) * 50_000;
  return {
    signal_id: signalIds.make(place),
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

export function inventSignals(seed: number, total: number, names: Names, companies: Companies, investors: InvestorNames) {
  const subjects = { Talent: names.total, Company: companies.total };
  const { facts, daysAgo, subjectsOf, interestedIn } = drawsOf(seed, total, subjects, investors);
  const detailStream = streamOf(seed, 'signal detail');

  function aboutOf({ type, subject }: SignalFacts, place: number): Partial<InvestorInterestSignal> {
    if (type === 'Talent') {
      const name = names.name(subject);
      return { ...(hasEntityId(place) && { entity_id: name.personId }), person: personIn(subject, name, detailStream(place)) };
    }
    const { id, about } = companies.company(subject);
    return { ...(hasEntityId(place) && { entity_id: id }), company: about };
  }

  function signal(place: number): InvestorInterestSignal {
    const known = facts(place);
    return {
      ...happening(place, daysAgo(place), known, detailStream(place)),
      signal_investors: known.investors.map((number) => ({ name: investors.name(number) })),
      ...aboutOf(known, place),
      signal_source: [`https://news.example/signals/${place}`],
    };
  }

  const places = Array.from({ length: total }, (_, place) => place);
  return {
    places,
    facts,
    daysAgo,
    signal,
    ofPerson: indexed(places, subjectsOf('Talent')),
    ofCompany: indexed(places, subjectsOf('Company')),
    ofInvestor: indexed(places, interestedIn),
  };
}
