/** Rows of one answer are written together, before the next is asked for: a reader that goes away ends the buying. */
import { expect, it } from 'vitest';
import { startOrigin } from '../support/origin.ts';
import { run } from '../support/run.ts';

const brokenPipe = () => Object.assign(new Error('broken pipe'), { code: 'EPIPE' });
const idOf = (page: string | null, index: number) => `00000000-0000-4000-8000-${String(Number(page) * 50 + index).padStart(12, '0')}`;

async function readPages(pagesRead: number) {
  const origin = await startOrigin(({ path }) => {
    const page = new URL(path, 'http://origin.test').searchParams.get('page');
    return { json: Array.from({ length: 50 }, (_, index) => ({ signal_id: idOf(page, index) })) };
  });
  const written: string[] = [];
  const env = { PDI_BASE_URL: origin.baseUrl, PDI_API_KEY: 'key-of-the-test' };
  const { code } = await run(['feed', '--all', '-o', 'ndjson'], {
    env,
    onStdout(text) {
      written.push(text);
      if (written.length > pagesRead) throw brokenPipe();
    },
  });
  await origin.close();
  return { code, written, requests: origin.requests.length };
}

it.each([0, 1, 3])('after %i pages, one more is bought and no other', async (pagesRead) => {
  const { code, written, requests } = await readPages(pagesRead);
  expect({ code, requests }).toEqual({ code: 0, requests: pagesRead + 1 });
  expect(written.map((text) => text.split('\n').length - 1)).toEqual(Array(pagesRead + 1).fill(50));
});
