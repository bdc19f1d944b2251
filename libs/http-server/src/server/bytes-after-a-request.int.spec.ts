import { once } from 'node:events';
import { connect } from 'node:net';
import { z } from 'zod';
import { defineRoute, reply } from '../route';
import { testServer } from './test-server';

describe('bytes that are no request', () => {
  it('are not refused in place of the answer to the request before them', async () => {
    let leave: () => void = () => undefined;
    const left = new Promise<void>((resolve) => (leave = resolve));
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const slow = defineRoute({
      method: 'POST',
      path: '/slow',
      policy: 'public',
      summary: 'Takes as long as its client waits',
      body: z.strictObject({}),
      responses: { 200: z.strictObject({}) },
      errors: [],
      handle: async () => {
        await left;
        finish();
        return reply(200, {});
      },
    });
    const server = testServer([slow]);
    const { port, hostname } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));
    const client = connect(Number(port), hostname);
    let said = '';
    client.on('data', (bytes) => (said += String(bytes)));
    const head = 'POST /slow HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\ncontent-length: 2';
    client.write(`${head}\r\n\r\n{}no request\r\n\r\n`);
    await once(client, 'close');
    leave();
    await finished;
    await server.close();
    expect(said).toBe('');
  });
});
