/**
 * Ports for servers that a test starts by number. They lie below the range from which systems take the ports of outgoing
 * connections: such a connection could otherwise take a port between its choice and the start of the server.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** The platforms of tests have their ports from 15,000. */
const [lowest, above] = [10_000, 15_000];

/** Different ports on which nothing listens at 127.0.0.1. */
export async function freePorts(count: number): Promise<number[]> {
  const held: Server[] = [];
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = lowest + Math.floor(Math.random() * (above - lowest));
    const server = createServer().listen(port, '127.0.0.1');
    // A port that is in use is an error event, which `once` throws.
    const listening = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!listening) continue;
    held.push(server);
    ports.add(port);
  }
  await Promise.all(held.map((server) => new Promise((closed) => server.close(closed))));
  return [...ports];
}

/** One port on which nothing listens at 127.0.0.1. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}
