import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Write, writeToDisk } from '../../../src/files/private.ts';
import { AnswerStore, type StoredPurchase, type StoreOptions } from '../../../src/money/store/answer-store.ts';
import { StoreContents } from '../../../src/money/store/contents.ts';
import { newFolder } from '../places.ts';

const hour = 3_600_000;
const asked = { operation: 'GET /people/{personId}', item: 'per_1' };
const answer = { body: `{"person_id":"per_1","about":"${'x'.repeat(300)}"}` };
const no = () => true;

/** A disk that has no room for answers, and some for short lines. */
const almostFull: Write = (fileDescriptor, bytes, length, position) => {
  if (length > 300) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  return writeToDisk(fileDescriptor, bytes, length, position);
};

interface Opened {
  readonly store: AnswerStore;
  /** What the user is told. */
  readonly told: string[];
}

function open(path: string, more: Partial<StoreOptions> = {}): Opened {
  const told: string[] = [];
  const store = new AnswerStore({
    place: { path, shared: false },
    owner: { baseUrl: 'https://api.example.test/api/v1', key: 'k' },
    maxAge: 12 * hour,
    fresh: false,
    retryUnknown: false,
    processes: { pid: process.pid, isAlive: () => true },
    clock: Date.now,
    longestWait: 0,
    onTrouble: (message) => told.push(message),
    onFirstKept: () => told.push('first'),
    ...more,
  });
  return { store, told };
}

async function purchaseOf({ store }: Opened): Promise<StoredPurchase> {
  const taken = await store.take(asked, no);
  if (typeof taken === 'string' || !('purchase' in taken)) throw new Error('it is not for sale');
  return taken.purchase;
}

describe('the store of one run', () => {
  it('has what another run kept, and tells of the first answer once', async () => {
    const path = newFolder();
    const first = open(path);
    await (await purchaseOf(first)).keep(answer, Date.now());
    const second = open(path);
    expect(await second.store.take(asked, no)).toMatchObject({ answer: { content: answer } });
    expect([first.told, second.told, await second.store.knows(asked)]).toEqual([['first'], [], 'answered']);
  });

  it('that cannot keep an answer says so once, and leaves the word that it was bought: no other run buys it unasked', async () => {
    const path = newFolder();
    const full = open(path, { write: almostFull });
    const purchase = await purchaseOf(full);
    expect(full.told).toEqual([]);
    await purchase.keep(answer, Date.now());
    expect([await full.store.take(asked, no), await full.store.knows(asked)]).toEqual(['lost', 'lost']);
    const another = await full.store.take({ ...asked, item: 'per_2' }, no);
    if (typeof another === 'object' && 'purchase' in another) await another.purchase.keep(answer, Date.now());
    expect(full.told).toEqual([expect.stringContaining(`cannot use the store ${path}: no space left`)]);
    const other = open(path);
    expect([await other.store.take(asked, no), await other.store.knows(asked)]).toEqual(['lost', 'lost']);
    expect(await open(path, { retryUnknown: true }).store.knows(asked)).toBeUndefined();
  });

  it('keeps the answers of one moment at once, and on a disk that fills up sells none of them a second time', async () => {
    const items = ['per_1', 'per_2', 'per_3', 'per_4'].map((item) => ({ ...asked, item }));
    for (const room of [0, 300, 700, 1500, 1800, 1850, 1900, 10_000]) {
      const path = newFolder();
      let left = Number.POSITIVE_INFINITY;
      const write: Write = (fileDescriptor, bytes, length, position) => {
        const part = Math.min(length, left);
        left -= part;
        if (part === 0 && length > 0) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
        return writeToDisk(fileDescriptor, bytes, part, position);
      };
      const full = open(path, { write });
      const taken = await Promise.all(items.map((item) => full.store.take(item, no)));
      left = room;
      await Promise.all(taken.map((one) => typeof one === 'object' && 'purchase' in one && one.purchase.keep(answer, Date.now())));
      left = Number.POSITIVE_INFINITY;
      const { store } = open(path);
      const found = await Promise.all(items.map((item) => store.take(item, no)));
      const words = found.map((one) => (typeof one === 'string' ? one : 'answer' in one ? 'answer' : 'for sale'));
      // While this process lives, a word that it could not write leaves others waiting.
      expect(words).not.toContain('for sale');
      if (room < 1500) expect(words).not.toContain('answer');
      if (room === 10_000) expect(words).toEqual(['answer', 'answer', 'answer', 'answer']);
    }
  });

  it('that failed leaves nothing open when it is closed', async () => {
    const path = newFolder();
    const full = open(path, { write: almostFull });
    await (await purchaseOf(full)).keep(answer, Date.now());
    const runFiles = () => readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('run-'));
    expect([full.store.isUsable, runFiles().length > 0]).toEqual([false, true]);
    full.store.close();
    expect(runFiles()).toEqual([]);
  });

  it('that cannot be written is still read: it gives its answers, and sells nothing again whose answer was lost', async () => {
    const path = newFolder();
    await (await purchaseOf(open(path))).keep(answer, Date.now());
    const items = ['per_2', 'per_3'].map((item) => ({ ...asked, item }));
    const [lost = asked, neverSent = asked] = items;
    const first = await open(path).store.take(lost, no);
    if (typeof first === 'object' && 'purchase' in first) first.purchase.lose();
    const write: Write = () => {
      throw Object.assign(new Error('read-only'), { code: 'EROFS' });
    };
    const readOnly = open(path, { write });
    expect(await readOnly.store.take(neverSent, no)).toHaveProperty('purchase');
    expect(await readOnly.store.take(asked, no)).toMatchObject({ answer: { content: answer } });
    expect([await readOnly.store.take(lost, no), await readOnly.store.knows(lost)]).toEqual(['lost', 'lost']);
    expect(await open(path, { write, retryUnknown: true }).store.take(lost, no)).toHaveProperty('purchase');
  });

  it('says nothing of its trouble where nothing was bought', async () => {
    const { store, told } = open('/dev/null/store');
    expect(await store.knows(asked)).toBeUndefined();
    const taken = await store.take(asked, no);
    expect([typeof taken, store.isUsable, told]).toEqual(['object', false, []]);
    store.close();
  });

  it('tells its trouble where an answer was lost, because no other run will know of that', async () => {
    const unusable = open('/dev/null/store');
    (await purchaseOf(unusable)).lose();
    expect(unusable.told).toEqual([expect.stringContaining('cannot use the store /dev/null/store')]);
  });

  it('that was purged while a call was under way says that its answer was lost, and goes on to keep answers', async () => {
    const path = newFolder();
    const purged = open(path);
    const purchase = await purchaseOf(purged);
    new StoreContents({ path, shared: false }, { pid: process.pid, isAlive: () => true }).purgeAll();
    purchase.lose();
    expect([purged.told, purged.store.isUsable, await open(path).store.knows(asked)]).toEqual([[], true, 'lost']);
  });

  it('gives a purchase back where nothing was billed', async () => {
    const path = newFolder();
    (await purchaseOf(open(path))).release();
    await purchaseOf(open(path));
    expect(await open(path).store.take(asked, no)).toBe('late');
  });
});
