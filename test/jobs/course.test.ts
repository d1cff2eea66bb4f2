import { describe, expect, it } from 'vitest';
import { type FailureCode, type FailureDetails, PdiError } from '../../src/errors.ts';
import { Course } from '../../src/jobs/course.ts';
import { isFatal, statusOf } from '../../src/jobs/row-status.ts';

const failure = (code: FailureCode, details: FailureDetails = {}): PdiError => new PdiError(code, `it was ${code}`, details);
const unreached = failure('unavailable', { billed: 'no' });

function newCourse(stopOnError = false) {
  const controller = new AbortController();
  return { course: new Course({ interrupt: controller.signal, stopOnError }), interrupt: () => controller.abort() };
}

describe('what a failed call makes of its row', () => {
  it.each([
    ['unavailable', 'unknown', 'unknown'],
    ['not_found', 'no', 'not_found'],
    ['usage', 'no', 'invalid'],
    ['unavailable', 'no', 'failed'],
    ['auth', 'no', 'skipped'],
    ['credits', 'no', 'skipped'],
    ['rate_limited', 'no', 'skipped'],
    ['interrupted', 'no', 'skipped'],
    ['internal', 'no', 'skipped'],
    ['internal', 'unknown', 'unknown'],
  ] as const)('%s, billed %s: %s', (code, billed, status) => {
    expect(statusOf(failure(code, { billed }))).toBe(status);
  });
});

describe('a course', () => {
  it.each(['auth', 'credits', 'rate_limited', 'internal'] as const)('ends at %s and with it', (code) => {
    const { course } = newCourse();
    const cause = failure(code);
    expect(isFatal(cause)).toBe(true);
    course.failed(cause);
    course.failed(failure('auth'));
    expect(course.over).toBe(true);
    expect(course.skipped.error).toBe(`not sent: it was ${code}`);
    expect(course.outcomeOf(cause)).toEqual({ ...course.skipped, failure: cause });
    expect(() => course.conclude(3)).toThrow(cause);
  });

  it.each(['not_found', 'usage', 'unavailable'] as const)('goes on after %s, unless --on-error is stop', (code) => {
    for (const stopOnError of [false, true]) {
      const { course } = newCourse(stopOnError);
      course.failed(failure(code));
      expect(course.over).toBe(stopOnError);
      if (stopOnError) expect(course.skipped.error).toBe('not sent: an earlier row failed and --on-error is stop');
      course.answered();
      expect(() => course.conclude(3)).not.toThrow();
    }
  });

  it('ends when ten calls in a row failed, whether they were sent or not', () => {
    const { course } = newCourse();
    for (let call = 0; call < 9; call += 1) course.failed(unreached);
    course.answered();
    for (let call = 0; call < 9; call += 1) course.failed(unreached);
    course.failed(failure('not_found', { status: 404, billed: 'no' }));
    for (let call = 0; call < 9; call += 1) course.failed(failure('unavailable', { status: 500, billed: 'unknown' }));
    expect(course.over).toBe(false);
    course.failed(unreached);
    expect(course.over).toBe(true);
    expect(course.skipped.error).toBe('not sent: 10 calls in a row got no answer: it was unavailable');
    expect(() => course.conclude(3)).toThrow(
      expect.objectContaining({ code: 'unavailable', details: expect.objectContaining({ retryable: true }) }),
    );
  });

  it('in which no call got an answer ends with that, however few rows it has', () => {
    const { course } = newCourse();
    course.failed(unreached);
    course.failed(failure('unavailable', { status: 502, reason: 'the service failed (502)', billed: 'unknown' }));
    expect(() => course.conclude(0)).toThrow('no call got an answer: the service failed (502)');
    course.failed(failure('not_found', { status: 404 }));
    expect(() => course.conclude(0)).not.toThrow();
  });

  it('goes on where the answers of calls do not fit their items, but for --on-error stop', () => {
    for (const stopOnError of [false, true]) {
      const { course } = newCourse(stopOnError);
      course.answered();
      for (let item = 0; item < 20; item += 1) course.itemFailed(unreached);
      expect(course.over).toBe(stopOnError);
    }
  });

  it('ends at Ctrl-C, which is a failure only where rows were left', () => {
    const { course, interrupt } = newCourse();
    interrupt();
    expect(course.over).toBe(true);
    expect(course.skipped.error).toBe('not sent: the run was interrupted');
    expect(() => course.conclude(0)).not.toThrow();
    expect(() => course.conclude(2)).toThrow('interrupted: 2 rows were not reached');
  });
});
