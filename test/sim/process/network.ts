/**
 * The network of a history. A connection has two directions; in each, bytes arrive in their order, at a step of the
 * process that receives them. A fault may cut a connection before or after bytes arrive, delay them, or swallow one
 * direction while the other one goes on. A process that is killed closes its connections, one that is paused reads
 * nothing.
 */
import type { Server } from 'node:net';
import type { Process, Timeline } from '../engine/timeline';
import type { Faults } from '../engine/faults';
import { createOutages, type Outages } from './outages';
import { SimSocket } from './socket';
import { changeIn, operationAskedFor, targetOf, type Change } from './wire';

interface NetworkHooks {
  readonly crash: (process: Process) => void;
  readonly freeze: (process: Process) => void;
}

interface Listener {
  readonly server: Server;
  readonly owner: Process | null;
}

export interface Network {
  readonly connect: (...given: unknown[]) => SimSocket;
  readonly listen: (this: Server, ...given: unknown[]) => Server;
  /** Names a port in stories, for example `store`. */
  name(port: number, name: string): void;
  readonly outages: Outages;
  /** When the first request for an operation arrived at the process that serves it. */
  readonly arrivals: ReadonlyMap<string, number>;
  /** The process is dead: its connections close and its ports are free. */
  drop(process: Process): void;
  /** To every process, the server behind a port fails: its connections break, and it refuses others for so long. */
  fail(port: number, milliseconds: number): void;
  /** Whether something listens. */
  isServed(port: number): boolean;
  /** Ends every connection. */
  close(): void;
  hooks: NetworkHooks;
}

const deviations = ['cut', 'cut_after', 'delay', 'half_open'] as const;
const delays = [20, 200, 1_500, 6_000] as const;
const firstPort = 40_000;

interface End {
  readonly socket: SimSocket;
  readonly waiting: (Buffer | 'end')[];
  moving: boolean;
  swallows: boolean;
  closed: boolean;
}

interface Connection {
  readonly port: number;
  readonly ends: readonly [client: End, server: End];
  open: boolean;
  /** What the client's last bytes ask the store to change. */
  change: Change | undefined;
}

const failure = (code: string, port: number): Error =>
  Object.assign(new Error(`simulated: ${code} at port ${port}`), { code, errno: -1 });
const other = (at: 0 | 1): 0 | 1 => (at === 0 ? 1 : 0);

export function createNetwork({
  timeline,
  faults,
  trace,
}: {
  readonly timeline: Timeline;
  readonly faults: Faults;
  /** Learns who received how much. */
  readonly trace: { update(line: string): unknown };
}): Network {
  const listeners = new Map<number, Listener>();
  const names = new Map<number, string>();
  const connections = new Set<Connection>();
  const outages = createOutages(timeline);
  const arrivals = new Map<string, number>();
  let nextPort = firstPort;
  let hooks: NetworkHooks = { crash: () => undefined, freeze: () => undefined };

  const nameOf = ({ socket }: End, port: number): string =>
    socket.owner ? socket.owner.service : (names.get(port) ?? 'world');

  /** An end of a connection sends to its port or receives from it; the infrastructure has no process. */
  function heldUntil({ port, ends }: Connection, to: 0 | 1): number {
    return Math.max(
      outages.heldUntil(ends[to].socket.owner, port, 'from'),
      outages.heldUntil(ends[other(to)].socket.owner, port, 'to'),
    );
  }

  /** The next bytes of a direction arrive at the receiver's turn; a direction has one step at a time. */
  function move(connection: Connection, to: 0 | 1): void {
    const end = connection.ends[to];
    if (end.moving || end.waiting.length === 0) return;
    end.moving = true;
    timeline.enqueue(end.socket.owner, () => {
      const until = heldUntil(connection, to);
      if (until > 0) return void later(connection, to, until - timeline.time);
      arrive(connection, to);
    });
  }

  function later(connection: Connection, to: 0 | 1, milliseconds: number): void {
    timeline.alarm(null, milliseconds, () => {
      connection.ends[to].moving = false;
      move(connection, to);
    });
  }

  function deviationOf(connection: Connection, to: 0 | 1): string | undefined {
    const [from, end] = [connection.ends[other(to)], connection.ends[to]];
    const process = end.socket.owner ?? from.socket.owner;
    if (!process || process.state === 'dead') return undefined;
    const sprung = outages.springs(process, connection.change, to === 0 ? 'answer' : 'request', connection.port);
    return sprung ?? faults.at(`${nameOf(from, connection.port)} to ${nameOf(end, connection.port)}`, deviations);
  }

  function arrive(connection: Connection, to: 0 | 1): void {
    const end = connection.ends[to];
    const process = end.socket.owner ?? connection.ends[other(to)].socket.owner;
    const kind = end.waiting[0] === 'end' ? undefined : deviationOf(connection, to);
    if (kind === 'delay' || kind === 'late') return later(connection, to, timeline.random.pick(delays));
    if (kind === 'cut') return cut(connection);
    if (kind === 'half_open') end.swallows = true;
    if (kind === 'crash_before') return hooks.crash(process!);
    if (kind === 'freeze') hooks.freeze(process!);
    hand(connection, to);
    if (kind === 'cut_after') cut(connection);
    if (kind === 'crash_after') timeline.enqueue(process, () => hooks.crash(process!));
  }

  /** Everything that waits in this direction is handed over at once. */
  function hand(connection: Connection, to: 0 | 1): void {
    const end = connection.ends[to];
    const items = end.waiting.splice(0);
    end.moving = false;
    if (end.swallows) return;
    const bytes = items.filter((item): item is Buffer => item !== 'end');
    const size = bytes.reduce((sum, { length }) => sum + length, 0);
    trace.update(`${nameOf(end, connection.port)} ${connection.port} ${end.socket.localPort} ${size}\n`);
    if (end.closed || end.socket.owner?.state === 'dead') {
      // A closed end answers bytes with a reset.
      if (bytes.length > 0) reset(connection, other(to));
      return;
    }
    if (bytes.length > 0) {
      const received = Buffer.concat(bytes);
      const asked = end.socket.owner && operationAskedFor(received);
      if (asked && !arrivals.has(asked)) arrivals.set(asked, timeline.time);
      end.socket.receive(received);
    }
    if (items.includes('end')) end.socket.push(null);
  }

  function reset(connection: Connection, at: 0 | 1): void {
    const { socket } = connection.ends[at];
    // A server knows nothing of a connection that it has not accepted.
    if (at === 1 && !connection.open) return;
    timeline.enqueue(socket.owner, () => void socket.destroy(failure('ECONNRESET', connection.port)));
  }

  function cut(connection: Connection): void {
    for (const at of [0, 1] as const) {
      connection.ends[at].waiting.splice(0);
      connection.ends[at].swallows = true;
      reset(connection, at);
    }
  }

  function attach(connection: Connection, at: 0 | 1): void {
    const peer = connection.ends[other(at)];
    const put = (item: Buffer | 'end'): void => {
      if (at === 0 && item !== 'end') connection.change = changeIn(item);
      peer.waiting.push(item);
      if (connection.open) move(connection, other(at));
    };
    connection.ends[at].socket.wire = {
      send: put,
      end: () => put('end'),
      close: () => {
        if (connection.ends[at].closed) return;
        connection.ends[at].closed = true;
        put('end');
        if (peer.closed) connections.delete(connection);
      },
    };
  }

  function accept(connection: Connection): void {
    const [client, server] = connection.ends;
    const listener = listeners.get(connection.port)!;
    connection.open = true;
    const counted = listener.server as Server & { _connections: number };
    counted._connections += 1;
    server.socket.server = counted as never;
    listener.server.emit('connection', server.socket);
    timeline.enqueue(client.socket.owner, () => {
      if (client.closed) return;
      client.socket.connecting = false;
      client.socket.emit('connect');
      client.socket.emit('ready');
      for (const to of [0, 1] as const) move(connection, to);
    });
  }

  function connect(...given: unknown[]): SimSocket {
    const { port, allowHalfOpen } = targetOf(given);
    const listener = given.at(-1);
    const owner = timeline.current;
    const localPort = (nextPort += 1);
    const client = new SimSocket(owner, port, localPort, allowHalfOpen);
    client.connecting = true;
    if (typeof listener === 'function') client.once('connect', listener as () => void);
    const served = listeners.get(port);
    const halfOpen = (served?.server as (Server & { allowHalfOpen?: boolean }) | undefined)?.allowHalfOpen ?? false;
    const server = new SimSocket(served?.owner ?? null, localPort, port, halfOpen);
    const endOf = (socket: SimSocket): End => ({ socket, waiting: [], moving: false, swallows: false, closed: false });
    const connection: Connection = { port, ends: [endOf(client), endOf(server)], open: false, change: undefined };
    connections.add(connection);
    attach(connection, 0);
    attach(connection, 1);
    const refuse = (): void => timeline.enqueue(owner, () => void client.destroy(failure('ECONNREFUSED', port)));
    const knock = (): void => {
      if (client.destroyed) return;
      const until = heldUntil(connection, 1);
      if (until > 0) return void timeline.alarm(owner, until - timeline.time, knock);
      if (!served || listeners.get(port) !== served || (owner !== null && outages.isRefused(port))) return refuse();
      // A paused server accepts nothing, and its caller waits; one that stops listening meanwhile accepts nothing more.
      timeline.enqueue(served.owner, () => (listeners.get(port) === served ? accept(connection) : refuse()));
    };
    timeline.enqueue(owner, knock);
    return client;
  }

  /** The form of `listen` that servers and frameworks here use: a port or options, and a callback. */
  function listen(this: Server, ...given: unknown[]): Server {
    const [first] = given;
    const wanted = Number(typeof first === 'object' && first !== null ? (first as { port?: number }).port : first) || 0;
    const port = wanted === 0 ? (nextPort += 1) : wanted;
    const owner = timeline.current;
    const listener = { server: this, owner };
    listeners.set(port, listener);
    const handle = {
      close: (done?: () => void) => {
        if (listeners.get(port) === listener) listeners.delete(port);
        done?.();
      },
      getsockname: (out: object) => void Object.assign(out, { address: '127.0.0.1', family: 'IPv4', port }),
      ref: () => undefined,
      unref: () => undefined,
    };
    Object.assign(this, { _handle: handle, _connections: 0 });
    const listening = given.at(-1);
    if (typeof listening === 'function') this.once('listening', listening as () => void);
    timeline.enqueue(owner, () => this.emit('listening'));
    return this;
  }

  return {
    connect,
    listen,
    name: (port, name) => void names.set(port, name),
    outages,
    arrivals,
    fail(port, milliseconds) {
      outages.refuse(port, milliseconds);
      for (const connection of [...connections])
        if (connection.port === port && connection.ends.some(({ socket }) => socket.owner !== null)) cut(connection);
    },
    isServed: (port) => listeners.has(port),
    drop(process) {
      for (const [port, { owner }] of listeners) if (owner === process) listeners.delete(port);
      for (const connection of connections)
        for (const at of [0, 1] as const) {
          const { socket } = connection.ends[at];
          if (socket.owner !== process || connection.ends[at].closed) continue;
          connection.ends[at].closed = true;
          connection.ends[other(at)].waiting.push('end');
          move(connection, other(at));
          if (connection.ends[other(at)].closed) connections.delete(connection);
        }
    },
    close: () => {
      for (const { ends } of connections) for (const { socket } of ends) socket.destroy();
      connections.clear();
      listeners.clear();
    },
    set hooks(next: NetworkHooks) {
      hooks = next;
    },
    get hooks() {
      return hooks;
    },
  };
}
