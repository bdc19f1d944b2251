/**
 * A proxy in front of an HTTP server that records every request with its answer, in the order of arrival. It changes no
 * request and no answer; like a network, it can deliver a request twice.
 */
import { createServer, request as send, Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { instantNow } from './instants';

export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
  readonly at: number;
  /** Absent while no answer has come; null when the connection ended without one. */
  answer?: { readonly status: number; readonly body: string; readonly at: number } | null;
}

export interface RecordingProxy {
  readonly url: string;
  readonly exchanges: readonly Exchange[];
  close(): Promise<void>;
}

export interface ProxyOptions {
  /** Port of the server behind it. */
  readonly target: number;
  /** The requests that are recorded; all others pass unrecorded. */
  readonly records: (method: string, path: string) => boolean;
  /** Whether this request is delivered a second time, at the same moment. */
  readonly repeats?: (exchange: Exchange) => boolean;
}

const attemptHeaders = new Set(['host', 'connection', 'transfer-encoding', 'content-length', 'expect']);

async function textOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

interface Answered {
  readonly response: IncomingMessage;
  readonly body: Buffer;
}

/** Rejects when the server ends the connection before its whole answer. */
function forward(target: number, agent: Agent, exchange: Omit<Exchange, 'at'>, body: Buffer): Promise<Answered> {
  const headers = Object.fromEntries(
    Object.entries(exchange.headers).filter(([name, value]) => value !== undefined && !attemptHeaders.has(name)),
  ) as Record<string, string | string[]>;
  return new Promise((resolve, reject) => {
    const outgoing = send(
      {
        host: '127.0.0.1',
        port: target,
        method: exchange.method,
        path: exchange.path,
        agent,
        headers: { ...headers, ...(body.length > 0 && { 'content-length': String(body.length) }) },
      },
      (response) => {
        textOf(response).then((answer) => resolve({ response, body: answer }), reject);
      },
    );
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

async function pass(options: ProxyOptions, agent: Agent, exchange: Exchange, body: Buffer): Promise<Answered> {
  try {
    const answered = await forward(options.target, agent, exchange, body);
    const { response } = answered;
    exchange.answer = { status: response.statusCode ?? 0, body: answered.body.toString('utf8'), at: instantNow() };
    return answered;
  } catch (error) {
    exchange.answer = null;
    throw error;
  }
}

function reply(outgoing: ServerResponse, { response, body }: Answered): void {
  const headers = Object.fromEntries(Object.entries(response.headers).filter(([name]) => !attemptHeaders.has(name)));
  outgoing.writeHead(response.statusCode ?? 502, { ...headers, 'content-length': String(body.length) });
  outgoing.end(body);
}

/** Opens the proxy on a free port of 127.0.0.1. */
export async function openRecordingProxy(options: ProxyOptions): Promise<RecordingProxy> {
  const exchanges: Exchange[] = [];
  // Every request gets a new connection: an idle one that the server closes would look like a lost answer.
  const agent = new Agent({ keepAlive: false });
  const server = createServer((incoming, outgoing) => {
    const [method, path] = [incoming.method ?? 'GET', incoming.url ?? '/'];
    void (async () => {
      const body = await textOf(incoming);
      const arrived = (): Exchange => {
        const one = { method, path, headers: incoming.headers, body: body.toString('utf8'), at: instantNow() };
        if (options.records(method, path)) exchanges.push(one);
        return one;
      };
      const exchange = arrived();
      if (options.repeats?.(exchange)) void pass(options, agent, arrived(), body).catch(() => undefined);
      reply(outgoing, await pass(options, agent, exchange, body));
    })().catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    exchanges,
    close: async () => {
      server.closeAllConnections();
      agent.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
