import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@platform/testing';
import { z } from 'zod';
import { defineRoute, reply } from '../route';
import type { HttpServer } from './options';
import { testServer } from './test-server';

describe('answers that no client reads', () => {
  let server: HttpServer;
  let port: number;
  let made = 0;
  /** More than the buffers of two sockets hold. */
  const large = defineRoute({
    method: 'GET',
    path: '/large',
    policy: 'public',
    summary: 'Answers much',
    responses: { 200: z.strictObject({ text: z.string() }) },
    errors: [],
    handle: async () => {
      made += 1;
      return reply(200, { text: 'x'.repeat(24_000_000) });
    },
  });

  async function start(limits: object): Promise<void> {
    made = 0;
    server = testServer([large], { limits });
    port = Number(new URL(await server.listen({ host: '127.0.0.1', port: 0 })).port);
  }
  afterEach(() => server.close());

  /** Connections with an answer that the client does not read. */
  async function unreadOnes(count: number): Promise<Socket[]> {
    const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1').pause());
    for (const socket of sockets) {
      socket.on('error', () => undefined);
      socket.write('GET /large HTTP/1.1\r\nhost: test\r\n\r\n');
    }
    await eventually(() => made === count, { describe: 'answers are made' });
    return sockets;
  }

  it('keep no other client out', async () => {
    await start({ connections: 4 });
    const unread = await unreadOnes(4);
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    for (const socket of unread) socket.destroy();
  });

  it('are given up in the end, with their connection', async () => {
    await start({ unreadTimeoutMs: 200 });
    const [unread] = await unreadOnes(1);
    // A client that does not read notices the end only when it sends; sending counts as traffic, so it sends rarely.
    while (!unread!.destroyed) {
      await delay(600);
      unread!.write('\r\n');
    }
  });
});
