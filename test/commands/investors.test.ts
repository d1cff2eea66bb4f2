/** `investors`: what is asked for, as a name or as a website, and that a row may find several. */
import { play } from '../support/transcript.ts';

play('test/commands/investors.txt', { escape: String.fromCharCode(27), long: 'x'.repeat(301) });
