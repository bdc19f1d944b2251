/**
 * Browsers open connections in advance. Node counts one without a first byte as active until its header block is
 * overdue, so that a server with such a visitor would take seconds to end; nothing can be lost on it.
 */
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** When the server closes, ends the connections on which no byte of a request has arrived. */
export function endUnusedConnections(app: FastifyInstance): void {
  const connections = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  app.addHook('preClose', async () => {
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroySoon();
  });
}
