/** The pace that all runs of an owner share: a row of the book. */
import type { SharedPace } from '../client/rate-limiter.ts';
import type { BookFile } from './book-file.ts';
import { type Owner, ownerName } from './calls.ts';
import { bytesOf } from './schema.ts';

const stateSql = `SELECT ${bytesOf('state', 'text')} FROM pace WHERE owner = ?`;
const keepSql =
  'INSERT INTO pace (owner, state) VALUES (?, ?) ON CONFLICT DO UPDATE SET state = excluded.state';

/** A run that cannot use it goes by what it knows. */
const patienceMs = 500;

/** `close` waits for what is under way; later changes are not kept. */
export function sharedPaceIn(
  file: BookFile,
  owner: Owner,
): SharedPace & { close(): Promise<void> } {
  const name = ownerName(owner);
  const kept = (): string | undefined => file.text(stateSql, name);
  const underWay = new Set<Promise<unknown>>();
  let isOpen = true;
  return {
    look: () => (isOpen ? file.glance(kept) : undefined),
    change: async (work) => {
      if (!isOpen) return;
      const inBook = () => {
        const { text, done } = work(kept());
        file.run(keepSql, name, text);
        return done;
      };
      const change = file.transaction(inBook, (done) => done(), { ms: patienceMs });
      underWay.add(change);
      await change.finally(() => underWay.delete(change));
    },
    close: async () => {
      isOpen = false;
      await Promise.allSettled(underWay);
    },
  };
}
