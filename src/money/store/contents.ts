/** Shows what a store keeps, for all accounts and base URLs, forgets single answers, and deletes old ones. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessTable } from '../../files/liveness.ts';
import { diskFailure, writeToDisk } from '../../files/private.ts';
import type { Asked } from './answer-line.ts';
import { keyOf } from './answer-store.ts';
import { Segments } from './segments.ts';
import { openStoreFolder, type StorePart, type StorePlace, storeParts } from './store-folder.ts';
import { appenderOf } from './store-in-use.ts';

interface KeptAnswers {
  readonly operation: string;
  readonly base_url: string;
  /** It is null where the key is the account. */
  readonly account: string | null;
  readonly answers: number;
  readonly bytes: number;
  /** The oldest and the latest answer were bought at these times, ISO 8601 in UTC. */
  readonly oldest: string;
  readonly latest: string;
  readonly folder: string;
}

interface Purged {
  readonly deleted: number;
  readonly kept: number;
}

export class StoreContents {
  constructor(
    private readonly place: StorePlace,
    private readonly processes: ProcessTable,
  ) {}

  /** Deletes what is past its age, and gives what is left. @throws PdiError `internal` where the store cannot be read */
  list(): readonly KeptAnswers[] {
    return this.eachPart((part, segments) => {
      segments.removeExpired();
      segments.refresh();
      return keptIn(part, segments);
    }).flat();
  }

  /** Forgets the answers at once, and gives how many there were. @throws as `list` */
  forget(questions: readonly Asked[]): number {
    const counts = this.eachPart((_part, segments) => {
      segments.refresh();
      return questions.filter((asked) => segments.forget(keyOf(asked))).length;
    });
    return counts.reduce((sum, count) => sum + count, 0);
  }

  purge(upTo: number): Purged {
    return sumOf(
      this.eachPart((_part, segments) => {
        segments.removeExpired();
        segments.refresh();
        const found = segments.found();
        const old = found.filter(({ at }) => at <= upTo);
        segments.removeBefore(upTo);
        for (const { key } of old) segments.forget(key, upTo);
        return { deleted: old.length, kept: found.length - old.length };
      }),
    );
  }

  /** Deletes everything, also the word that answers were lost. @throws as `list` */
  purgeAll(): Purged {
    const { kept } = this.purge(0);
    try {
      for (const { path } of storeParts(this.place.path)) rmSync(path, { recursive: true, force: true });
    } catch (error) {
      throw diskFailure('cannot purge the store', this.place.path, error);
    }
    return { deleted: kept, kept: 0 };
  }

  /** Counts the calls that may have been billed without an answer. @throws as `list` */
  lost(): number {
    const claims = storeParts(this.place.path).map(({ path }) => join(path, 'claims'));
    return claims.filter(existsSync).flatMap((path) => readdirSync(path).filter((name) => claimName.test(name))).length;
  }

  private eachPart<T>(work: (part: StorePart, segments: Segments) => T): readonly T[] {
    try {
      if (!existsSync(this.place.path)) return [];
      const modes = openStoreFolder(this.place);
      return storeParts(this.place.path).map((part) => {
        const segments = new Segments({
          path: part.path,
          modes,
          appender: appenderOf(this.processes),
          clock: Date.now,
          write: writeToDisk,
        });
        try {
          return work(part, segments);
        } finally {
          segments.close();
        }
      });
    } catch (error) {
      throw diskFailure('cannot use the store', this.place.path, error);
    }
  }
}

const sumOf = (parts: readonly Purged[]): Purged => ({
  deleted: parts.reduce((sum, { deleted }) => sum + deleted, 0),
  kept: parts.reduce((sum, { kept }) => sum + kept, 0),
});

/** The claims of living processes are among them, because nobody can know yet what becomes of their calls. */
const claimName = /^[\w-]{14}\.\d+$/;

function keptIn({ path, baseUrl, account }: StorePart, segments: Segments): readonly KeptAnswers[] {
  const byOperation = new Map<string, { answers: number; bytes: number; oldest: number; latest: number }>();
  for (const { at, bytes, read } of segments.found()) {
    const operation = read()?.operation;
    if (operation === undefined) continue;
    const counts = byOperation.get(operation) ?? { answers: 0, bytes: 0, oldest: at, latest: at };
    counts.answers += 1;
    counts.bytes += bytes;
    counts.oldest = Math.min(counts.oldest, at);
    counts.latest = Math.max(counts.latest, at);
    byOperation.set(operation, counts);
  }
  return [...byOperation].map(([operation, { answers, bytes, oldest, latest }]) => ({
    operation,
    base_url: baseUrl,
    account: account ?? null,
    answers,
    bytes,
    oldest: new Date(oldest).toISOString(),
    latest: new Date(latest).toISOString(),
    folder: path,
  }));
}
