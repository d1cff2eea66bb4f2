// @ts-check
/** Loaded into a process whose clock is wrong: `CLOCK_SHIFT` milliseconds off, and `CLOCK_DRIFT` more at every look at it. */
const shift = Number(process.env.CLOCK_SHIFT ?? 0);
const drift = Number(process.env.CLOCK_DRIFT ?? 0);
const TrueDate = Date;
let looks = 0;

const now = () => TrueDate.now() + shift + drift * looks++;

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, values) => Reflect.construct(target, values.length === 0 ? [now()] : values),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
