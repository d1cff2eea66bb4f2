/** What holds for every operation: error body and codes, limits, header names. Sections "Errors", "Limits", "Authentication". */
import * as z from 'zod/mini';

/** Both fields may be absent: the codes of 404 and 500 are not documented. */
export const errorBody = z.looseObject({
  errorCode: z.nullish(z.string()),
  message: z.nullish(z.string()),
});

export const errorCodes = {
  invalidListUuid: 'INVALID_LIST_UUID',
  notSupportedProduct: 'NOT_SUPPORTED_PRODUCT',
  badSearchIdType: 'BAD_SEARCH_ID_TYPE',
  apiKeyMissing: 'API_KEY_MISSING',
  apiKeyNotValid: 'API_KEY_NOT_VALID',
  notPermitted: 'NOT_PERMITTED',
  validationError: 'VALIDATION_ERROR',
  rateLimited: 'RATE_LIMITED',
  outOfCredits: 'OUT_OF_CREDITS',
} as const;

/** Section "Limits". */
export const resolveLimit = 50;
/** Section "Limits": the largest `limit` of the feed; the network's is not documented. */
export const feedLimit = 50;
/** Section "Limits": the `limit` of the feed and of the network where none is sent. */
export const defaultLimit = 50;
/** Section "Authentication"; header names are case-insensitive. */
export const keyHeader = 'x-api-key';
/** Section "Limits", rate limiting. `reset` is in seconds, a float. */
export const rateLimitHeaders = {
  limit: 'x-ratelimit-limit',
  remaining: 'x-ratelimit-remaining',
  reset: 'x-ratelimit-reset',
} as const;
