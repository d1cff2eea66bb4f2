/** Invents investor-interest signals. A signal has a number, which gives its day and all else: as days pass, it only gets older. */

import { type InvestorInterestSignal, sourceTypes } from '../../contract/feed.ts';
import { addDays } from '../../rows/days.ts';
import { companyOf } from './companies.ts';
import { type Data, type Draws, ids, indexed } from './data.ts';
import { activeInvestor, investorName } from './investors.ts';
import { nameOf } from './people.ts';
import { between, pick, pickSome, type Random, streamOf } from './random.ts';
import { words } from './words.ts';

export type SignalFacts = ReturnType<typeof factsOf>;

/** Signals reach this many days back, including today. */
const signalDays = 120;
const dayLength = 86_400_000;

/** Counts the days from 1970 on. */
export const dayNumber = (day: string): number => Date.parse(day) / dayLength;

/** A signal that somebody makes has its moment for a number, in milliseconds; the others are fewer and count from 1970 on. */
const isMade = (number: number): boolean => number >= 100_000_000_000;

const firstOf = ({ total }: Draws, day: number): number =>
  Math.ceil((day * total.signals) / signalDays);

export const daySignalled = ({ total }: Draws, number: number): number =>
  Math.floor(isMade(number) ? number / dayLength : (number * signalDays) / total.signals);

/** Gives the numbers of all signals until today, the newest day first. What was made comes first in its day, then ids ascend. */
export function numberedSignals(draws: Draws, made: readonly number[]): readonly number[] {
  return Array.from({ length: signalDays }, (_, ago) => {
    const day = dayNumber(draws.today) - ago;
    const first = firstOf(draws, day);
    const others = Array.from({ length: firstOf(draws, day + 1) - first }, (_, at) => first + at);
    return [...made.filter((number) => daySignalled(draws, number) === day).reverse(), ...others];
  }).flat();
}

const hasEntityId = (number: number) => number % 11 !== 5 || isMade(number);

const typeOf = (number: number) => (number % 2 === 0 || isMade(number) ? 'Talent' : 'Company');

/** The first two of each Tuesday are about the first person and the first company, so that every week has some; what is made is, too. */
function isAboutFirst(draws: Draws, number: number): boolean {
  const day = daySignalled(draws, number);
  return isMade(number) || (day % 7 === 5 && number - firstOf(draws, day) < 2);
}

function subjectOf(draws: Draws, number: number): number {
  const most = typeOf(number) === 'Talent' ? draws.total.people : draws.total.companies;
  return isAboutFirst(draws, number)
    ? 1
    : between(streamOf(draws.seed, 'signal subject', number), 1, most);
}

function interestedIn(data: Draws, number: number): readonly number[] {
  const random = streamOf(data.seed, 'signal investors', number);
  const [one, other] = [activeInvestor(data, random), activeInvestor(data, random)];
  return one === other ? [one] : [one, other];
}

/** Each question about a signal has its own stream, so that no answer depends on another. */
export function factsOf(data: Draws, number: number) {
  const random = streamOf(data.seed, 'signal', number);
  return {
    type: typeOf(number),
    subject: subjectOf(data, number),
    score: isMade(number) ? 10 : between(random, 1, 10),
    sourceTypes: pickSome(random, sourceTypes, between(random, 1, 3)),
    investors: interestedIn(data, number),
  };
}

export function indexedSignals(draws: Draws, numbers: readonly number[]): Data['signalsOf'] {
  const about = (type: SignalFacts['type']) => (number: number) =>
    typeOf(number) === type ? [subjectOf(draws, number)] : [];
  return {
    people: indexed(numbers, about('Talent')),
    companies: indexed(numbers, about('Company')),
    investors: indexed(numbers, (number) => interestedIn(draws, number)),
  };
}

const personIn = (
  number: number,
  name: ReturnType<typeof nameOf>,
  random: Random,
): InvestorInterestSignal['person'] => ({
  full_name: name.full_name,
  description: number === 3 ? '@SUM(A1:A9) stealth founder' : 'An invented person on the move',
  ...(number % 2 === 0 && { website: `https://${name.slug}.example` }),
  profnet_url: name.profnet_url,
  location: { ...pick(random, words.places) },
  industry: pickSome(random, words.industries, 1),
  tech_verticals: pickSome(random, words.verticals, 1).map((pair) => [...pair]),
  is_industry_estimated: number % 2 === 1,
});

function happening(
  data: Data,
  number: number,
  { type, score, sourceTypes: sources, investors }: SignalFacts,
) {
  const random = streamOf(data.seed, 'signal detail', number);
  const day = new Date(daySignalled(data, number) * dayLength).toISOString().slice(0, 10);
  const lastRound = between(random, 1, 400) * 50_000;
  return {
    signal_id: ids.signals.make(number),
    signal_date: day,
    signal_score: score,
    signal_summary: `${investors.length} invented investor(s) showed interest, number ${number}`,
    signal_type: type,
    source_types: [...sources],
    signal_total_funding_usd: lastRound + between(random, 0, 900) * 10_000.5,
    signal_last_funding_date: addDays(day, -between(random, 10, 700)),
    signal_last_funding_usd: lastRound,
  };
}

function aboutOf(
  data: Data,
  { type, subject }: SignalFacts,
  number: number,
): Partial<InvestorInterestSignal> {
  if (type === 'Talent') {
    const name = nameOf(data, subject);
    const random = streamOf(data.seed, 'signal detail', number);
    return {
      ...(hasEntityId(number) && { entity_id: name.person_id }),
      person: personIn(subject, name, random),
    };
  }
  const { id, about } = companyOf(data, subject);
  return { ...(hasEntityId(number) && { entity_id: id }), company: about };
}

export function signalOf(data: Data, number: number): InvestorInterestSignal {
  const facts = factsOf(data, number);
  return {
    ...happening(data, number, facts),
    signal_investors: facts.investors.map((number) => ({ name: investorName(data, number) })),
    ...aboutOf(data, facts, number),
    signal_source: [`https://news.example/signals/${number}`],
  };
}
