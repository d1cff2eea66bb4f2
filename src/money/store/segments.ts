/** Answers are found in any segment of one part of the store, and kept in the one that ends when they do. */

import { randomBytes } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, type Write } from '../../files/private.ts';
import type { StoredAnswer } from './answer-line.ts';
import { Segment } from './segment.ts';
import type { AnswerPlace } from './segment-index.ts';
import { type SegmentName, SegmentNames, segmentNameFor, spanOf, takes } from './segment-names.ts';
import type { StoreModes } from './store-folder.ts';

/** The answer is found, but not read yet. */
export interface FoundAnswer {
  readonly key: string;
  readonly at: number;
  readonly maxAge: number;
  readonly bytes: number;
  /** Gives undefined where the line is torn. @throws the system's error */
  read(): StoredAnswer | undefined;
}

interface SegmentsOptions {
  readonly path: string;
  readonly modes: StoreModes;
  /** It names the system that keeps appends in order, because no other one may append to our segments. */
  readonly appender: string;
  readonly clock: () => number;
  readonly write: Write;
}

interface OpenSegment {
  readonly name: SegmentName;
  readonly segment: Segment;
}

/** So many milliseconds after its time a segment may still get an answer, because clocks differ, and a process may be slow. */
const lateness = 600_000;

/** All methods throw the system's error. */
export class Segments {
  private readonly open = new Map<string, OpenSegment>();
  private readonly names: SegmentNames;
  private readonly run = randomBytes(4).toString('hex');
  /** The last answer was kept here, and mostly the next one belongs here too. */
  private current: OpenSegment | undefined;
  private listed: readonly SegmentName[] = [];

  constructor(private readonly options: SegmentsOptions) {
    this.names = new SegmentNames(options.path, options.clock);
  }

  removeExpired(): void {
    const now = this.options.clock();
    for (const name of this.names.list()) if (this.isExpired(name, now)) this.remove(name);
  }

  refresh(): void {
    const now = this.options.clock();
    const names = this.names.list();
    if (names !== this.listed) this.closeAllBut(names);
    for (const name of names) {
      const known = this.open.get(name.folder);
      // Nothing is added to a segment once new answers end later than it does.
      if (known !== undefined && now > name.until - name.maxAge + lateness) continue;
      const { segment } = known ?? this.openSegment(name);
      // Only a file that is opened anew shows the changes of another machine for sure.
      segment.refresh({ anew: name.appender !== this.options.appender });
    }
  }

  /** Gives the latest answer for a key, as far as `refresh` took it, of those that are `wanted` and not forgotten. */
  find(key: string, wanted: (answer: Pick<FoundAnswer, 'at' | 'maxAge'>) => boolean): FoundAnswer | undefined {
    let latest: { readonly place: AnswerPlace; readonly maxAge: number; readonly segment: Segment } | undefined;
    let forgottenUpTo = 0;
    for (const { name, segment } of this.open.values()) {
      const { place, forgottenUpTo: upTo } = segment.find(key);
      forgottenUpTo = Math.max(forgottenUpTo, upTo);
      if (place === undefined || place.at < (latest?.place.at ?? 0)) continue;
      if (wanted({ at: place.at, maxAge: name.maxAge })) latest = { place, maxAge: name.maxAge, segment };
    }
    if (latest === undefined || latest.place.at <= forgottenUpTo) return undefined;
    const { place, maxAge, segment } = latest;
    return { key, at: place.at, maxAge, bytes: place.length, read: () => segment.read(key, place) };
  }

  addAll(answers: readonly StoredAnswer[], maxAge: number): void {
    const bySegment = new Map<Segment, StoredAnswer[]>();
    for (const answer of answers) {
      const upTo = this.forgottenUpTo(answer.key);
      // It must not stay forgotten where the clock was set back since.
      const kept = answer.at > upTo ? answer : { ...answer, at: upTo + 1 };
      const segment = this.segmentFor(kept.at, maxAge);
      bySegment.set(segment, [...(bySegment.get(segment) ?? []), kept]);
    }
    for (const [segment, kept] of bySegment) segment.addAll(kept);
  }

  /** Forgets the answers for a key that were bought up to a time. Gives whether there were any. */
  forget(key: string, upTo = Number.POSITIVE_INFINITY): boolean {
    const found = this.find(key, ({ at }) => at <= upTo);
    if (found === undefined) return false;
    // This is kept as long as the answer that lives longest, which would be found again without it.
    const ages = [...this.open.values()].map(({ name, segment }) => (segment.find(key).place === undefined ? 0 : name.maxAge));
    this.segmentFor(this.options.clock(), Math.max(...ages)).forget(key, found.at);
    return true;
  }

  found(): readonly FoundAnswer[] {
    const keys = new Set([...this.open.values()].flatMap(({ segment }) => [...segment.keys()]));
    return [...keys].map((key) => this.find(key, () => true)).filter((found) => found !== undefined);
  }

  /** Deletes the segments in which everything was bought up to a time. */
  removeBefore(time: number): void {
    for (const name of this.names.list()) if (name.until - name.maxAge <= time) this.remove(name);
  }

  close(): void {
    for (const { segment } of this.open.values()) segment.close();
    this.open.clear();
    this.current = undefined;
    this.names.close();
  }

  /** Somebody may have purged the store, and what is kept in a deleted file is lost. */
  private closeAllBut(names: readonly SegmentName[]): void {
    this.listed = names;
    for (const [folder, { segment }] of this.open) {
      if (names.some((name) => name.folder === folder)) continue;
      segment.close();
      this.open.delete(folder);
      this.current = undefined;
    }
  }

  private forgottenUpTo(key: string): number {
    let upTo = 0;
    for (const { segment } of this.open.values()) upTo = Math.max(upTo, segment.find(key).forgottenUpTo);
    return upTo;
  }

  private segmentFor(at: number, maxAge: number): Segment {
    if (this.current === undefined || !takes(this.current.name, at, maxAge)) {
      const name = segmentNameFor(at, maxAge, this.options.appender);
      this.current = this.open.get(name.folder) ?? this.openSegment(name);
    }
    return this.current.segment;
  }

  private openSegment(name: SegmentName): OpenSegment {
    const { path, modes, write } = this.options;
    const segment = new Segment({ folder: join(path, name.folder), run: this.run, modes, write });
    const opened = { name, segment };
    this.open.set(name.folder, opened);
    return opened;
  }

  /** The last answer in a segment may have come long before the span of its name ended. */
  private isExpired({ folder, until, maxAge }: SegmentName, now: number): boolean {
    if (until <= now) return true;
    if (until - spanOf(maxAge) > now) return false;
    const written = statSync(join(this.options.path, folder, 'index'), { throwIfNoEntry: false });
    return written !== undefined && written.mtimeMs + maxAge <= now;
  }

  private remove({ folder }: SegmentName): void {
    this.open.get(folder)?.segment.close();
    this.open.delete(folder);
    this.current = undefined;
    // In a shared folder it may be a colleague's, whose own next run deletes it.
    attempt(() => rmSync(join(this.options.path, folder), { recursive: true, force: true }));
  }
}
