import { play } from '../support/transcript.ts';
import { spend } from './sessions.ts';

play(...spend);
