/**
 * A client with little cost of its own: kept connections, and no fetch, which takes more of a core than some of the
 * servers that are measured.
 */
import { Agent, request, type RequestOptions } from 'node:http';

const agent = new Agent({ keepAlive: true });

export interface Answer {
  readonly status: number;
  readonly text: string;
}

function ask(url: string, options: RequestOptions, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(url, { agent, ...options }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.on('error', reject).on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    call.on('error', reject).end(body);
  });
}

/** Reads the whole answer as JSON. Rejects when the server cannot be reached or the answer is not JSON. */
export async function getJson(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const { status, text } = await ask(url, { headers });
  return { status, body: JSON.parse(text) as unknown };
}

/** A side that does not answer ends the bench with its address. */
const patienceMs = 60_000;

/**
 * A request of a bench, as a client sends it that names its step by an id: a connection that breaks, as one that rested
 * too long, is tried once again. Rejects when the server cannot be reached.
 */
export async function postJson(
  url: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const text = JSON.stringify(body);
  const send = (): Promise<Answer> =>
    ask(
      url,
      {
        method: 'POST',
        signal: AbortSignal.timeout(patienceMs),
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers },
      },
      text,
    );
  return send()
    .catch(send)
    .catch((error: unknown) => {
      throw new Error(`${url} did not answer: ${String(error)}`);
    });
}
