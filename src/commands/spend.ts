/** `pdi spend`: what was billed, out of the spend ledger. No call is made. */
import { Option } from '@commander-js/extra-typings';
import { dateFlag } from '../cli/date-flag.ts';
import type { SpendRow } from '../money/spend.ts';
import type { Launch, Program } from '../run/launch.ts';

const keys = ['day', 'command', 'profile'] as const;

export function addSpend(program: Program, launch: Launch): void {
  program
    .command('spend')
    .summary('calls billed so far, from the spend ledger of this machine')
    .description(
      'Show the calls that were billed, may have been (unknown), or were not, from the ledger of this machine. Calls of the sandbox are among them, as those of the profile sandbox. Days are UTC. No call is made.',
    )
    .option('--since <date>', 'first day, YYYY-MM-DD', dateFlag('--since'))
    .addOption(new Option('--by <key>', 'what to count by').choices(keys).default('day' as const))
    .action(({ since, by }) =>
      launch('spend', async (context) => {
        const [{ readLedger, summarise }, { printRows }, { wantsPictures }] = await Promise.all([
          import('../money/spend.ts'),
          import('../run/print-rows.ts'),
          import('../run/open-output.ts'),
        ]);
        const ledger = readLedger(context.stateDirectory());
        const rows = await summarise(ledger, { since, by });
        const columns = [by, 'billed', 'unknown', 'not_billed'].map(
          (name) => ({ name, kind: name === by ? 'id' : 'count', inTable: true }) as const,
        );
        if (context.format() === 'table' && wantsPictures(context))
          await printRows(context, [...columns, chartColumn], await withBars(rows));
        else await printRows(context, columns, rows);
        if (ledger.skippedLines > 0) context.notice(`${ledger.skippedLines} lines of the ledger could not be read and are not counted`);
        if (rows.length > 0) return;
        const failure = context.flags.failIfEmpty === true ? (await import('../run/call.ts')).failureOfEmpty(context) : undefined;
        if (failure !== undefined) throw failure;
        context.notice('the ledger holds no calls of that time');
      }),
    );
}

/** On a terminal: how the days compare, by the calls that were or may have been billed. */
const chartColumn = { name: 'calls', kind: 'text', inTable: true } as const;

async function withBars(rows: readonly SpendRow[]): Promise<readonly object[]> {
  const { bar } = await import('../output/bar.ts');
  const most = Math.max(0, ...rows.map(({ billed, unknown }) => billed + unknown));
  return rows.map((row) => ({ ...row, [chartColumn.name]: bar(row.billed + row.unknown, { least: 0, most }) }));
}
