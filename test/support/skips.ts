/** Writes down for `.ci/run`, in the file that SKIPS names, which tests ran and which were skipped for which reason: a line each. */
import { appendFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

export default class SkipReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = modules.flatMap(({ relativeModuleId, children }) =>
      [...children.allTests()].map((test) => {
        // What is drawn at each run is no part of a name.
        const name = `${relativeModuleId}: ${test.fullName}`.replaceAll(/seed \d+|\p{Cc}/gu, ' ');
        const { state } = test.result();
        return `${name}\t${state === 'skipped' ? (test.meta().skipped ?? 'it does not say why') : 'ran'}\n`;
      }),
    );
    appendFileSync(process.env.SKIPS ?? '/dev/stdout', lines.join(''));
  }
}
