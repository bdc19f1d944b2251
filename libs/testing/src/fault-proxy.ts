/**
 * A TCP proxy that breaks connections where a test wants it: after a number of bytes in one direction, or all at once.
 * It knows no protocol, so it stands before MongoDB, NATS and HTTP alike. Binds 127.0.0.1 only.
 */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** `up` is from the client to the target, `down` the answer. */
export type Direction = 'up' | 'down';

export interface FaultProxy {
  readonly port: number;
  readonly host: string;
  /**
   * Cuts the next connection (or those under way) as soon as more than `bytes` have passed in `direction`, counted
   * from now and per connection: the first `bytes` are delivered, nothing after them.
   */
  cutAfter(direction: Direction, bytes: number): void;
  /** Keeps back everything in a direction until {@link FaultProxy.release}; connections stay open. */
  hold(direction: Direction): void;
  release(): void;
  /** Resets every connection now. */
  cutAll(): void;
  /** Closes the port: new connections are refused until {@link FaultProxy.accept}; present ones are cut. */
  refuse(): Promise<void>;
  /** Listens again on the same port, with all faults lifted. */
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

/** Opens a proxy before `target`. */
export async function createFaultProxy(target: { readonly host?: string; readonly port: number }): Promise<FaultProxy> {
  const links = new Set<Link>();
  const delivered: Record<Direction, number> = { up: 0, down: 0 };
  const held = new Set<Direction>();
  const waiting: (() => void)[] = [];
  let cut: { readonly direction: Direction; readonly bytes: number } | undefined;
  let accepted = 0;

  function sever(link: Link): void {
    links.delete(link);
    link.client.resetAndDestroy();
    link.target.resetAndDestroy();
  }

  /** Ends in order towards the receiver, so that what was promised arrives; resets towards the sender. */
  function cutHere(link: Link, to: Socket, from: Socket, last: Buffer): void {
    cut = undefined;
    links.delete(link);
    from.resetAndDestroy();
    to.end(last, () => to.destroy());
  }

  function pass(link: Link, direction: Direction, chunk: Buffer): void {
    const [from, to] = direction === 'up' ? [link.client, link.target] : [link.target, link.client];
    const rest = cut?.direction === direction ? cut.bytes - link.passed[direction] : Infinity;
    const part = chunk.subarray(0, Math.min(chunk.length, rest));
    link.passed[direction] += part.length;
    delivered[direction] += part.length;
    if (part.length < chunk.length) return cutHere(link, to, from, part);
    if (!to.write(part)) {
      from.pause();
      to.once('drain', () => from.resume());
    }
  }

  function forward(link: Link, direction: Direction): void {
    const [from, to] = direction === 'up' ? [link.client, link.target] : [link.target, link.client];
    from.on('data', (chunk: Buffer) => {
      if (!links.has(link)) return;
      if (!held.has(direction)) return pass(link, direction, chunk);
      waiting.push(() => {
        if (links.has(link)) pass(link, direction, chunk);
      });
    });
    from.on('end', () => {
      if (!links.has(link)) return;
      if (held.has(direction)) waiting.push(() => void to.end());
      else to.end();
    });
    from.on('error', () => {
      if (links.has(link)) sever(link);
    });
    from.on('close', () => {
      if (links.has(link) && to.destroyed) links.delete(link);
    });
  }

  const server = createServer({ allowHalfOpen: true }, (client) => {
    accepted += 1;
    const link: Link = { client, target: connect({ host: target.host ?? '127.0.0.1', port: target.port, allowHalfOpen: true }), passed: { up: 0, down: 0 } };
    links.add(link);
    forward(link, 'up');
    forward(link, 'down');
  });

  const listen = (port: number) => new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
  const stopListening = () => new Promise<void>((resolve) => (server.listening ? server.close(() => resolve()) : resolve()));
  const cutAll = () => {
    for (const link of [...links]) sever(link);
  };
  const release = () => {
    held.clear();
    for (const deliver of waiting.splice(0)) deliver();
  };

  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    host: '127.0.0.1',
    cutAfter: (direction, bytes) => {
      for (const link of links) link.passed[direction] = 0;
      cut = { direction, bytes };
    },
    hold: (direction) => void held.add(direction),
    release,
    cutAll,
    refuse: async () => {
      const stopped = stopListening();
      cutAll();
      await stopped;
    },
    accept: async () => {
      cut = undefined;
      release();
      if (!server.listening) await listen(port);
    },
    get accepted() {
      return accepted;
    },
    delivered,
    close: async () => {
      const stopped = stopListening();
      cutAll();
      await stopped;
    },
  };
}
