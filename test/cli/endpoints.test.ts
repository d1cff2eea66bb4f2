import { describe, expect, it } from 'vitest';
import { endpointOf } from '../../src/cli/endpoint-of.ts';
import { callsService, commandOf } from '../../src/cli/endpoints.ts';
import { operations } from '../../src/contract/operations.ts';
import { everyCommand } from '../commands/every-command.ts';
import { leaves } from '../commands/tree.ts';

describe('operations and commands', () => {
  it('are one to one', () => {
    expect(Object.keys(commandOf).sort()).toEqual(Object.keys(operations).sort());
    expect(Object.values(commandOf).sort()).toEqual(everyCommand.map(({ name }) => name).sort());
  });

  it.each(everyCommand)('$name makes the request of its operation', ({ name, method, billing }) => {
    expect(endpointOf.get(name)).toMatchObject({ method, billing });
  });

  it('of the other commands, only config check and config init ask the service', () => {
    const others = leaves.map(({ path }) => path).filter((path) => callsService(path) && !endpointOf.has(path));
    expect(others.sort()).toEqual(['config check', 'config init']);
  });
});
