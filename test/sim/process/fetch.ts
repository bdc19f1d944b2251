/**
 * `fetch` over the simulated sockets. The runtime's own keeps connections, timers and their clock in one place for the
 * whole thread, and would carry them from one history into the next.
 */
import { request } from 'node:http';

export interface FetchOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** One request on a connection of its own; rejects when the connection breaks or the signal is aborted. */
export function fetchOnce(url: string | URL, options: FetchOptions = {}): Promise<Response> {
  const { method = 'GET', headers = {}, body = '', signal } = options;
  const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers: { ...headers, ...length }, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.once('error', reject);
      incoming.once('close', () => {
        if (!incoming.complete) return reject(new TypeError('simulated: the answer ended early'));
        const status = incoming.statusCode ?? 0;
        resolve(new Response(status === 204 || status === 304 ? null : Buffer.concat(chunks), { status }));
      });
    });
    const abort = (): void => {
      outgoing.destroy();
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', abort, { once: true });
    outgoing.once('error', reject);
    outgoing.once('close', () => signal?.removeEventListener('abort', abort));
    outgoing.end(body);
  });
}
