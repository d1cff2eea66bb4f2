/** The paging options of feed and network. */
import { Option } from '@commander-js/extra-typings';
import { wholeNumberReader } from '../config/values.ts';
import type { WantedPages } from '../road/pages.ts';
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

interface PagingFlags {
  readonly page?: number | undefined;
  readonly limit?: number | undefined;
  readonly all?: boolean | undefined;
  readonly maxPages?: number | undefined;
}

/** `--max-pages` alone means `--all` up to that page. */
export function wantedPages({ page, limit, all = false, maxPages }: PagingFlags): WantedPages {
  const isMany = all || maxPages !== undefined;
  return { page, limit, isMany, maxPages: isMany ? (maxPages ?? Number.POSITIVE_INFINITY) : 1 };
}
