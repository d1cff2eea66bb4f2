/** `person --resolve`: links become person ids, free, before the first profile is bought. */
import { play } from '../support/transcript.ts';

play('test/commands/resolve-first.txt');
