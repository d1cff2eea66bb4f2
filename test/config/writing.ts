/** Writing settings as a process of this machine does. */
import * as change from '../../src/config/change.ts';
import { realProcesses } from '../money/scripts/parts.ts';

type Request<F extends (request: never) => unknown> = Omit<Parameters<F>[0], 'processes'>;

export const setValue = (request: Request<typeof change.setValue>) => change.setValue({ ...request, processes: realProcesses });

export const unsetValue = (request: Request<typeof change.unsetValue>) => change.unsetValue({ ...request, processes: realProcesses });
