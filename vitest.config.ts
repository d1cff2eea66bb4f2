import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests share nothing but the machine: no module is mocked, every file and server is a test's own.
    isolate: false,
    globalSetup: 'test/support/build.ts',
    testTimeout: 20_000,
  },
});
