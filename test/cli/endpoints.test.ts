import { describe, expect, it } from 'vitest';
import { callsService } from '../../src/cli/command-exits.ts';
import { endpointOf } from '../../src/cli/endpoint-of.ts';
import { operationCommands } from '../../src/commands/index.ts';
import { operations } from '../../src/contract/operations.ts';
import { everyCommand } from '../commands/every-command.ts';
import { commands } from '../commands/tree.ts';

describe('operations and commands', () => {
  it('are one to one', () => {
    expect(Object.keys(operationCommands).sort()).toEqual(Object.keys(operations).sort());
    expect(
      Object.values(operationCommands)
        .map(({ words }) => words)
        .sort(),
    ).toEqual(everyCommand.map(({ name }) => name).sort());
  });

  it.each(everyCommand)('$name makes the request of its operation', ({ name, method, billing }) => {
    expect(endpointOf.get(name)).toMatchObject({ method, billing });
  });

  it('of the other commands, only config check and config init ask the service', () => {
    const others = commands.filter((command) => callsService(command) && !endpointOf.has(command.words));
    expect(others.map(({ words }) => words).sort()).toEqual(['config check', 'config init']);
  });
});
