/** The paging options of feed and network. */
import { Option } from '@commander-js/extra-typings';
import { wholeNumberReader } from '../config/values.ts';
import type { WantedPages } from '../jobs/pages.ts';
import { flagReader } from './flag-reader.ts';

export const countFlag = (flag: string, bounds: Parameters<typeof wholeNumberReader>[0]): ((text: string) => number) =>
  flagReader(flag, wholeNumberReader(bounds));

const anyCount = Number.MAX_SAFE_INTEGER;

export const pageOption = () =>
  new Option('--page <number>', 'page to read, from 0').argParser(
    countFlag('--page', { most: anyCount, expected: 'a page number from 0' }),
  );
export const allOption = () => new Option('--all', 'every page, until one is short');
export const maxPagesOption = () =>
  new Option('--max-pages <number>', 'with --all, pages at most').argParser(
    countFlag('--max-pages', { least: 1, most: anyCount, expected: 'a number of pages from 1' }),
  );

export interface PagingFlags {
  readonly page?: number | undefined;
  readonly limit?: number | undefined;
  readonly all?: boolean | undefined;
  readonly maxPages?: number | undefined;
}

/** Tells whether more than one page is asked for. `--max-pages` alone means `--all` up to that page. */
export const isManyPages = ({ all = false, maxPages }: PagingFlags): boolean => all || maxPages !== undefined;

export const wantedPages = (flags: PagingFlags): WantedPages => {
  const { page, limit, maxPages = Number.POSITIVE_INFINITY } = flags;
  return { page, limit, maxPages: isManyPages(flags) ? maxPages : 1 };
};
