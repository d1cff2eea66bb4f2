/**
 * The clients that people use, each as its documentation shows it, with as many tries as pdi has by default. One of them asks for each id of a
 * list, eight at a time, and prints how many it got.
 */
import { spawn } from 'node:child_process';

const retries = 4;
const headersOf = (key) => ({ 'X-API-Key': key });

const clients = {
  async fetch() {
    return async (url, headers) => {
      for (let left = retries; ; left -= 1) {
        try {
          const answer = await fetch(url, { headers, signal: AbortSignal.timeout(5000) });
          if (answer.ok) return await answer.json();
          if (answer.status < 500 && answer.status !== 429) throw new Error(answer.statusText);
        } catch (error) {
          if (left === 0) throw error;
        }
        if (left === 0) throw new Error('no answer');
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
  },
  async undici() {
    const { Agent, RetryAgent, request } = await import('undici');
    const dispatcher = new RetryAgent(new Agent({ headersTimeout: 5000, bodyTimeout: 5000 }), {
      maxRetries: retries,
      minTimeout: 100,
    });
    return async (url, headers) => {
      const { statusCode, body } = await request(url, { headers, dispatcher });
      if (statusCode !== 200) throw new Error(String(statusCode));
      return body.json();
    };
  },
  async got() {
    const { default: got } = await import('got');
    const options = { retry: { limit: retries }, timeout: { request: 5000 } };
    return (url, headers) => got(url, { ...options, headers }).json();
  },
  async ky() {
    const { default: ky } = await import('ky');
    return (url, headers) => ky(url, { headers, retry: { limit: retries }, timeout: 5000 }).json();
  },
  async axios() {
    const [{ default: axios }, { default: axiosRetry }] = await Promise.all([
      import('axios'),
      import('axios-retry'),
    ]);
    const client = axios.create({ timeout: 5000 });
    axiosRetry(client, { retries, retryDelay: axiosRetry.exponentialDelay });
    return async (url, headers) => (await client.get(url, { headers })).data;
  },
  async curl() {
    const flags = ['-sS', '--fail', '--max-time', '5', '--retry', String(retries)];
    return (url, headers) =>
      new Promise((resolve, reject) => {
        const header = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
        const argv = [...flags, '--retry-all-errors', '--retry-delay', '1', '-H', ...header, url];
        const child = spawn('curl', argv, { stdio: ['ignore', 'pipe', 'ignore'] });
        let text = '';
        child.stdout.on('data', (chunk) => {
          text += chunk;
        });
        child.on('error', reject);
        child.on('close', (code) => {
          if (code !== 0) reject(new Error(`curl: ${code}`));
          // A try that was cut off has left its part of the answer before the next one.
          else resolve(JSON.parse(text.slice(text.lastIndexOf('{"person_id"'))));
        });
      });
  },
};

const [name, baseUrl, key, count] = process.argv.slice(2);
const ask = await clients[name]();
const ids = Array.from({ length: Number(count) }, (_, at) => `per_sample${at + 1}`).values();
let rows = 0;
const worker = async () => {
  for (const id of ids) {
    const record = await ask(`${baseUrl}/people/${id}`, headersOf(key)).catch(() => undefined);
    if (record?.person_id === id) rows += 1;
  }
};
await Promise.all(Array.from({ length: 8 }, worker));
process.stdout.write(`${JSON.stringify({ rows })}\n`);
process.exit(0);
