import { faultNames } from '../../../sandbox/faults.ts';
import { sandboxFlagNames } from '../../sandbox-flags.ts';
import type { Topic } from '../topic.ts';

export const sandboxTopic: Topic = {
  title: 'Sandbox',
  parts: [
    {
      examples: [
        ['pdi --sandbox person per_sample1', 'one command against invented data; PDI_SANDBOX=1 does it for all'],
        ['pdi --sandbox person -i leads-ids.csv -o csv --credits 1 || echo $?', 'what happens when credits run out'],
        ['pdi --sandbox person -i leads-ids.csv -o csv --fault 503:0.5', 'every second call is refused, and tried again'],
      ],
    },
    `pdi --sandbox COMMAND starts the service inside the process, on 127.0.0.1, for this one command; changes are gone after it. No key is needed, no bill is made, and nothing is kept in the book unless --max-age or PDI_BOOK is given. \`pdi sandbox\` runs the same service until it is stopped, and prints its base URL and keys. Both take ${sandboxFlagNames} NAME[:PROBABILITY], which may be repeated:`,
    { listing: `${faultNames.slice(0, 5).join(', ')},\n${faultNames.slice(5).join(', ')}` },
    'drop-after-billing, slow, truncate and malformed strike after the call was carried out and billed; reset, 503 and 500 before. relational-store and analytics-store make the health check report that store; other faults leave health alone.',
    'GET /sandbox/bill tells what it billed, call by call. GET /api/v1/openapi.json describes all operations as OpenAPI 3.1. It answers no other host than loopback, and never sees a stored key: PDI_API_KEY may name one of its own.',
    { heading: 'Where the API document says "not shown", the sandbox chose' },
    {
      rows: [
        ['credits', 'OUT_OF_CREDITS has status 402 (--out-of-credits-status), and comes before an id is looked up'],
        ['feed', '--sort takes signal_date_desc, signal_date_asc, signal_score_desc; an unknown list is 404'],
        ['investors', 'neither name nor website is 422; with both, both must match'],
        ['lists', 'an id that is added and deleted ends up deleted, an unknown one is passed over; a global list cannot be changed (403)'],
        ['delete', 'of a company list answers JSON, of the others nothing'],
        ['network', 'a limit above 1000 is cut to 1000'],
      ],
    },
  ],
};
