/** Counts company lists by who sees them, and the companies in them. */
import { isNumber } from '../../json/parse.ts';
import { readerOf } from '../read.ts';
import { barLines, grouped } from './bars.ts';
import type { Picture } from './picture.ts';

function numberOf(value: unknown): number {
  const number = isNumber(value) ? Number(value) : 0;
  return Number.isFinite(number) ? number : 0;
}

const [isGlobal, sharedWithOf, companyCount] = [readerOf('is_global'), readerOf('shared_with'), readerOf('company_count')];

function audienceOf(record: unknown): 'global' | 'shared' | 'not shared' {
  if (isGlobal(record) === true) return 'global';
  const sharedWith = sharedWithOf(record);
  return Array.isArray(sharedWith) && sharedWith.length > 0 ? 'shared' : 'not shared';
}

export function companyListsPicture(): Picture {
  const counts = { global: 0, shared: 0, 'not shared': 0 };
  let [total, entries] = [0, 0];
  return {
    add(record) {
      total += 1;
      entries += numberOf(companyCount(record));
      counts[audienceOf(record)] += 1;
    },
    lines(view) {
      const bars = Object.entries(counts).map(([label, count]) => ({ label, count }));
      // A company in two lists counts as two entries.
      const title = `${grouped(total)} lists with ${grouped(entries)} ${entries === 1 ? 'entry' : 'entries'}`;
      return barLines([{ title, bars }], view);
    },
  };
}
