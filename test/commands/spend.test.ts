import { hostname, userInfo } from 'node:os';
import { sandbox } from '../support/service.ts';
import { play } from '../support/transcript.ts';

const losing = (first: number) => () =>
  sandbox({ faultRule: ({ number }) => (number <= first ? 'drop-after-billing' : undefined) });
const today = new Date().toISOString();

play(
  'test/commands/spend.txt',
  {
    today: today.slice(0, 10),
    month: today.slice(0, 7),
    long: 'w'.repeat(250),
    comma: ',',
    user: userInfo().username,
    host: hostname(),
  },
  { lostOne: losing(1), lostTwo: losing(2) },
);
