import { describe, expect, it } from 'vitest';
import { landmarks } from '../sandbox/landmarks.ts';
import { errorOf, objectOf, sandbox } from '../support/service.ts';

const { searches } = landmarks;

describe('searches', () => {
  it.each([
    ['funding-rounds', searches.fundingRounds, 'funding_rounds'],
    ['funding-rounds', searches.globalFundingRounds, 'funding_rounds'],
    ['talent', searches.talent, 'talent'],
    ['talent', searches.globalTalent, 'talent'],
  ])('%s %s', async (product, id, type) => {
    const { pdi } = await sandbox();
    const result = await pdi(['searches', product, id]);
    expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 0, stderr: '' });
    expect(objectOf(result)).toMatchObject({ id: Number(id), product_type: type, full_count: expect.any(Number) });
  });

  it.each([
    ['funding-rounds', searches.talent, 2, { status: 400, errorCode: 'NOT_SUPPORTED_PRODUCT' }],
    ['talent', searches.fundingRounds, 2, { status: 400, errorCode: 'NOT_SUPPORTED_PRODUCT' }],
    ['talent', searches.unknown, 4, { status: 404, errorCode: null }],
    ['talent', searches.hiddenTalent, 4, { status: 404, errorCode: null }],
    ['funding-rounds', searches.hiddenFundingRounds, 4, { status: 404, errorCode: null }],
  ])('%s %s is refused by the service: exit %i', async (product, id, code, error) => {
    const { pdi } = await sandbox();
    const result = await pdi(['searches', product, id]);
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' });
    expect(errorOf(result)).toMatchObject({ ...error, item: id, billed: 'no' });
  });
});
