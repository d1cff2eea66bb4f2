/** `pdi api`: operations that no document has, by method and path, with the care of every other command. */
import { play } from '../support/transcript.ts';

play('test/commands/api.txt');
