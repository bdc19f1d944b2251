/**
 * One client connection: messages are answered one after the other in their order, even after the client has closed its
 * half. While a client does not read its replies, nothing more is read from it; a malformed message ends only this
 * connection.
 */
import type { Socket } from 'node:net';
import { CommandError } from '../errors';
import type { Doc } from '../bson/values';
import { errorReply } from '../commands/dispatch';
import { storeLimits } from '../commands/handshake';
import { createFraming } from './framing';
import { isQuery, ProtocolError, readRequest, writeReply } from './messages';
import type { Request } from './messages';

export interface ConnectionOptions {
  /** Answers one command; never rejects. */
  answer(command: Doc, database: string): Promise<Doc>;
  /** Receives faults of the store itself. */
  report(error: unknown): void;
}

/** Serves a socket until it closes; resolves then. */
export function serveConnection(socket: Socket, options: ConnectionOptions): Promise<void> {
  const framing = createFraming(storeLimits.messageBytes);
  const waiting: Buffer[] = [];
  let busy = false;
  let ended = false;

  const drain = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    socket.pause();
    try {
      for (let message = waiting.shift(); message; message = waiting.shift()) {
        await respond(socket, message, options);
        if (socket.destroyed) return;
      }
    } catch (error) {
      socket.destroy();
      if (!(error instanceof ProtocolError)) options.report(error);
      return;
    } finally {
      busy = false;
    }
    if (ended) socket.end();
    else socket.resume();
  };

  return new Promise((resolve) => {
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 60_000);
    socket.on('data', (chunk: Buffer) => {
      try {
        waiting.push(...framing.push(chunk));
      } catch {
        socket.destroy();
        return;
      }
      void drain();
    });
    socket.on('end', () => {
      ended = true;
      if (!busy) socket.end();
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve());
  });
}

async function respond(socket: Socket, message: Buffer, options: ConnectionOptions): Promise<void> {
  const requestId = message.readInt32LE(4);
  let request: Request;
  try {
    request = readRequest(message);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    await send(socket, writeReply(errorReply(error), requestId, isQuery(message)));
    return;
  }
  const reply = await options.answer(request.command, request.database);
  if (request.expectsReply) await send(socket, encodeReply(reply, request));
}

function encodeReply(reply: Doc, request: Request): Buffer {
  const query = request.kind === 'query';
  try {
    return writeReply(reply, request.requestId, query);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return writeReply(errorReply(error), request.requestId, query);
  }
}

/** Resolves when the socket can take more, or is closed. */
function send(socket: Socket, bytes: Buffer): Promise<void> {
  if (socket.destroyed || socket.write(bytes)) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done);
      socket.off('close', done);
      resolve();
    };
    socket.on('drain', done);
    socket.on('close', done);
  });
}
