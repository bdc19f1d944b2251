/**
 * A client that sends one command at a time and returns the reply with every type and field order intact; drivers lose
 * both. For conformance tests; works with any MongoDB server without access control.
 */
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { decodeDoc } from '../bson/decode';
import { encodeDoc } from '../bson/encode';
import type { Doc } from '../bson/values';
import { createFraming } from '../wire/framing';

export interface RawClient {
  /** Sends a command to a database. Rejects when the connection ends. */
  command(database: string, command: Doc): Promise<Doc>;
  close(): void;
}

const maxReplyBytes = 64 * 1024 * 1024;

/** Connects to `mongodb://host:port`. */
export async function connectRaw(url: string): Promise<RawClient> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port || '27017') });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  const waiting: { resolve: (reply: Doc) => void; reject: (error: Error) => void }[] = [];
  const framing = createFraming(maxReplyBytes);
  socket.on('data', (chunk: Buffer) => {
    for (const message of framing.push(chunk)) waiting.shift()?.resolve(decodeDoc(message, 21));
  });
  const fail = (): void => {
    for (const request of waiting.splice(0)) request.reject(new Error('the connection ended'));
  };
  socket.on('close', fail);
  socket.on('error', () => socket.destroy());
  let requestId = 0;
  return {
    command: (database, command) =>
      new Promise((resolve, reject) => {
        requestId += 1;
        send(socket, requestId, new Map([...command, ['$db', database]]));
        waiting.push({ resolve, reject });
      }),
    close: () => socket.destroy(),
  };
}

function send(socket: Socket, requestId: number, command: Doc): void {
  const document = encodeDoc(command);
  const message = Buffer.alloc(21 + document.length);
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(requestId, 4);
  message.writeInt32LE(2013, 12);
  document.copy(message, 21);
  socket.write(message);
}
