/** `feed --all --since-last`: signals that no earlier run delivered; the bookmark moves once the output is safe. */
import { join } from 'node:path';
import type { Endpoint } from '../contract/endpoint.ts';
import { defaultBookmark, openBookmark } from '../money/bookmark.ts';
import type { Context } from './context.ts';
import type { PagedRun } from './reading.ts';

export interface BookmarkChoice {
  /** True for the flag without a name. */
  readonly name: string | true;
  readonly search: string | undefined;
  readonly list: string | undefined;
  readonly sort: string | undefined;
}

/** What a bookmark adds to a run over pages. */
export type Bookmarked = Pick<PagedRun<Endpoint>, 'deliveredBefore' | 'onRecord' | 'afterwards'>;

/** Runs `work` with the bookmark held for it alone. Throws what `openBookmark` throws. */
export async function withBookmark(
  context: Context,
  choice: BookmarkChoice,
  work: (bookmarked: Bookmarked) => Promise<void>,
): Promise<void> {
  const { name, search, list, sort } = choice;
  const { identity } = await context.service();
  const bookmark = await openBookmark({
    // A bookmark tried out in the sandbox must not stand in the way of the real one.
    directory: context.sandboxed() ? join(context.stateDirectory(), 'sandbox') : context.stateDirectory(),
    name: name === true ? defaultBookmark : name,
    scope: { baseUrl: identity, search, list, sort },
    processes: context.io.processes,
    clock: () => new Date(),
  });
  const delivered: string[] = [];
  try {
    await work({
      deliveredBefore: (id) => bookmark.has(id),
      onRecord: (id) => delivered.push(id),
      afterwards: () => {
        for (const id of delivered) bookmark.deliver(id);
        bookmark.save();
      },
    });
  } finally {
    bookmark.close();
  }
}
