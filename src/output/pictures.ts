/** Adds a picture below a table on a terminal. */
import picocolors from 'picocolors';
import type { PictureName } from '../contract/endpoint.ts';
import type { FormatOptions, Formatter } from './formatter.ts';
import { companyListsPicture } from './pictures/company-lists.ts';
import { networkPicture } from './pictures/network.ts';
import type { Picture } from './pictures/picture.ts';
import { signalsPicture } from './pictures/signal-counts.ts';
import { columnsFrom } from './read.ts';
import { minWidth } from './table.ts';

const pictures: Readonly<Record<PictureName, () => Picture>> = {
  signals: signalsPicture,
  network: networkPicture,
  'company lists': companyListsPicture,
};

/** For fewer records the table is enough. */
const minRecords = 2;

/** Returns `formatter` with a picture of its records after a blank line, or without one if there are too few records. */
export function withPicture(formatter: Formatter, name: PictureName, { width, color }: FormatOptions): Formatter {
  const picture = pictures[name]();
  let records = 0;
  return {
    rows(rows) {
      for (const row of rows) {
        if (row.status !== 'ok') continue;
        picture.add(columnsFrom(row));
        records += 1;
      }
      return formatter.rows(rows);
    },
    end() {
      const text = formatter.end();
      if (records < minRecords || typeof text !== 'string') return text;
      const lines = picture.lines({ width: Math.max(minWidth, width), colors: picocolors.createColors(color) });
      return `${text}\n${lines.map((line) => `${line}\n`).join('')}`;
    },
  };
}
