/**
 * A model of the broker as a server that speaks its protocol: subscriptions, queue groups, requests without a
 * responder, streams with durable pull consumers, and buckets. The adapter's shared suite plays on it
 * (`simulated-broker.int.spec.ts`), as on the real one. It has one account, and neither users nor permissions.
 */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Streams } from './api';
import { createReader, messageFor, plain, statusOnly, type ClientOperation, type Published } from './protocol';
import { Subscriptions, type Subscription } from './subscriptions';

interface Client {
  readonly socket: Socket;
}

export interface Accepted extends Published {
  /** Which of the broker's disks has it. */
  readonly life: number;
  readonly at: number;
}

/** A consumer has said that it needs the message no more. */
interface Acknowledged {
  readonly message: Pick<Published, 'subject' | 'payload'>;
  readonly durable: string;
  readonly at: number;
}

export interface SimulatedBroker {
  readonly port: number;
  /** Every message that a stream accepted, without repeats. */
  readonly accepted: readonly Accepted[];
  readonly acknowledged: readonly Acknowledged[];
  /** Counts the disks that the broker has had. */
  readonly life: number;
  /** The broker ends and starts again at once: connections break, and without its disk all streams are gone. */
  restart(options: { readonly losesDisk: boolean }): void;
  close(): Promise<void>;
}

/** Without batches, which the server has since 2.12. */
const version = '2.10.22';
const maxPayload = 1_048_576;

/** A message on its way to a subscription may carry another subject than that of the inbox (`as`). */
type OnItsWay = Published & { readonly as?: string };

export async function startSimulatedBroker(port: number, pick: (count: number) => number): Promise<SimulatedBroker> {
  const clients = new Set<Client>();
  const accepted: Accepted[] = [];
  const acknowledged: Acknowledged[] = [];
  let life = 1;
  const subscriptions = new Subscriptions<Client>();

  function give(subscription: Subscription<Client>, message: OnItsWay): void {
    const { client, sid } = subscription;
    subscription.received += 1;
    if (subscription.most > 0 && subscription.received >= subscription.most) subscriptions.remove(subscription);
    client.socket.write(messageFor(sid, message.as === undefined ? message : { ...message, subject: message.as }));
  }

  /** To every subscription, and to one of each queue group. Returns how many got it. */
  function route(message: OnItsWay): number {
    const matching = subscriptions.matching(message.subject);
    const alone = matching.filter(({ queue }) => queue === '');
    const queues = [...new Set(matching.map(({ queue }) => queue).filter((queue) => queue !== ''))];
    const chosen = queues.map((queue) => {
      const members = matching.filter((each) => each.queue === queue);
      return members[pick(members.length)]!;
    });
    for (const subscription of [...alone, ...chosen]) give(subscription, message);
    return alone.length + chosen.length;
  }

  const streams = new Streams({
    send: (message) => void route(message),
    awaits: (subject) => subscriptions.matching(subject).length > 0,
  });

  function publish(message: Published): void {
    const { subject, reply, payload } = message;
    if (subject.startsWith('$JS.API.')) return streams.request(message);
    if (subject.startsWith('$JS.ACK.')) {
      const done = streams.acknowledge(subject, payload.toString('utf8'));
      if (done) acknowledged.push({ ...done, at: Date.now() });
      // A client may wait until its acknowledgement has arrived.
      if (reply !== '') route({ subject: reply, reply: '', headers: Buffer.alloc(0), payload: Buffer.alloc(0) });
      return;
    }
    const stream = streams.taking(subject);
    const received = route(message);
    if (stream) {
      const taken = stream.store(message);
      if ('seq' in taken && !taken.duplicate) accepted.push({ ...message, life, at: Date.now() });
      if (reply !== '' && !stream.config.no_ack) route(plain(reply, taken));
    } else if (received === 0 && reply !== '') route(statusOnly(reply, '503'));
  }

  function run(client: Client, operation: ClientOperation): void {
    switch (operation.is) {
      case 'PING':
        return void client.socket.write('PONG\r\n');
      case 'SUB': {
        const { sid, subject, queue } = operation;
        return subscriptions.add({ client, sid, subject, queue, received: 0, most: 0 });
      }
      case 'UNSUB': {
        const known = subscriptions.find(client, operation.sid);
        if (known && operation.most > known.received) known.most = operation.most;
        else if (known) subscriptions.remove(known);
        return;
      }
      case 'PUB':
        return publish(operation.message);
      default:
        return;
    }
  }

  function accept(socket: Socket): void {
    const client: Client = { socket };
    const read = createReader();
    clients.add(client);
    const leave = (): void => {
      clients.delete(client);
      subscriptions.leave(client);
    };
    socket.on('data', (bytes: Buffer) => {
      try {
        for (const operation of read(bytes)) run(client, operation);
      } catch (error) {
        socket.destroy(error as Error);
      }
    });
    socket.on('error', leave);
    socket.on('close', leave);
    const { port: own } = server.address() as AddressInfo;
    const info = { server_id: 'SIMULATED', server_name: 'simulated', version, proto: 1, host: '127.0.0.1', port: own };
    const can = { headers: true, jetstream: true, max_payload: maxPayload, client_id: clients.size };
    socket.write(`INFO ${JSON.stringify({ ...info, ...can })}\r\n`);
  }

  const server: Server = createServer(accept);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const disconnectAll = (): void => {
    for (const client of clients) {
      client.socket.destroy();
      subscriptions.leave(client);
    }
    clients.clear();
  };
  return {
    port: (server.address() as AddressInfo).port,
    accepted,
    acknowledged,
    restart({ losesDisk }) {
      disconnectAll();
      if (!losesDisk) return;
      streams.wipe();
      life += 1;
    },
    get life() {
      return life;
    },
    close: async () => {
      disconnectAll();
      streams.wipe();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
