/** A bookmark is written as one JSON object, with the identities by day. */
import { PdiError } from '../errors.ts';
import { isObject } from '../json/parse.ts';
import { type DayRange, firstDay, isDay, lastDay } from '../rows/days.ts';
import { type Bookmark, emptyBookmark } from './bookmark.ts';
import { type JsonObject, parseObject, stringField, writtenByNewer } from './stored.ts';

/** It has the base URL in its one form, and whatever else decides which signals a run sees, such as `search`, `list`, `sort`. */
export type BookmarkScope = Readonly<Record<string, string | undefined>>;

export interface StoredBookmark {
  readonly name: string;
  /** It is what the file says, which may be anything. */
  readonly scope: JsonObject;
  /** A run last moved the bookmark at this time, in ISO 8601. */
  readonly savedAt: string;
  readonly bookmark: Bookmark;
}

/** Version 1 was a list of all identities that were ever delivered, without their days. */
const version = 2;

export function writtenBookmark({ name, scope, savedAt, bookmark }: StoredBookmark): string {
  const { newest, knownSince, gaps, lookBackFrom, delivered } = bookmark;
  const days: Record<string, string[]> = {};
  for (const [id, day] of delivered) {
    const ofDay = days[day] ?? [];
    ofDay.push(id);
    days[day] = ofDay;
  }
  const facts = { pdi_bookmark: version, name, scope, saved_at: savedAt, newest, known_since: knownSince, look_back_from: lookBackFrom };
  return `${JSON.stringify({ ...facts, gaps: gaps.map(written), delivered: days })}\n`;
}

/** An open end is left out. */
const written = ({ from, to }: DayRange) => ({ ...(from !== firstDay && { from }), ...(to !== lastDay && { to }) });

const updateHint = 'use that pdi, or give this feed another bookmark: --since-last NAME';

/** @throws PdiError `internal` for a text that is no bookmark, or one of a newer pdi */
export function parseBookmark(text: string, path: string): StoredBookmark {
  const object = parseObject(text);
  const theirs = Number(object?.pdi_bookmark);
  if (theirs > version) throw writtenByNewer(path, { of: 'bookmarks', version: theirs, known: version, hint: updateHint });
  const scope = object?.scope;
  const bookmark = object === undefined ? undefined : bookmarkIn(object);
  if (object === undefined || bookmark === undefined || !isObject(scope)) throw damaged(path);
  return { name: stringField(object, 'name') ?? '', scope, savedAt: stringField(object, 'saved_at') ?? '', bookmark };
}

function bookmarkIn(object: JsonObject): Bookmark | undefined {
  const { pdi_bookmark, delivered, gaps, newest, known_since: knownSince, look_back_from: lookBackFrom } = object;
  if (pdi_bookmark === 1 && isTextList(delivered)) return withoutDays(delivered);
  if (
    pdi_bookmark !== version ||
    !mayBeDay(newest) ||
    !mayBeDay(knownSince) ||
    !mayBeDay(lookBackFrom) ||
    !isGapList(gaps) ||
    !isObject(delivered)
  )
    return undefined;
  const ids = new Map<string, string>();
  for (const [day, ofDay] of Object.entries(delivered)) {
    if (!isTextList(ofDay)) return undefined;
    for (const id of ofDay) ids.set(id, day);
  }
  return { newest, knownSince, lookBackFrom, gaps: gaps.map(({ from = firstDay, to = lastDay }) => ({ from, to })), delivered: ids };
}

/** Nobody knows how far back version 1 was read to the end, so the next run reads everything once, and learns the days. */
const withoutDays = (ids: readonly string[]): Bookmark => ({ ...emptyBookmark, delivered: new Map(ids.map((id) => [id, firstDay])) });

const mayBeDay = (value: unknown): value is string | undefined => value === undefined || (typeof value === 'string' && isDay(value));

const isTextList = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((id) => typeof id === 'string');

const isGapList = (value: unknown): value is readonly Partial<DayRange>[] =>
  Array.isArray(value) && value.every((gap) => isObject(gap) && mayBeDay(gap.from) && mayBeDay(gap.to));

function damaged(path: string): PdiError {
  const hint = 'restore it, or move it away: the next run then reads and delivers every signal again, for a billed call a page';
  return new PdiError('internal', `the bookmark ${path} is damaged`, { item: path, retryable: false, hint });
}
