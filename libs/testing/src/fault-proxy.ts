/**
 * A TCP proxy that breaks connections where a test requires: after a number of bytes in one direction, or all at once.
 * It knows no protocol, so it works for MongoDB, NATS and HTTP alike. Binds 127.0.0.1 only.
 */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** `up` is from the client to the target, `down` the answer. */
export type Direction = 'up' | 'down';

export interface FaultProxy {
  readonly port: number;
  readonly host: string;
  /**
   * Cuts the next connection (or the current ones) as soon as more than `bytes` have passed in `direction`, counted
   * from now and per connection: the first `bytes` are delivered, and nothing after them.
   */
  cutAfter(direction: Direction, bytes: number): void;
  /** Holds back everything in a direction until {@link FaultProxy.release}; connections stay open. */
  hold(direction: Direction): void;
  release(): void;
  /** Resets every connection now. */
  cutAll(): void;
  /** Closes the port: new connections are refused until {@link FaultProxy.accept}; existing ones are cut. */
  refuseConnections(): Promise<void>;
  /** Listens again on the same port, with all faults removed. */
  accept(): Promise<void>;
  /** Connections accepted so far. */
  readonly accepted: number;
  /** Bytes delivered so far, over all connections. */
  readonly delivered: Readonly<Record<Direction, number>>;
  close(): Promise<void>;
}

interface Link {
  readonly client: Socket;
  readonly target: Socket;
  readonly passed: Record<Direction, number>;
}

/** All connections of the proxy, and their faults. */
interface Wires {
  readonly links: Set<Link>;
  readonly delivered: Record<Direction, number>;
  readonly held: Set<Direction>;
  readonly waiting: (() => void)[];
  cut: { readonly direction: Direction; readonly bytes: number } | undefined;
}

function sever(wires: Wires, link: Link): void {
  wires.links.delete(link);
  link.client.resetAndDestroy();
  link.target.resetAndDestroy();
}

function ends(link: Link, direction: Direction): { readonly from: Socket; readonly to: Socket } {
  return direction === 'up' ? { from: link.client, to: link.target } : { from: link.target, to: link.client };
}

/** Ends the connection in order towards the receiver, so that the first bytes arrive; resets it towards the sender. */
function cutHere(wires: Wires, link: Link, direction: Direction, last: Buffer): void {
  const { from, to } = ends(link, direction);
  wires.cut = undefined;
  wires.links.delete(link);
  from.resetAndDestroy();
  to.end(last, () => to.destroy());
}

function pass(wires: Wires, link: Link, direction: Direction, chunk: Buffer): void {
  const { cut, delivered } = wires;
  const { from, to } = ends(link, direction);
  const rest = cut?.direction === direction ? cut.bytes - link.passed[direction] : Infinity;
  const part = chunk.subarray(0, Math.min(chunk.length, rest));
  link.passed[direction] += part.length;
  delivered[direction] += part.length;
  if (part.length < chunk.length) return cutHere(wires, link, direction, part);
  if (to.write(part)) return;
  from.pause();
  to.once('drain', () => from.resume());
}

/** Carries one direction of a connection; while it is held, arriving data waits, including the end. */
function forward(wires: Wires, link: Link, direction: Direction): void {
  const { from, to } = ends(link, direction);
  const carry = (deliver: () => void) => {
    const whileLinked = () => {
      if (wires.links.has(link)) deliver();
    };
    if (wires.held.has(direction)) wires.waiting.push(whileLinked);
    else whileLinked();
  };
  from.on('data', (chunk: Buffer) => carry(() => pass(wires, link, direction, chunk)));
  from.on('end', () => carry(() => void to.end()));
  from.on('error', () => {
    if (wires.links.has(link)) sever(wires, link);
  });
  from.on('close', () => {
    if (to.destroyed) wires.links.delete(link);
  });
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Opens a proxy in front of `target`. */
export async function createFaultProxy(target: { readonly host?: string; readonly port: number }): Promise<FaultProxy> {
  const wires: Wires = {
    links: new Set(),
    delivered: { up: 0, down: 0 },
    held: new Set(),
    waiting: [],
    cut: undefined,
  };
  let accepted = 0;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    accepted += 1;
    const link: Link = {
      client,
      target: connect({ host: target.host ?? '127.0.0.1', port: target.port, allowHalfOpen: true }),
      passed: { up: 0, down: 0 },
    };
    wires.links.add(link);
    forward(wires, link, 'up');
    forward(wires, link, 'down');
  });
  const cutAll = () => {
    for (const link of [...wires.links]) sever(wires, link);
  };
  const release = () => {
    wires.held.clear();
    for (const deliver of wires.waiting.splice(0)) deliver();
  };
  const stop = async () => {
    const stopped = new Promise<void>((resolve) => (server.listening ? server.close(() => resolve()) : resolve()));
    cutAll();
    await stopped;
  };
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    host: '127.0.0.1',
    cutAfter: (direction, bytes) => {
      for (const link of wires.links) link.passed[direction] = 0;
      wires.cut = { direction, bytes };
    },
    hold: (direction) => void wires.held.add(direction),
    release,
    cutAll,
    refuseConnections: stop,
    accept: async () => {
      wires.cut = undefined;
      release();
      if (!server.listening) await listen(server, port);
    },
    get accepted() {
      return accepted;
    },
    delivered: wires.delivered,
    close: stop,
  };
}
