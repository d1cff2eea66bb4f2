/** Says what commands cost. It is evaluated while the program is built, so that help does not load the contract. */
import type { Endpoint } from '../../contract/endpoint.ts';
import { endpointOf } from '../endpoint-of.ts';

const commandsThat = (holds: (endpoint: Endpoint) => boolean): readonly string[] =>
  [...endpointOf].filter(([, endpoint]) => holds(endpoint)).map(([command]) => command);

const free = commandsThat(({ billing }) => billing === 'free');
const chargedByCall = commandsThat(({ billing, emptyPage }) => billing === 'charged' && emptyPage === undefined);
const chargedByPage = commandsThat(({ billing, emptyPage }) => billing === 'charged' && emptyPage === 'not_billed');

const list = new Intl.ListFormat('en-GB', { type: 'conjunction' });

export const prices = `Free: ${free.join(', ')}.
Charged: ${list.format(chargedByCall)} (1 a call), ${list.format(chargedByPage)} (1 a non-empty page). The price of the others is not documented.`;
