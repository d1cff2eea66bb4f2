/** Which commands call the service. Words alone: loading the contract takes longer than some commands. */
import { operationCommands, type PdiCommand } from '../commands/index.ts';

const calling: readonly PdiCommand[] = Object.values(operationCommands);

/** Whether a command asks the service anything: for an operation, or on its way to something else. */
export const callsService = (command: PdiCommand): boolean => command.asksService === true || calling.includes(command);
