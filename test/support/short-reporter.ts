/** What `npm test` prints: the files that failed or hold a slow test, then each failure whole, then the sums. A terminal also shows what runs. */
import { DefaultReporter, type TestCase, type TestModule } from 'vitest/node';

export default class ShortReporter extends DefaultReporter {
  protected override printTestModule(module: TestModule): void {
    if (
      module.state() === 'failed' ||
      [...module.children.allTests()].some((test) => this.isTold(test))
    )
      super.printTestModule(module);
  }

  protected override printTestCase(state: ReturnType<TestModule['state']>, test: TestCase): void {
    if (this.isTold(test)) super.printTestCase(state, test);
  }

  private isTold(test: TestCase): boolean {
    return test.result().state === 'failed' || test.diagnostic()?.slow === true;
  }
}
