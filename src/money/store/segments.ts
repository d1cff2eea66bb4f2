/** The segments of one part of the store. Each is named by when all in it is past its age, and is deleted whole after that. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Write } from '../../files/private.ts';
import type { StoredAnswer } from './answer-line.ts';
import { type AnswerPlace, type Entry, Segment } from './segment.ts';
import type { StoreModes } from './store-folder.ts';

/** An answer that was found, not yet read. */
export interface FoundAnswer {
  readonly key: string;
  readonly at: number;
  /** In milliseconds. */
  readonly maxAge: number;
  readonly bytes: number;
  /** Undefined where the line is torn. @throws the system's error */
  read(): StoredAnswer | undefined;
}

interface NamedSegment {
  readonly name: SegmentName;
  readonly segment: Segment;
}

interface SegmentName {
  /** When the last answer in it is past its age, in milliseconds since 1970. */
  readonly until: number;
  /** In milliseconds. */
  readonly maxAge: number;
}

export interface SegmentsOptions {
  /** The folder of the part. */
  readonly path: string;
  readonly modes: StoreModes;
  /** Names the system that serialises appends: no other one may append to our segments. */
  readonly appender: string;
  readonly clock: () => number;
  readonly write: Write;
}

interface Found extends Entry {
  readonly segment: Segment;
  readonly maxAge: number;
}

const forgottenUpTo = (entries: readonly Entry[]): number => Math.max(0, ...entries.map(({ forgottenUpTo }) => forgottenUpTo));

/** Answers go into one segment as long as their ends lie within a tenth of the max-age at most. */
const spans = [86_400, 21_600, 3600, 600, 60, 10, 1].map((seconds) => seconds * 1000);
const spanOf = (maxAge: number): number => spans.find((span) => span <= maxAge / 10) ?? 1000;

/** So long after its time a segment may still get an answer: clocks differ, and a process may be slow. */
const lateness = 600_000;

/** All methods throw the system's error. */
export class Segments {
  private readonly open = new Map<string, NamedSegment>();

  constructor(private readonly options: SegmentsOptions) {}

  /** Deletes what is past its age. */
  removeExpired(): void {
    const now = this.options.clock();
    for (const [folder, name] of this.names()) if (this.isExpired(folder, name, now)) this.remove(folder);
  }

  /** Takes what other processes added. */
  refresh(): void {
    const now = this.options.clock();
    for (const [folder, name] of this.names()) {
      const known = this.open.get(folder);
      // Nothing is added to a segment once answers end later than it does.
      if (known !== undefined && now > name.until - name.maxAge + lateness) continue;
      (known?.segment ?? this.opened(folder, name)).refresh();
    }
  }

  /** The latest answer for a key, as far as `refresh` took it, of those that are `wanted` and not forgotten. */
  find(key: string, wanted: (answer: Pick<FoundAnswer, 'at' | 'maxAge'>) => boolean): FoundAnswer | undefined {
    const entries = this.entriesOf(key);
    const upTo = forgottenUpTo(entries);
    let latest: (Found & { readonly place: AnswerPlace }) | undefined;
    for (const entry of entries) {
      const { place, maxAge } = entry;
      if (place === undefined || place.at <= upTo || place.at < (latest?.place.at ?? 0)) continue;
      if (wanted({ at: place.at, maxAge })) latest = { ...entry, place };
    }
    if (latest === undefined) return undefined;
    const { place, maxAge, segment } = latest;
    return { key, at: place.at, maxAge, bytes: place.length, read: () => segment.read(key, place) };
  }

  /** Keeps an answer for `maxAge` from its time on. */
  add(answer: StoredAnswer, maxAge: number): void {
    // It must not stay forgotten where the clock was set back since.
    const at = Math.max(answer.at, forgottenUpTo(this.entriesOf(answer.key)) + 1);
    this.segmentFor(at, maxAge).add({ ...answer, at });
  }

  /** Forgets the answers for a key that were bought up to a time. Gives whether the latest is one of them. */
  forget(key: string, upTo = Number.POSITIVE_INFINITY): boolean {
    const found = this.find(key, ({ at }) => at <= upTo);
    if (found === undefined) return false;
    // It must stay forgotten for as long as any answer is there.
    const longest = Math.max(...this.entriesOf(key).map(({ place, maxAge }) => (place === undefined ? 0 : maxAge)));
    this.segmentFor(this.options.clock(), longest).forget(key, found.at);
    return true;
  }

  /** The latest answer for each key, as far as `refresh` took it. */
  found(): readonly FoundAnswer[] {
    const keys = new Set([...this.open.values()].flatMap(({ segment }) => [...segment.keys()]));
    return [...keys].map((key) => this.find(key, () => true)).filter((found) => found !== undefined);
  }

  /** Deletes the segments in which everything was bought up to a time. */
  removeBefore(time: number): void {
    for (const [folder, name] of this.names()) if (name.until - name.maxAge <= time) this.remove(folder);
  }

  close(): void {
    for (const { segment } of this.open.values()) segment.close();
    this.open.clear();
  }

  private entriesOf(key: string): readonly Found[] {
    return [...this.open.values()].map(({ name, segment }) => ({ ...segment.find(key), segment, maxAge: name.maxAge }));
  }

  private segmentFor(at: number, maxAge: number): Segment {
    const span = spanOf(maxAge);
    const until = (Math.floor((at + maxAge) / span) + 1) * span;
    const folder = `${new Date(until).toISOString().replace(/[-:]|\.000/g, '')}-${maxAge / 1000}s-${this.options.appender}`;
    const known = this.open.get(folder);
    if (known !== undefined) return known.segment;
    return this.opened(folder, { until, maxAge });
  }

  private opened(folder: string, name: SegmentName): Segment {
    const { path, modes, write } = this.options;
    const segment = new Segment(join(path, folder), modes, write);
    this.open.set(folder, { name, segment });
    return segment;
  }

  private names(): readonly (readonly [folder: string, name: SegmentName])[] {
    const found: [string, SegmentName][] = [];
    for (const folder of readdirSync(this.options.path)) {
      const name = nameIn(folder);
      if (name !== undefined) found.push([folder, name]);
    }
    return found;
  }

  /** The last answer in a segment may have come long before the span of its name ended. */
  private isExpired(folder: string, { until, maxAge }: SegmentName, now: number): boolean {
    if (until <= now) return true;
    if (until - spanOf(maxAge) > now) return false;
    const written = statSync(join(this.options.path, folder, 'index'), { throwIfNoEntry: false });
    return written !== undefined && written.mtimeMs + maxAge <= now;
  }

  private remove(folder: string): void {
    this.open.get(folder)?.segment.close();
    this.open.delete(folder);
    rmSync(join(this.options.path, folder), { recursive: true, force: true });
  }
}

const segmentName = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-(\d+)s-[\da-f]+$/;

function nameIn(folder: string): SegmentName | undefined {
  const [, year, month, day, hour, minute, second, seconds] = segmentName.exec(folder) ?? [];
  if (seconds === undefined) return undefined;
  return { until: Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`), maxAge: Number(seconds) * 1000 };
}
