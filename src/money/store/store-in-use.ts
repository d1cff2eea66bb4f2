/** Holds one part of the store open for a run. Where it fails, the run is told once and goes on without what the store cannot do. */
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { PdiError, systemCodeOf } from '../../errors.ts';
import { ownParticulars, type ProcessTable } from '../../files/liveness.ts';
import { type Write, writeToDisk } from '../../files/private.ts';
import { mendingOf, reasonOf } from '../../files/system-reasons.ts';
import type { Owner } from '../owner.ts';
import { Claims } from './claims.ts';
import { Segments } from './segments.ts';
import { openStoreFolder, openStorePart, type StoreModes, type StorePlace } from './store-folder.ts';

export interface StoreInUseOptions {
  readonly place: StorePlace;
  readonly owner: Owner;
  /** Answers are kept for so many milliseconds, and one that is taken is no older. */
  readonly maxAge: number;
  readonly processes: ProcessTable;
  readonly clock: () => number;
  /** It is told once why answers are not kept, when the first one is not. */
  readonly onTrouble: (message: string) => void;
  readonly write?: Write;
}

interface OpenStore {
  readonly path: string;
  readonly modes: StoreModes;
  readonly segments: Segments;
  readonly claims: Claims;
  /** This run has kept an answer in it. */
  isBegun: boolean;
}

/** No method throws. */
export class StoreInUse {
  private opened: OpenStore | undefined;
  private failed = false;
  /** It says why the store is not used any more, until that was told. */
  private trouble: string | undefined;

  constructor(private readonly options: StoreInUseOptions) {
    this.open();
  }

  /** Nothing more is written, and what it holds is still read. */
  get hasFailed(): boolean {
    return this.failed;
  }

  attempt<T>(work: (store: OpenStore) => T): T | undefined {
    try {
      return this.opened === undefined ? undefined : work(this.opened);
    } catch (error) {
      return this.isGone(error) ? this.attempt(work) : this.giveUp(error);
    }
  }

  async attemptAsync<T>(work: (store: OpenStore) => Promise<T>): Promise<T | undefined> {
    try {
      return this.opened === undefined ? undefined : await work(this.opened);
    } catch (error) {
      return this.isGone(error) ? this.attemptAsync(work) : this.giveUp(error);
    }
  }

  /** For what a store that is begun anew does not know of. */
  orGiveUp(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.giveUp(error);
    }
  }

  tellTrouble(): void {
    if (this.trouble !== undefined) this.options.onTrouble(this.trouble);
    this.trouble = undefined;
  }

  /** Also where the store has failed: what this run holds open must go. */
  close(): void {
    const { opened } = this;
    if (opened !== undefined) this.orGiveUp(() => closeStore(opened));
  }

  private open(): void {
    this.orGiveUp(() => {
      this.opened = openStore(this.options);
    });
  }

  /** Somebody may have purged the whole store. Then it is begun anew. */
  private isGone(error: unknown): boolean {
    const { opened } = this;
    if (opened === undefined || systemCodeOf(error) !== 'ENOENT' || existsSync(opened.path)) return false;
    closeStore(opened);
    this.opened = undefined;
    this.open();
    return true;
  }

  private giveUp(error: unknown): undefined {
    if (this.failed) return;
    this.failed = true;
    const { place } = this.options;
    const what = error instanceof PdiError ? error.message : `cannot use the store ${place.path}: ${reasonOf(error)}`;
    const { hint = `${mendingOf(error)}, or name another folder (PDI_STORE)` } = error instanceof PdiError ? error.details : {};
    this.trouble = `${what}; answers go out and are not kept: ${hint}`;
  }
}

/** @throws the system's error, and PdiError `internal` for a store of a newer version */
function openStore({ place, owner, maxAge, processes, clock, write = writeToDisk }: StoreInUseOptions): OpenStore {
  const modes = openStoreFolder(place);
  const { path } = openStorePart(place.path, owner, modes);
  const claimsPath = join(path, 'claims');
  modes.makeFolder(claimsPath);
  const segments = new Segments({ path, modes, appender: appenderOf(processes), clock, write });
  segments.removeExpired();
  segments.refresh();
  const claims = new Claims({ path: claimsPath, modes, processes, maxAge, clock, write });
  claims.sweep();
  return { path, modes, segments, claims, isBegun: false };
}

function closeStore({ claims, segments }: OpenStore): void {
  claims.close();
  segments.close();
}

/** Names who appends to a segment. One running kernel keeps appends in order; its next start or another machine does not. */
export const appenderOf = (processes: ProcessTable): string => hash('sha256', ownParticulars(processes).boot ?? hostname()).slice(0, 12);
