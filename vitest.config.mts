import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests share nothing but the machine: no module is mocked, every file and server is a test's own.
    isolate: false,
    // By default one core is left to others; many tests wait for processes, so both of two cores are of use.
    maxWorkers: '100%',
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
