/**
 * A client with little cost of its own, for routes whose overhead is tenths of a millisecond: kept connections, and no
 * fetch.
 */
import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true });

/** Reads the whole answer as JSON. Rejects when the server cannot be reached or the answer is not JSON. */
export function getJson(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly body: unknown }> {
  return new Promise((resolve, reject) => {
    const call = request(url, { agent, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.on('error', reject).on('end', () => {
        try {
          resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) as unknown });
        } catch (error) {
          reject(error as Error);
        }
      });
    });
    call.on('error', reject).end();
  });
}
