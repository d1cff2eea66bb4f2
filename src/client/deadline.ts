/**
 * How long an answer is waited for. What has arrived is read before the wait may end: the event loop runs timers before it reads
 * sockets, so after a pause of the process (Ctrl-Z, `docker pause`) every timer is due, and the answers lie unread.
 */

/** The wait is measured in steps, so that a pause is noticed wherever it falls. */
const maxStepMs = 1000;
/** A timer that fires so late was held up: by a pause of the process, or by a machine that had other work. */
const heldUpMs = 50;
/** Turns of the event loop in which an answer may go on arriving when its time is up: the largest takes no more. */
const maxTurns = 256;

export class Deadline {
  private timer: NodeJS.Timeout | undefined;
  private turn: NodeJS.Immediate | undefined;
  private step = 0;
  private dueAt = 0;
  private left: number;
  /** Milliseconds that may begin anew after pauses: a machine that is always late must come to an end as well. */
  private spare: number;
  private arrivals = 0;

  /** `expired` is called once, unless the wait is over before. */
  constructor(
    timeoutMs: number,
    private readonly now: () => number,
    private readonly expired: () => void,
  ) {
    this.left = timeoutMs;
    this.spare = timeoutMs;
    this.nextStep();
  }

  /** Call with every piece of the answer. */
  arrived(): void {
    this.arrivals += 1;
  }

  /** The wait is over: the answer is there, or will never be. */
  cancel(): void {
    clearTimeout(this.timer);
    clearImmediate(this.turn);
  }

  private nextStep(): void {
    this.step = Math.min(this.left, maxStepMs);
    this.dueAt = this.now() + this.step;
    this.timer = setTimeout(() => this.stepEnded(), this.step);
  }

  /** How much of a step was a pause, nobody knows: it begins anew, and the rest of an answer has time to come over the network. */
  private stepEnded(): void {
    if (this.now() - this.dueAt > heldUpMs && this.spare > 0) this.spare -= this.step;
    else this.left -= this.step;
    if (this.left > 0) this.nextStep();
    else this.readFirst(maxTurns);
  }

  /** Ends after a turn of the event loop, which reads every socket, in which nothing came. */
  private readFirst(turns: number): void {
    const before = this.arrivals;
    this.turn = setImmediate(() => {
      if (this.arrivals !== before && turns > 0) this.readFirst(turns - 1);
      else this.expired();
    });
  }
}
