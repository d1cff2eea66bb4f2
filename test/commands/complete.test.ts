/** The same job over the same input on its own complete FILE: a scheduler may try again. */
import { describe } from 'vitest';
import { play } from '../support/transcript.ts';

describe('a job whose FILE is complete', () => play('test/commands/complete.txt'));
