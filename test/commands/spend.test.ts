import { play } from '../support/transcript.ts';
import { against, spend } from './sessions.ts';

play(...spend);
play(...against);
