import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { companyIds, memberIds, personIds, signalIds } from '../../src/sandbox/dataset/identifiers.ts';
import { Refusal } from '../../src/sandbox/validation.ts';
import { tokenBucket } from '../../src/sandbox/world.ts';

const numbers = fc.integer({ min: 1, max: 10_000_000 });

it('reads back the number of every identifier it makes', () => {
  fc.assert(
    fc.property(numbers, (number) => {
      for (const form of [personIds, companyIds, signalIds]) expect(form.read(form.make(number))).toBe(number);
      expect(memberIds.read(memberIds.make(number))).toBe(number);
    }),
  );
});

it('never lets more through than burst and rate allow, and always lets through after Reset', () => {
  const waits = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 60 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 5 }), waits, (rate, burst, delays) => {
      let time = 0;
      let passed = 0;
      const take = tokenBucket({ rate, burst, now: () => time });
      for (const delay of delays) {
        time += delay;
        try {
          take();
        } catch (refused) {
          if (!(refused instanceof Refusal)) throw refused;
          time += Number(refused.headers['x-ratelimit-reset']) * 1000;
          take();
        }
        passed += 1;
        expect(passed).toBeLessThanOrEqual(burst + (time / 1000) * rate + 1e-6);
      }
    }),
  );
});
