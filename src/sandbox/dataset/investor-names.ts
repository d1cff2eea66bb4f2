/** Invents names and web sites of investors, which signals show and look-ups use. */
import { between, pick, type Random, streamOf } from './random.ts';

/** Investor 2 has no signal, 4 and 5 share a name, and every sixth from the fifth on has no web site. */
const quietInvestor = 2;
const twinName = 'Twin Sample Partners';

export type InvestorNames = ReturnType<typeof inventInvestorNames>;

export function inventInvestorNames(seed: number, total: number) {
  const stream = streamOf(seed, 'investor name');
  return {
    total,
    name(number: number): string {
      if (number === 1) return 'Sample Harbor Ventures 1';
      if (number === 4 || number === 5) return twinName;
      return `Sample ${pick(stream(number), ['Harbor', 'Fjord', 'Meadow', 'Granite', 'Ñandú'])} Capital ${number}`;
    },
    domain: (number: number) => (number % 6 === 5 ? null : `investor-${number}.example`),
    /** An investor who shows interest in somebody. */
    active(random: Random): number {
      const drawn = between(random, 1, total);
      return drawn === quietInvestor ? 1 : drawn;
    },
  };
}
