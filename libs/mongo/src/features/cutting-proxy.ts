/**
 * A network between driver and database that fails where a test requires: it understands the frames of the wire
 * protocol enough to cut exactly one statement, before the server receives it, after the server has executed it, or
 * while it is in transit.
 */
import { deserialize, serialize, type Document } from 'bson';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Cut {
  /** Name of the database command, as in the message. */
  readonly command: 'insert' | 'findAndModify' | 'find' | 'update' | 'listIndexes' | 'createIndexes';
  /**
   * `hold`: the statement is held back until the test lets it arrive. `silence`: its connection ends for neither side,
   * and carries nothing from this statement on.
   */
  readonly when: 'before' | 'after' | 'hold' | 'silence';
  /** Runs before the driver notices the cut. */
  readonly meanwhile?: () => Promise<unknown>;
  /** Instead of a cut: the driver gets this answer (`before`), or the server's answer with these fields (`after`). */
  readonly answer?: Document;
}

export interface CuttingProxy {
  /** The database's address through this network; the driver uses no other path. */
  readonly url: string;
  /** Cuts the next statements that match, in this order, each once. */
  cut(...cuts: readonly Cut[]): void;
  /** The number of cuts that have not matched a statement yet. */
  uncut(): number;
  /** Lets the held statements arrive; resolves when the server has answered them. */
  deliverHeld(): Promise<void>;
  /** While `refusing`, connections are closed; while `silent`, statements are dropped. */
  behave(behaviour: 'normal' | 'refusing' | 'silent'): void;
  close(): Promise<void>;
}

/** Splits a stream into frames of the wire protocol (length in the first four bytes, little endian). */
function createFrames(onFrame: (frame: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      onFrame(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  };
}

/** The command is the first key of the first section: header 16, flags 4, section kind 1, document length 4, type 1. */
function commandOf(frame: Buffer): string {
  const start = 26;
  return frame.subarray(start, frame.indexOf(0, start)).toString('utf8');
}

const bodyStart = 21;

function answerTo(request: Buffer, body: Document): Buffer {
  const document = serialize(body);
  const frame = Buffer.alloc(bodyStart + document.length);
  frame.writeInt32LE(frame.length, 0);
  frame.writeInt32LE(request.readInt32LE(4), 8);
  frame.writeInt32LE(2_013, 12);
  frame.set(document, bodyStart);
  return frame;
}

interface Network {
  behaviour: 'normal' | 'refusing' | 'silent';
  readonly cuts: Cut[];
  readonly held: (() => Promise<void>)[];
  readonly sockets: Set<Socket>;
}

async function carryOut(
  cut: Cut,
  frame: Buffer,
  network: Network,
  client: Socket,
  server: Socket,
  answered: () => Promise<Buffer>,
): Promise<void> {
  let reply: Document = {};
  if (cut.when === 'after') {
    const answer = answered();
    server.write(frame);
    reply = deserialize((await answer).subarray(bodyStart), { promoteValues: false });
  }
  if (cut.when === 'hold') {
    network.held.push(async () => {
      const answer = answered();
      server.write(frame);
      await answer;
      server.destroy();
    });
  }
  await cut.meanwhile?.();
  if (cut.answer) return void client.write(answerTo(frame, { ...reply, ...cut.answer }));
  client.destroy();
  if (cut.when !== 'hold') server.destroy();
}

function join(client: Socket, server: Socket, network: Network): void {
  let isCut = false;
  const waiting: ((answer: Buffer) => void)[] = [];
  const answered = (): Promise<Buffer> => new Promise((resolve) => waiting.push(resolve));
  client.on(
    'data',
    createFrames((frame) => {
      if (network.behaviour === 'silent' || isCut) return;
      const next = network.cuts[0];
      if (!next || commandOf(frame) !== next.command) return void server.write(frame);
      network.cuts.shift();
      isCut = true;
      if (next.when !== 'silence')
        void carryOut(next, frame, network, client, server, answered).then(() => {
          if (next.answer) isCut = false;
        });
    }),
  );
  server.on(
    'data',
    createFrames((frame) => {
      waiting.shift()?.(frame);
      if (!isCut && network.behaviour === 'normal') client.write(frame);
    }),
  );
  client.on('close', () => isCut || server.destroy());
  server.on('close', () => client.destroy());
}

/** Opens a network in front of the database at `target` (a connection string with one host). */
export async function openCuttingProxy(target: string): Promise<CuttingProxy> {
  const address = new URL(target);
  const network: Network = { behaviour: 'normal', cuts: [], held: [], sockets: new Set() };
  const track = (socket: Socket): Socket => {
    network.sockets.add(socket);
    return socket
      .setNoDelay(true)
      .on('error', () => socket.destroy())
      .on('close', () => network.sockets.delete(socket));
  };
  const listener = createServer((client) => {
    track(client);
    if (network.behaviour === 'refusing') return void client.destroy();
    join(client, track(connect(Number(address.port || 27_017), address.hostname)), network);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`;
  if (url.pathname === '') url.pathname = '/';
  url.searchParams.delete('replicaSet');
  url.searchParams.set('directConnection', 'true');
  return {
    url: url.href,
    cut: (...cuts) => void network.cuts.push(...cuts),
    uncut: () => network.cuts.length,
    deliverHeld: async () => {
      await Promise.all(network.held.splice(0).map((deliver) => deliver()));
    },
    behave(behaviour) {
      network.behaviour = behaviour;
      if (behaviour === 'refusing') for (const socket of network.sockets) socket.destroy();
    },
    close: async () => {
      for (const socket of network.sockets) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
