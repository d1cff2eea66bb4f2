/** The table of `npm run campaign`: what was tried, what survived, and what was harmed. */
import Table from 'cli-table3';
import type { Reporter, TestModule } from 'vitest/node';
import { harms, type Result } from './tally.ts';

export default class CampaignReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const results = modules.flatMap((module) =>
      [...module.children.allTests()].flatMap((test) => test.meta().campaign ?? []),
    );
    if (results.length > 0) process.stdout.write(`\n${tableOf(results)}\n`);
  }
}

/** One line a campaign, and their sum. */
function tableOf(results: readonly Result[]): string {
  const table = new Table({
    head: ['campaign', 'cases', 'survived', ...harms],
    style: { head: [], border: [] },
  });
  const row = (name: string, of: readonly Result[]) => {
    const sum = (count: (result: Result) => number) =>
      of.reduce((total, result) => total + count(result), 0);
    return [
      name,
      sum(({ tried }) => tried),
      sum(({ survived }) => survived),
      ...harms.map((harm) => sum(({ harmed }) => harmed.filter((one) => one === harm).length)),
    ];
  };
  for (const result of results) table.push(row(result.campaign, [result]));
  table.push(row('in all', results));
  return table.toString();
}
