/**
 * A claim says who asks the service for an answer right now. It is one file a request, which only one process can create, so the next one
 * waits. If its process died or lost the answer, the file stays: that call may have been billed, so nobody sends it again unasked. The
 * files of a request are numbered. A user who wants a lost one sent again creates the next number, so no process ever deletes or replaces a
 * file that another one may be using.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, readdirSync, readFileSync, renameSync, statSync, unlinkSync } from 'node:fs';
import { join, sep } from 'node:path';
import { systemCodeOf } from '../../errors.ts';
import { type Life, lifeOf, listenOn, ownParticulars, type Particulars, type ProcessTable } from '../../files/liveness.ts';
import { attempt, type Write } from '../../files/private.ts';
import { parseObject, stringField } from '../stored.ts';
import { createOnce, type StoreModes } from './store-folder.ts';

interface ClaimsOptions {
  readonly path: string;
  readonly modes: StoreModes;
  readonly processes: ProcessTable;
  /** This run keeps answers for so many milliseconds, and also the word that one was lost. */
  readonly maxAge: number;
  readonly clock: () => number;
  readonly write: Write;
}

/** `held`: another process asks right now. `lost`: one asked, and its answer is not known to have arrived. */
type ClaimState = 'held' | 'lost';

interface ClaimText extends Particulars {
  readonly token: string;
  readonly maxAge: number;
  readonly isLost: boolean;
  /** Its process listens on a socket, which tells more than a process id, because containers share those. */
  readonly listens: boolean;
}

const runFile = /^run-[\da-f-]{36}(?:\.socket)?$/;

/** A process that cannot be seen from here, and did nothing with its claims for so many milliseconds, counts as dead. */
const longestSilence = 600_000;

/** After a restart of a container a dead process may have had our process id. */
const tokensOfThisProcess = new Set<string>();

/** All methods throw the system's error. */
export class Claims {
  private readonly token = randomUUID();
  /** All claims of this run are links to it, because a link is made in a third of the time of a file. */
  private ownFile: string | undefined;
  private begun: Promise<void> | undefined;
  private hush: (() => void) | undefined;

  constructor(private readonly options: ClaimsOptions) {}

  /** Deletes what killed runs left to tell that they are dead. After so long, the age of their claims tells it. */
  sweep(): void {
    const before = this.options.clock() - longestSilence * 100;
    for (const name of readdirSync(this.options.path).filter((name) => runFile.test(name))) {
      const path = join(this.options.path, name);
      if ((statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? before) < before) attempt(() => remove(path));
    }
  }

  /** With `pastLost` it claims a request even where its answer was lost. */
  async take(key: string, { pastLost }: { readonly pastLost: boolean }): Promise<Claim | ClaimState> {
    this.begun ??= this.begin();
    await this.begun;
    for (let number = 1; ; number += 1) {
      const path = this.pathOf(key, number);
      if (this.create(path)) return new Claim(this, key, number, this.options.clock());
      const state = await this.stateOf(path);
      // The claim was given back since.
      if (state === undefined || state === 'held') return 'held';
      if (state === 'lost' && !pastLost) return 'lost';
    }
  }

  /** Tells whether an answer was lost that this run would have taken. */
  async isLost(key: string): Promise<boolean> {
    for (let number = 1; ; number += 1) {
      const state = await this.stateOf(this.pathOf(key, number));
      if (state !== 'past') return state === 'lost';
    }
  }

  pathOf(key: string, number: number): string {
    return `${this.options.path}${sep}${key}.${number}`;
  }

  /** Removes our claim, unless somebody took it for lost meanwhile, because the next number must not become the first. */
  giveBack(key: string, number: number, since: number): void {
    const mayBeOvertaken = this.options.clock() - since > longestSilence / 2;
    if (!mayBeOvertaken || !existsSync(this.pathOf(key, number + 1))) remove(this.pathOf(key, number));
  }

  /** Says in our claim that the answer was lost, while this process goes on. */
  noteLost(path: string): void {
    const written = `${path}.${this.token}`;
    this.writeFile(written, true);
    renameSync(written, path);
  }

  close(): void {
    if (this.ownFile !== undefined) remove(this.ownFile);
    this.hush?.();
    tokensOfThisProcess.delete(this.token);
  }

  private async begin(): Promise<void> {
    tokensOfThisProcess.add(this.token);
    this.hush = await listenOn(this.socketOf(this.token));
    this.ownFile = join(this.options.path, `run-${this.token}`);
    this.writeFile(this.ownFile, false);
  }

  private socketOf(token: string): string {
    return join(this.options.path, `run-${token}.socket`);
  }

  private create(path: string): boolean {
    try {
      linkSync(this.ownFile ?? '', path);
      return true;
    } catch (error) {
      if (systemCodeOf(error) === 'EEXIST') return false;
    }
    // Some file systems have no links.
    return this.writeFile(path, false);
  }

  private writeFile(path: string, isLost: boolean): boolean {
    const { modes, processes, maxAge, write } = this.options;
    const text = { token: this.token, ...ownParticulars(processes), max_age: maxAge, lost: isLost, listens: this.hush !== undefined };
    return createOnce(path, JSON.stringify(text), modes, write);
  }

  /** `past`: an answer was lost so long ago that this run would not have taken it. It is undefined where there is no such file. */
  private async stateOf(path: string): Promise<ClaimState | 'past' | undefined> {
    const file = statSync(path, { throwIfNoEntry: false });
    if (file === undefined) return undefined;
    const claim = claimIn(path);
    // It is the time of a link or a rename, by the clock of the folder's machine.
    const age = this.options.clock() - file.ctimeMs;
    if (!(await this.isOver(claim, age))) return 'held';
    return age < Math.min(this.options.maxAge, claim?.maxAge ?? this.options.maxAge) ? 'lost' : 'past';
  }

  private async isOver(claim: ClaimText | undefined, age: number): Promise<boolean> {
    if (claim?.isLost === true) return true;
    if (claim !== undefined && tokensOfThisProcess.has(claim.token)) return false;
    const life = claim === undefined ? 'unseen' : await this.lifeOfProcess(claim);
    if (life === 'alive' && claim?.listens === true) return false;
    return life === 'dead' || age > longestSilence;
  }

  private lifeOfProcess(claim: ClaimText): Promise<Life> {
    const { processes } = this.options;
    const others = { pid: processes.pid, isAlive: (pid: number) => pid !== processes.pid && processes.isAlive(pid) };
    return lifeOf(claim, claim.listens ? this.socketOf(claim.token) : undefined, others);
  }
}

export class Claim {
  constructor(
    private readonly claims: Claims,
    private readonly key: string,
    private readonly number: number,
    private readonly since: number,
  ) {}

  /** Nothing was billed, so the claim is given back. Answers that were lost before stay so. @throws the system's error */
  release(): void {
    this.claims.giveBack(this.key, this.number, this.since);
  }

  /** The answer is kept, so what was lost before does not matter any more. @throws the system's error */
  settle(): void {
    for (let number = this.number - 1; number > 0; number -= 1) remove(this.claims.pathOf(this.key, number));
    this.release();
  }

  /** The call may have been billed and its answer is not kept, so the claim stays. @throws the system's error */
  lose(): void {
    this.claims.noteLost(this.claims.pathOf(this.key, this.number));
  }
}

/** Somebody may have purged the store. */
function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
  }
}

/** Gives undefined where the claim is being written, or was not written by us. */
function claimIn(path: string): ClaimText | undefined {
  const fields = parseObject(textOf(path));
  if (fields === undefined) return undefined;
  const [token, host] = [stringField(fields, 'token'), stringField(fields, 'host')];
  const { pid, max_age: maxAge, lost, listens } = fields;
  // The token becomes part of a path, so its characters are checked.
  if (token === undefined || !/^[\w-]+$/.test(token) || host === undefined || typeof pid !== 'number' || typeof maxAge !== 'number')
    return undefined;
  const [boot, machine, namespace] = [stringField(fields, 'boot'), stringField(fields, 'machine'), stringField(fields, 'namespace')];
  return { token, pid, host, boot, machine, namespace, maxAge, isLost: lost === true, listens: listens === true };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
