/** The folders of a part of the store are segments. A name says when all in it is past its age, and who appends to it. */
import { closeSync, fstatSync, openSync, readdirSync } from 'node:fs';

export interface SegmentName {
  readonly folder: string;
  /** From this time on, in milliseconds since 1970, all answers in it are past their age. */
  readonly until: number;
  /** It is the max-age of the answers in it, in milliseconds. */
  readonly maxAge: number;
  readonly appender: string;
}

/** Answers go into one segment as long as their ends lie within a tenth of the max-age, at most. */
const spans = [86_400, 21_600, 3600, 600, 60, 10, 1].map((seconds) => seconds * 1000);
export const spanOf = (maxAge: number): number => spans.find((span) => span <= maxAge / 10) ?? 1000;

export function segmentNameFor(at: number, maxAge: number, appender: string): SegmentName {
  const span = spanOf(maxAge);
  const until = (Math.floor((at + maxAge) / span) + 1) * span;
  const end = new Date(until).toISOString().replace(/[-:]|\.000/g, '');
  return { folder: `${end}-${maxAge / 1000}s-${appender}`, until, maxAge, appender };
}

export const takes = (name: SegmentName, at: number, maxAge: number): boolean =>
  name.maxAge === maxAge && at + maxAge < name.until && at + maxAge >= name.until - spanOf(maxAge);

const pattern = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-(\d+)s-([\da-f]+)$/;

function nameIn(folder: string): SegmentName | undefined {
  const [, year, month, day, hour, minute, second, seconds, appender] = pattern.exec(folder) ?? [];
  if (appender === undefined) return undefined;
  const until = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return { folder, until, maxAge: Number(seconds) * 1000, appender };
}

/** A folder that changed so few milliseconds before it was read may have changed again in the same tick of its clock. */
const clockTick = 100;

/** The names are read anew only if the folder changed, because a job looks before each purchase. */
export class SegmentNames {
  private readonly folder: number;
  private names: readonly SegmentName[] = [];
  /** The folder changed last at this time, if what was read then is sure to be all. */
  private changedAt: number | undefined;

  constructor(
    private readonly path: string,
    private readonly clock: () => number,
  ) {
    this.folder = openSync(path, 'r');
  }

  list(): readonly SegmentName[] {
    const { mtimeMs } = fstatSync(this.folder);
    if (mtimeMs === this.changedAt) return this.names;
    const now = this.clock();
    this.names = readdirSync(this.path)
      .map(nameIn)
      .filter((name) => name !== undefined);
    this.changedAt = now - mtimeMs > clockTick ? mtimeMs : undefined;
    return this.names;
  }

  close(): void {
    closeSync(this.folder);
  }
}
