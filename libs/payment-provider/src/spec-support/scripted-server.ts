/** A provider whose answers a test scripts, down to the bytes; counts the requests that reach it. */
import * as http from 'node:http';
import * as https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

interface ScriptedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** Answers one request, or breaks the connection. It runs after the body was read. */
export type Script = (request: ScriptedRequest, response: http.ServerResponse, socket: Socket) => void;

export interface ScriptedServer {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly ScriptedRequest[];
  script: Script;
  close(): Promise<void>;
}

export const answers = {
  json:
    (status: number, body: unknown, headers: http.OutgoingHttpHeaders = {}): Script =>
    (_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_scripted', ...headers });
      response.end(JSON.stringify(body));
    },
  text:
    (status: number, body: string): Script =>
    (_request, response) => {
      response.writeHead(status, { 'content-type': 'text/html' });
      response.end(body);
    },
  reset: (): Script => (_request, _response, socket) => void socket.resetAndDestroy(),
  close: (): Script => (_request, _response, socket) => void socket.destroy(),
  silence: (): Script => () => undefined,
  /** Announces more bytes than it sends, then closes. */
  cut:
    (status: number, body: string): Script =>
    (_request, response, socket) => {
      response.writeHead(status, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body) + 10,
        'request-id': 'req_cut',
      });
      response.write(body, () => socket.destroy());
    },
} as const;

export async function startScriptedServer(tls?: {
  readonly key: string;
  readonly cert: string;
}): Promise<ScriptedServer> {
  const requests: ScriptedRequest[] = [];
  const listener: http.RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const seen = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      requests.push(seen);
      server.script(seen, response, request.socket);
    });
  };
  const listening = tls ? https.createServer(tls, listener) : http.createServer(listener);
  listening.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  const server: ScriptedServer = {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    requests,
    script: answers.json(500, {}),
    close: () => {
      listening.closeAllConnections();
      return new Promise((resolve) => listening.close(() => resolve()));
    },
  };
  return server;
}
