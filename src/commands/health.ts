/** `pdi health` tells whether the service is up. It is free and sends no key. */
import { command } from '../cli/command.ts';
import { secondsAboveZero } from '../cli/options.ts';

export const health = command({
  words: 'health',
  summary: 'service health: 0 only for OK, else 5 (free, no key)',
  brief: 'is the service up?',
  description:
    'Check the health of the service and its two stores. Free; needs no key and sends none. Exits 0 for OK only. With --quiet there is no report: nothing is printed while the service is OK, one line on stderr otherwise.',
  examples: [
    ['pdi health', 'the report'],
    ['pdi health --wait 60 -o json', 'wait until the service is up, a minute at most'],
    ['pdi health --quiet -o table || echo down', 'in a script or from cron: no report, one line on stderr where it is down'],
  ],
  takes: (parser) => parser.option('--wait <seconds>', 'poll until the service is OK, so long at most', secondsAboveZero),
  run: async (choices, tools, { wait }) => {
    if (choices.isDry) {
      const [{ checkHealth }, { call }] = await Promise.all([import('../contract/health.ts'), import('../road/run-call.ts')]);
      return call(choices.plan(), tools, { endpoint: checkHealth, request: { path: {} } });
    }
    const { runHealth } = await import('../road/health.ts');
    await runHealth({ show: choices.show(), calls: choices.calls() }, tools, wait);
  },
});
