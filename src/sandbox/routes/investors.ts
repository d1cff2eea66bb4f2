/** Endpoint 10: GET /investors. */
import { type HandlersOf, ok } from '../handler.ts';
import { invalid } from '../refusal.ts';

/** A blank parameter counts as not sent. */
const given = (value: string | undefined): string | undefined => (value?.trim() === '' ? undefined : value);

export const investorRoutes: HandlersOf<'findInvestors'> = {
  /** The document does not define this: a request without parameters is refused; with two parameters, both must match. */
  findInvestors({ query }, { dataset: { investors } }) {
    const name = given(query.name);
    const website = given(query.website);
    if (name === undefined && website === undefined) throw invalid('Send name, website, or both');
    const named = name === undefined ? undefined : investors.named(name);
    const there = website === undefined ? undefined : investors.at(website);
    const numbers = (named ?? there ?? []).filter((number) => there?.includes(number) ?? true);
    return ok(numbers.map((number) => investors.investor(number)));
  },
};
