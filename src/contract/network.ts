/** Endpoint 5 of the API document. */
import * as z from 'zod/mini';
import {
  columnsOf,
  dateTime,
  documented,
  id,
  listOfIds,
  personId,
  record,
  text,
  url,
  wholeNumber,
} from './columns.ts';
import type { Endpoint } from './endpoint.ts';
import { defaultLimit } from './service.ts';

const networkPerson = record(
  {
    person_id: personId(),
    connected_on: text({ enum: ['profnet'] }),
    connected_at: dateTime(),
    connected_teammates: listOfIds(),
  },
  {
    first_name: text(),
    last_name: text(),
    full_name: text(),
    headline: text(),
    profile_picture_url: url(),
    profnet_url: url(),
    twitter_url: url(),
    github_url: url(),
    primary_role: text(),
    current_company_id: id(),
  },
);

/** The document calls `page` and `limit` numbers and names no largest `limit`. */
export const listNetworkPeople = {
  title: "People in the team's network",
  records: 'people',
  method: 'GET',
  path: '/network/people',
  billing: 'unstated',
  query: z.partial(
    z.strictObject({
      page: wholeNumber({ type: 'number', minimum: 0, default: 0 }),
      limit: wholeNumber({ type: 'number', minimum: 1, default: defaultLimit }),
      connected_on: documented(z.literal('profnet'), { default: 'profnet' }),
    }),
  ),
  response: z.array(networkPerson),
  result: 'list',
  fleeting: ['profile_picture_url'],
  identity: 'person_id',
  picture: ['primary_role'],
  columns: columnsOf(networkPerson, {
    table: [
      'person_id',
      'full_name',
      'headline',
      'primary_role',
      'connected_at',
      'connected_teammates',
    ],
  }),
} as const satisfies Endpoint;
