/** FILE of a bookmark is never made poorer: rows are added where the format lets them; another FILE with signals in it is left alone. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { parse, resolve } from 'node:path';
import type { Bookmark } from '../book/bookmark.ts';
import { readInvestorInterest } from '../contract/feed.ts';
import { attempt, pluralize, UsageError } from '../errors.ts';
import { isObject } from '../json/exact.ts';
import { cleanLine } from '../output/clean.ts';
import { isStdout } from '../output/formats.ts';
import { fieldNamesIn } from '../output/layout.ts';
import { dayOf } from '../rows/days.ts';
import type { Show } from './plan.ts';
import { formatting } from './shape.ts';
import type { Tools } from './tools.ts';

export const growsIn = ({ format }: Pick<Show, 'format'>): boolean =>
  format === 'csv' || format === 'ndjson';

/** Gives how many bytes of FILE stay; undefined where it is not there. @throws UsageError for one that cannot be added to */
export async function bytesThatStay(
  show: Show,
  tools: Tools,
  held: Bookmark['file'],
): Promise<number | undefined> {
  const { out, program } = show;
  if (out === undefined || program !== undefined || isStdout(out)) return undefined;
  const found = attempt(() => statSync(out));
  if (found?.isFile() !== true) return undefined;
  if (found.size === 0) return 0;
  if (!growsIn(show)) {
    const signals = held?.path === resolve(out) ? held.signals : undefined;
    if (signals === 0) return 0;
    throw leftAlone(
      out,
      signals === undefined
        ? 'it is there already'
        : `it holds ${pluralize(signals, 'delivered signal')}`,
    );
  }
  const [first, last] = [bytesAt(out, 0, maxFirstLine), bytesAt(out, found.size - 1, 1)];
  if (!(await hasSameColumns(first, show, tools)))
    throw leftAlone(out, 'its columns are different');
  if (last !== '\n') throw leftAlone(out, 'its last line has no end');
  return found.size;
}

const maxFirstLine = 1_000_000;

function bytesAt(path: string, position: number, most: number): string {
  const file = openSync(path, 'r');
  const bytes = Buffer.alloc(most);
  const length = readSync(file, bytes, 0, most, position);
  closeSync(file);
  return bytes.toString('utf8', 0, length);
}

/** What a run without rows would write, its header, tells the columns of csv; a line of ndjson has its own. */
async function hasSameColumns(text: string, show: Show, tools: Tools): Promise<boolean> {
  if (show.format === 'csv') {
    const { formatter } = await formatting(show, tools, {
      endpoint: readInvestorInterest,
      columns: readInvestorInterest.columns,
    });
    return text.startsWith(`${formatter.rows([])}${formatter.end()}`);
  }
  if (show.query !== undefined) return true;
  const first: unknown = attempt(() => JSON.parse(text.split('\n', 1)[0] ?? ''));
  const names = fieldNamesIn(show.fields ?? '');
  return (
    isObject(first) &&
    (names.length === 0
      ? readInvestorInterest.identity in first
      : Object.keys(first).join() === names.join())
  );
}

function leftAlone(out: string, reason: string): UsageError {
  const { name, ext } = parse(out);
  const other = `${name}-${dayOf(new Date().toISOString())}${ext}`;
  const hint = `nothing was sent; name another file, such as ${cleanLine(other)}`;
  return new UsageError(`--out ${cleanLine(out)}: ${reason}`, { item: out, hint });
}
