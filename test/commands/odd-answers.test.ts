/** What the service answers otherwise than its document says: fields of another type, another id, no answer of it at all. */
import { play } from '../support/transcript.ts';

play('test/commands/odd-answers.txt', {
  odd: '"full_name":"Ada","years_of_experience":"12","profnet_followers":[1],"skills":"go","languages":7,"last_updated":20260101',
  today: new Date().toISOString().slice(0, 10),
  page: '<!DOCTYPE html><html><head><title>Sign in to the  proxy</title></head><body></body></html>',
});
