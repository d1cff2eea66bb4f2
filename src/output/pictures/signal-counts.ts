/** Counts signals by day and by type. */
import { readerOf } from '../read.ts';
import { barLines, grouped } from './bars.ts';
import { DayCounts } from './day-counts.ts';
import { NameCounts } from './name-counts.ts';
import type { Picture } from './picture.ts';

/** Both parts must stay visible below the table. */
const maxDays = 10;
const maxTypes = 4;

const [dateOf, typeOf] = [readerOf('signal_date'), readerOf('signal_type')];

export function signalsPicture(): Picture {
  const [days, types] = [new DayCounts(), new NameCounts('no type')];
  let total = 0;
  return {
    add(record) {
      total += 1;
      days.add(dateOf(record));
      types.add(typeOf(record));
    },
    lines(view) {
      const { unit, bars } = days.histogram(maxDays);
      const blocks = [
        { title: `${grouped(total)} signals by ${unit}`, bars },
        { title: 'By type', bars: types.bars(maxTypes) },
      ];
      return barLines(blocks, view);
    },
  };
}
