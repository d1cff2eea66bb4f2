/** Sections "Errors", "Limits" and "Authentication" of the API document. */
import * as z from 'zod/mini';

/** Both fields may be absent, because the codes of 404 and 500 are not documented. */
export const errorBody = z.object({
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

export const resolveLimit = 50;
export const defaultLimit = 50;
export const keyHeader = 'x-api-key';
/** `reset` is in seconds, a float. */
export const rateLimitHeaders = {
  limit: 'x-ratelimit-limit',
  remaining: 'x-ratelimit-remaining',
  reset: 'x-ratelimit-reset',
} as const;
