/** Counts the people of a network by role, and by how many teammates know them. */
import { readerOf } from '../read.ts';
import { type Bar, barLines, grouped } from './bars.ts';
import { NameCounts } from './name-counts.ts';
import type { Picture } from './picture.ts';

const maxRoles = 7;
const manyTeammates = 5;

const teammatesText = (number: number): string =>
  number === manyTeammates ? `${number} teammates or more` : `${number} teammate${number === 1 ? '' : 's'}`;

const [roleOf, teammatesOf] = [readerOf('primary_role'), readerOf('connected_teammates')];

export function networkPicture(): Picture {
  const roles = new NameCounts('no role given');
  const byTeammates = new Map<number, number>();
  let total = 0;
  const teammateBars = (): readonly Bar[] =>
    Array.from(byTeammates)
      .toSorted(([one], [other]) => one - other)
      .map(([number, count]) => ({ label: teammatesText(number), count }));
  return {
    add(record) {
      total += 1;
      roles.add(roleOf(record));
      const teammates = teammatesOf(record);
      if (!Array.isArray(teammates)) return;
      const number = Math.min(manyTeammates, teammates.length);
      byTeammates.set(number, (byTeammates.get(number) ?? 0) + 1);
    },
    lines(view) {
      const blocks = [
        { title: `${grouped(total)} people by role`, bars: roles.bars(maxRoles) },
        { title: 'Known to', bars: teammateBars() },
      ];
      return barLines(blocks, view);
    },
  };
}
