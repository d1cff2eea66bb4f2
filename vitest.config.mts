import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

/**
 * These ask for what Windows has not: modes, symbolic links, pipes with names, signals, shells of POSIX. What it does have is driven on the
 * program itself by test/windows/stories.cjs.
 */
const notOnWindows = [
  'test/campaign/**',
  'test/e2e/**',
  'test/front/completion/**',
  'test/support/transcript.test.ts',
  'test/{chains,exit-codes,half-characters,hints,interrupted,keys,readme,recipes,bulk-input}.test.ts',
  'test/book/{book-file,job-file,postgres*,touched}.test.ts',
  'test/config/{change,config-file,key,key-command,read-config}.test.ts',
  'test/commands/{bought-once,config,deliver,output-options}.test.ts',
  'test/input/{encoding,refused}.test.ts',
  'test/output/sinks/**',
  'test/road/{delivery,journal,pages,run-cost}.test.ts',
];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(process.platform === 'win32' ? notOnWindows : [])],
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
