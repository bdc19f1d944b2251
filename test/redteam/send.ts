/** Sends bytes unchanged and reads the whole answer, because `fetch` refuses many malformed requests. */
import { Agent, request } from 'node:http';
import type { GeneratedRequest } from './generate-requests';

export interface Answered {
  /** 0: the connection ended without an answer. */
  readonly status: number;
  readonly text: string;
  readonly contentType: string;
  readonly milliseconds: number;
}

const patienceMs = 70_000;

export function createSender(base: string, agent = new Agent({ keepAlive: true, maxSockets: 64 })) {
  const { hostname, port } = new URL(base);
  return ({ method, path, headers, body }: GeneratedRequest): Promise<Answered> => {
    const begun = performance.now();
    const taken = (status: number, text: string, contentType: string): Answered => ({
      status,
      text,
      contentType,
      milliseconds: performance.now() - begun,
    });
    return new Promise((fulfil) => {
      try {
        const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
        const call = request({ hostname, port, agent, method, path, headers: { ...headers, ...length } }, (answer) => {
          let text = '';
          const type = String(answer.headers['content-type'] ?? '');
          const done = (): void => fulfil(taken(answer.statusCode ?? 0, text, type));
          answer.setEncoding('utf8').on('data', (piece: string) => {
            text += piece;
            // A stream of events has no end.
            if (type.startsWith('text/event-stream')) {
              done();
              call.destroy();
            }
          });
          answer.on('end', done).on('error', done);
        });
        call.setTimeout(patienceMs, () => call.destroy());
        call.on('error', (error: Error & { code?: string }) => fulfil(taken(0, error.code ?? error.message, '')));
        call.end(body);
      } catch (error) {
        // The client refuses what no connection can carry.
        fulfil(taken(-1, String(error), ''));
      }
    });
  };
}
