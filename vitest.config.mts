import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests share nothing but the machine: no module is mocked, every file and server is a test's own.
    isolate: false,
    // Many tests wait for processes or for a clock, so that more of them than there are cores keep these busy.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    globalSetup: 'test/support/build.ts',
    // No test bounds the time of a machine that others use as well: this one only ends what hangs.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 60_000,
    // A test that asserts nothing holds nothing.
    expect: { requireAssertions: true },
    reporters: './test/support/short-reporter.ts',
    slowTestThreshold: 5000,
  },
});
