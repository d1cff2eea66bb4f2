import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownParticulars, type ProcessTable } from '../../../src/files/liveness.ts';
import { writeToDisk } from '../../../src/files/private.ts';
import { Claim, Claims } from '../../../src/money/store/claims.ts';
import { openStoreFolder } from '../../../src/money/store/store-folder.ts';
import { newFolder } from '../places.ts';

const hour = 3_600_000;
const key = 'a'.repeat(20);
const first = { pastLost: false };
const again = { pastLost: true };

interface Run {
  readonly pid?: number;
  /** Processes that live beside it. */
  readonly living?: readonly number[];
  /** Milliseconds that have passed. */
  readonly later?: number;
  readonly maxAge?: number;
}

function claimsIn(path: string, { pid = 1000, living = [], later = 0, maxAge = 12 * hour }: Run = {}): Claims {
  const processes: ProcessTable = { pid, isAlive: (other) => living.includes(other) };
  const modes = openStoreFolder({ path, shared: false });
  return new Claims({ path, modes, processes, maxAge, clock: () => Date.now() + later, write: writeToDisk });
}

async function taken(claims: Claims, options = first): Promise<Claim> {
  const claim = await claims.take(key, options);
  if (!(claim instanceof Claim)) throw new Error(`it is ${claim}`);
  return claim;
}

/** The claim of a process of this machine that is not the tests' own. */
function leftBy(pid: number, path: string): void {
  const particulars = ownParticulars({ pid, isAlive: () => true });
  writeFileSync(join(path, `${key}.1`), JSON.stringify({ token: 'its-own', ...particulars, max_age: 12 * hour, lost: false }));
}

describe('a claim', () => {
  it('is one process’s alone until it is given back', async () => {
    const path = newFolder();
    const [one, other] = [claimsIn(path), claimsIn(path)];
    const claim = await taken(one);
    expect(await other.take(key, first)).toBe('held');
    expect(await other.take(key, again)).toBe('held');
    expect(await other.take('b'.repeat(20), first)).toBeInstanceOf(Claim);
    claim.release();
    await taken(other);
  });

  it('leaves nothing behind', async () => {
    const path = newFolder();
    const claims = claimsIn(path);
    (await taken(claims)).settle();
    claims.close();
    expect(readdirSync(path)).toEqual([]);
  });

  it.each([
    ['a living process', 2000, [2000], 'held'],
    ['a dead process', 2000, [], 'lost'],
    ['a dead process whose number is ours now, as after the restart of a container', 1000, [1000], 'lost'],
  ] as const)('of %s', async (_what, pid, living, state) => {
    const path = newFolder();
    leftBy(pid, path);
    expect(await claimsIn(path, { living }).take(key, first)).toBe(state);
  });

  it('is a file where there are no links', async () => {
    const path = newFolder();
    const claims = claimsIn(path);
    (await taken(claims)).release();
    // Without the file that the links lead to, none can be made.
    for (const name of readdirSync(path).filter((name) => !name.endsWith('.socket'))) rmSync(join(path, name));
    await taken(claims);
    expect(readdirSync(path).filter((name) => !name.endsWith('.socket'))).toEqual([`${key}.1`]);
    expect(await claimsIn(path).take(key, first)).toBe('held');
  });
});

describe('what killed runs leave', () => {
  it('goes after a day, but for the claims', async () => {
    const path = newFolder();
    await taken(claimsIn(path));
    const left = readdirSync(path);
    expect(left).toHaveLength(3);
    claimsIn(path, { later: hour }).sweep();
    expect(readdirSync(path)).toEqual(left);
    claimsIn(path, { later: 24 * hour }).sweep();
    expect(readdirSync(path)).toEqual([`${key}.1`]);
  });
});

describe('a claim that was lost', () => {
  it('is for nobody without being asked for; then the next one counts, and clears it with its answer', async () => {
    const path = newFolder();
    const one = claimsIn(path);
    (await taken(one)).lose();
    const other = claimsIn(path);
    expect([await other.take(key, first), await other.isLost(key)]).toEqual(['lost', true]);
    const second = await taken(other, again);
    expect([await one.take(key, first), await one.take(key, again)]).toEqual(['lost', 'held']);
    second.release();
    expect(await one.isLost(key)).toBe(true);
    const third = await taken(one, again);
    third.lose();
    (await taken(other, again)).settle();
    expect([await one.isLost(key), existsSync(join(path, `${key}.1`))]).toEqual([false, false]);
    await taken(one);
  });

  it('holds a run up for as long as it would have taken the answer', async () => {
    const path = newFolder();
    (await taken(claimsIn(path, { maxAge: hour }))).lose();
    expect(await claimsIn(path, { later: 0.9 * hour }).take(key, first)).toBe('lost');
    expect(await claimsIn(path, { later: 0.9 * hour, maxAge: hour / 2 }).take(key, first)).toBeInstanceOf(Claim);
    expect(await claimsIn(path, { later: 1.1 * hour }).isLost(key)).toBe(false);
  });

  it('is one of another machine after ten minutes without a sign', async () => {
    const path = newFolder();
    writeFileSync(join(path, `${key}.1`), JSON.stringify({ token: 't', pid: 1, host: 'elsewhere', boot: 'other', max_age: 12 * hour }));
    expect(await claimsIn(path, { later: 590_000 }).take(key, first)).toBe('held');
    expect(await claimsIn(path, { later: 610_000 }).take(key, first)).toBe('lost');
  });

  it('is one that nobody finished writing, after ten minutes', async () => {
    const path = newFolder();
    writeFileSync(join(path, `${key}.1`), '');
    expect(await claimsIn(path).take(key, first)).toBe('held');
    expect(await claimsIn(path, { later: 610_000 }).take(key, first)).toBe('lost');
  });

  it('still is where the clock was set back', async () => {
    const path = newFolder();
    (await taken(claimsIn(path))).lose();
    expect(await claimsIn(path, { later: -48 * hour }).take(key, first)).toBe('lost');
  });
});
