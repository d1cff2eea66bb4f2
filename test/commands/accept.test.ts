/** `--accept`: what a job may end with and still exit 0. */
import { idIn, personIds, profile } from '../support/records.ts';
import { origin } from '../support/service.ts';
import { play } from '../support/transcript.ts';

/** A service of which each of these has an answer of its own. */
const each = () =>
  origin(({ path }, response) => {
    const id = idIn(path);
    if (id === 'per_ok') return profile(path);
    if (id === 'per_none') return { status: 404 };
    if (id === 'per_down') return { status: 503 };
    return void response.destroy();
  });
const limit = { status: 429, headers: { 'x-ratelimit-reset': '0' } };
const limited = () => origin(({ path }, _response, count) => (count === 1 ? profile(path) : limit));

play(
  'test/commands/accept.txt',
  {
    job: 'person -i ./ids -o csv --fields person_id --errors json --retries 0',
    all: '--accept not_found,invalid,failed,unknown',
    twenty: personIds(20).join('\\n'),
  },
  { each, limited },
);
