/** One table of the sandbox flags gives the root options, their refusal, and the options of the sandbox. */
import { type Command, Option } from '@commander-js/extra-typings';
import { UsageError } from '../errors.ts';

/** Flags that take a number, by the name of the sandbox's option. */
export const sandboxNumbers = [
  { name: 'people', flag: '--people', value: '<number>', description: 'people in the invented data' },
  { name: 'seed', flag: '--seed', value: '<number>', description: 'which invented data' },
  { name: 'credits', flag: '--credits', value: '<number>', description: 'credits of the full key; unlimited where not given' },
  { name: 'rateLimit', flag: '--rate-limit', value: '<number>', description: 'requests a second before 429' },
  { name: 'latency', flag: '--latency', value: '<milliseconds>', description: 'time each answer takes' },
  {
    name: 'outOfCreditsStatus',
    flag: '--out-of-credits-status',
    value: '<status>',
    description: 'HTTP status of OUT_OF_CREDITS, which is not documented (default 402)',
  },
] as const;

const fault = {
  name: 'fault',
  flag: '--fault',
  value: '<name[:probability]>',
  description: 'make calls fail, repeatable; see pdi help sandbox',
} as const;

export type SandboxFlags = { readonly [N in (typeof sandboxNumbers)[number]['name']]?: string } & { readonly fault?: readonly string[] };

export const sandboxFlagNames = `${sandboxNumbers.map(({ flag }) => flag).join(', ')} and ${fault.flag}`;

const collect = (value: string, earlier: readonly string[] = []): readonly string[] => [...earlier, value];

/** Adds the flags under the current heading, and gives a function that reads them after parsing. */
export function addSandboxFlags(program: Command): () => SandboxFlags {
  for (const { flag, value, description } of sandboxNumbers) program.option(`${flag} ${value}`, description);
  const withFaults = program.addOption(new Option(`${fault.flag} ${fault.value}`, fault.description).argParser(collect));
  return () => {
    const given = (name: string): readonly (readonly [string, string])[] => {
      const value = program.getOptionValue(name);
      return typeof value === 'string' ? [[name, value]] : [];
    };
    const faults = withFaults.opts().fault;
    return { ...Object.fromEntries(sandboxNumbers.flatMap(({ name }) => given(name))), ...(faults !== undefined && { fault: faults }) };
  };
}

/** Without a sandbox the call would go to the real service, against the user's intention. @throws UsageError naming the first flag */
export function refuseIdleSandboxFlags(command: string, flags: object, sandboxed: () => boolean): void {
  const given = [...sandboxNumbers, fault].find(({ name }) => Object.hasOwn(flags, name));
  if (given === undefined || command === 'sandbox' || sandboxed()) return;
  const { flag } = given;
  throw new UsageError(`${flag} is for the sandbox, and this command does not run against it`, { item: flag, hint: 'add --sandbox' });
}
