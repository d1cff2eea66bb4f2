/** Node runs timers before it reads sockets. After a pause (Ctrl-Z) all timers are due, so answers that have arrived are read first. */

/** The wait runs in steps, so that a pause is noticed at any point of it. */
const maxStepMs = 1000;
/** A timer that fires so late was held up by a pause of the process or by other work. */
const heldUpMs = 50;
/** After the time is up, an answer may go on arriving for so many turns of the event loop. The largest answer needs no more. */
const maxTurns = 256;

export class Deadline {
  private timer: NodeJS.Timeout | undefined;
  private turn: NodeJS.Immediate | undefined;
  private step = 0;
  private dueAt = 0;
  private left: number;
  /** So many milliseconds may begin anew after pauses. The limit is needed where timers are always late. */
  private spare: number;
  private arrivals = 0;

  /** `expired` is called once, but never after `cancel`. */
  constructor(
    timeoutMs: number,
    private readonly now: () => number,
    private readonly expired: () => void,
  ) {
    this.left = timeoutMs;
    this.spare = timeoutMs;
    this.nextStep();
  }

  arrived(): void {
    this.arrivals += 1;
  }

  cancel(): void {
    clearTimeout(this.timer);
    clearImmediate(this.turn);
  }

  private nextStep(): void {
    this.step = Math.min(this.left, maxStepMs);
    this.dueAt = this.now() + this.step;
    this.timer = setTimeout(() => this.stepEnded(), this.step);
  }

  /** The length of the pause is not known. So a late step begins anew, and the rest of an answer has time to arrive. */
  private stepEnded(): void {
    if (this.now() - this.dueAt > heldUpMs && this.spare > 0) this.spare -= this.step;
    else this.left -= this.step;
    if (this.left > 0) this.nextStep();
    else this.readFirst(maxTurns);
  }

  /** It ends after a turn of the event loop in which nothing arrived, because each turn reads every socket. */
  private readFirst(turns: number): void {
    const before = this.arrivals;
    this.turn = setImmediate(() => {
      if (this.arrivals !== before && turns > 0) this.readFirst(turns - 1);
      else this.expired();
    });
  }
}
