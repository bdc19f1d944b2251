import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePorts } from './free-ports';

describe('free ports', () => {
  it('are different, can be listened on, and are none that an outgoing connection takes', async () => {
    const ports = await freePorts(40);
    expect(new Set(ports).size).toBe(40);
    expect(ports.filter((port) => port < 10_000 || port >= 15_000)).toEqual([]);
    const server = createServer().listen(ports[0], '127.0.0.1');
    await once(server, 'listening');
    server.close();
  });
});
