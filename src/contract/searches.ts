/** Endpoints 7 and 8 of the API document: metadata and counts, never the matching records. */
import { columnsOf, count, flag, numericId, record, text } from './columns.ts';
import type { Endpoint } from './endpoint.ts';
import { errorCodes } from './service.ts';

const savedSearch = record(
  { id: numericId() },
  {
    name: text(),
    query_id: numericId(),
    product_type: text({ enum: ['company', 'investors', 'people', 'talent', 'funding_rounds'] }),
    is_global: flag(),
    full_count: count(),
  },
);

const savedSearchDetails = {
  records: 'searches',
  method: 'GET',
  billing: 'unstated',
  response: savedSearch,
  refusals: { 400: [errorCodes.notSupportedProduct] },
  result: 'one',
  columns: columnsOf(savedSearch, {
    table: ['id', 'name', 'full_count', 'product_type', 'is_global'],
  }),
  askedBy: ['id'],
} as const;

export const getFundingRoundsSearch = {
  ...savedSearchDetails,
  title: 'Funding-rounds saved search details',
  path: '/searches/funding-rounds/{searchId}',
  pathParameters: { searchId: { shape: 'integer', malformed: { status: 404 } } },
} as const satisfies Endpoint;

export const getTalentSearch = {
  ...savedSearchDetails,
  title: 'Talent saved search details',
  path: '/searches/talent/{searchId}',
  pathParameters: {
    searchId: {
      shape: 'integer',
      malformed: { status: 400, errorCode: errorCodes.badSearchIdType },
    },
  },
} as const satisfies Endpoint;
