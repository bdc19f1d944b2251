/**
 * Which connections are closed when there are too many. First the one that has been idle longest, because closing a
 * connection without a request loses nothing. So idle connections of one client never block another client, and a
 * client above its share loses its own. Next are connections whose answers are complete and unread.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { networkOf } from './network-of';

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  /** The requests on the connection whose answer was not sent completely. */
  readonly answers: Set<ServerResponse>;
}

/** Whether every answer on it is complete and only waits for its reader. */
const isUnread = ({ answers }: Connection): boolean => [...answers].every(({ writableEnded }) => writableEnded);

export interface ConnectionLimits {
  /** The most connections at a time. */
  readonly connections: number;
  /** The most connections of one address at a time; null when one address may be a proxy for many clients. */
  readonly perAddress: number | null;
}

/**
 * Enforces the limits of the server's connections, and ends unused ones when the server closes. Returns whether a
 * request that has arrived as a whole still waits for its answer on a connection.
 */
export function shareConnections(
  app: FastifyInstance,
  { connections: max, perAddress }: ConnectionLimits,
): (socket: Socket) => boolean {
  /** In the order in which they became idle. */
  const connections = new Map<Socket, Connection>();
  const held = new Map<string, number>();

  /** An idle connection, or else one whose client does not read. */
  const spareOf = (address?: string): Connection | undefined => {
    const all = [...connections.values()].filter((each) => address === undefined || each.address === address);
    return all.find(({ answers }) => answers.size === 0) ?? all.find(isUnread);
  };
  const forget = ({ socket, address }: Connection): void => {
    if (!connections.delete(socket)) return;
    const left = (held.get(address) ?? 1) - 1;
    if (left === 0) held.delete(address);
    else held.set(address, left);
  };
  /** Whether there is room for one more connection; if needed, makes room by closing an idle one. */
  const makeRoom = (address: string): boolean => {
    const share = perAddress !== null && (held.get(address) ?? 0) >= perAddress;
    if (!share && connections.size < max) return true;
    const spare = spareOf(share ? address : undefined);
    if (!spare) return false;
    forget(spare);
    spare.socket.destroy();
    return true;
  };

  app.server.on('connection', (socket: Socket) => {
    const address = networkOf(socket.remoteAddress ?? '');
    if (!makeRoom(address)) {
      socket.destroy();
      return;
    }
    const connection: Connection = { socket, address, answers: new Set() };
    connections.set(socket, connection);
    held.set(address, (held.get(address) ?? 0) + 1);
    socket.once('close', () => forget(connection));
  });
  app.server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(socket);
    if (!connection) return;
    connection.answers.add(response);
    response.once('close', () => {
      connection.answers.delete(response);
      if (!connections.delete(socket)) return;
      connections.set(socket, connection);
    });
  });
  // Browsers open connections in advance. Node counts a connection without a first byte as active until its header
  // block is overdue, so such a visitor would delay the end of a server by seconds; nothing can be lost on such a
  // connection.
  app.addHook('preClose', async () => {
    for (const { socket } of connections.values()) if (socket.bytesRead === 0) socket.destroySoon();
  });
  return (socket) =>
    [...(connections.get(socket)?.answers ?? [])].some(({ req, writableEnded }) => req.complete && !writableEnded);
}
