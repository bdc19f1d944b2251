/** The requests of the broker's streams, as the client libraries send them: `$JS.API.…`. */
import { Consumer, type Delivering } from './consumer';
import { headerBlock, plain, statusOnly, type Published } from './protocol';
import { Stream, type ConsumerConfig, type Stored, type StreamConfig } from './stream';

type Body = Readonly<Record<string, unknown>>;

const failed = (code: number, errorCode: number, description: string) => ({
  error: { code, err_code: errorCode, description },
});
const noStream = failed(404, 10_059, 'stream not found');
const noConsumer = failed(404, 10_014, 'consumer not found');
const noMessage = failed(404, 10_037, 'no message found');
const pageSize = 256;
/** The client recognises a page by the type of its answer. */
const typeOf = ([kind = '', verb = '']: readonly string[]): string =>
  `io.nats.jetstream.api.v1.${kind.toLowerCase()}_${verb.toLowerCase()}_response`;

const defaults = {
  retention: 'limits',
  storage: 'file',
  discard: 'old',
  max_age: 0,
  max_bytes: -1,
  max_msgs: -1,
  max_msgs_per_subject: -1,
  max_msg_size: -1,
  duplicate_window: 120_000_000_000,
  num_replicas: 1,
  no_ack: false,
};

function found(stream: Stream, { seq, last_by_subj: last, next_by_subj: next }: Body): Stored | undefined {
  if (typeof last === 'string') return stream.lastOf(last);
  const from = Number(seq ?? 1);
  if (typeof next !== 'string') return stream.messages.get(from);
  const filter = new Consumer(stream, '', { filter_subject: next }, { send: () => undefined, awaits: () => false });
  return [...stream.messages.values()].find((each) => each.sequence >= from && filter.wants(each));
}

export class Streams {
  readonly all = new Map<string, Stream>();

  constructor(private readonly server: Delivering) {}

  taking(subject: string): Stream | undefined {
    return [...this.all.values()].find((stream) => stream.takes(subject));
  }

  /** Removes streams, their messages and their consumers. */
  wipe(): void {
    for (const { consumers } of this.all.values()) for (const consumer of consumers.values()) consumer.remove();
    this.all.clear();
  }

  /** What a consumer says of a delivery. Returns the message and the consumer when it has acknowledged it. */
  acknowledge(subject: string, answer: string): { readonly message: Stored; readonly durable: string } | undefined {
    const [, , name = '', durable = '', , sequence] = subject.split('.');
    const stream = this.all.get(name);
    const message = stream?.messages.get(Number(sequence));
    stream?.consumers.get(durable)?.acknowledge(Number(sequence), answer);
    return message && (answer === '' || answer.startsWith('+ACK')) ? { message, durable } : undefined;
  }

  /** Answers a request; a pull is answered by deliveries. */
  request({ subject, reply, payload }: Published): void {
    const words = subject.split('.').slice(2);
    const body = (payload.length === 0 ? {} : JSON.parse(payload.toString('utf8'))) as Body;
    if (words[0] === 'CONSUMER' && words[1] === 'MSG') return this.pull(words, reply, body);
    if (words[0] === 'DIRECT') return this.direct(words, reply, body);
    this.server.send(plain(reply, { type: typeOf(words), ...this.answer(words, body) }));
  }

  private pull([, , , stream = '', consumer = '']: readonly string[], reply: string, body: Body): void {
    const known = this.all.get(stream)?.consumers.get(consumer);
    if (known) known.pull(reply, body as Readonly<Record<string, number>>);
    else this.server.send(statusOnly(reply, '503'));
  }

  private direct([, , name = '', ...subject]: readonly string[], reply: string, body: Body): void {
    const stream = this.all.get(name);
    if (!stream) return this.server.send(statusOnly(reply, '503'));
    const message = found(stream, subject.length > 0 ? { last_by_subj: subject.join('.') } : body);
    if (!message) return this.server.send(statusOnly(reply, '404 Message Not Found'));
    const own = {
      'Nats-Stream': name,
      'Nats-Subject': message.subject,
      'Nats-Sequence': message.sequence,
      'Nats-Time-Stamp': message.at.toISOString(),
    };
    const inherited = message.headers.toString('utf8').split('\r\n').slice(1).filter(Boolean);
    const kept = Object.fromEntries(
      inherited.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
    );
    this.server.send({
      subject: reply,
      reply: '',
      headers: headerBlock({ ...kept, ...own }),
      payload: message.payload,
    });
  }

  private answer(words: readonly string[], body: Body): object {
    const [kind, verb, third = '', fourth = ''] = words;
    if (kind === 'INFO') return { memory: 0, storage: 0, streams: this.all.size, consumers: 0, limits: {}, api: {} };
    if (kind === 'STREAM')
      return verb === 'MSG' ? this.ofMessage(third, fourth, body) : this.ofStream(verb, third, body);
    const name = verb === 'DURABLE' ? fourth : third;
    const stream = this.all.get(name);
    return stream ? this.ofConsumer(stream, verb === 'DURABLE' ? 'CREATE' : verb, words, body) : noStream;
  }

  private ofMessage(verb: string, name: string, body: Body): object {
    const stream = this.all.get(name);
    if (!stream) return noStream;
    const message = found(stream, body);
    if (!message) return noMessage;
    if (verb === 'DELETE') return { success: stream.messages.delete(message.sequence) };
    const { subject, sequence: seq, headers, payload, at } = message;
    const hdrs = headers.length > 0 && { hdrs: headers.toString('base64') };
    return { message: { subject, seq, data: payload.toString('base64'), time: at.toISOString(), ...hdrs } };
  }

  private ofStream(verb: string | undefined, name: string, body: Body): object {
    const stream = this.all.get(name);
    if (verb === 'NAMES' || verb === 'LIST') {
      const streams = [...this.all.values()].map((each) => (verb === 'NAMES' ? each.name : each.info()));
      const from = Number(body['offset'] ?? 0);
      return { total: streams.length, offset: from, limit: pageSize, streams: streams.slice(from, from + pageSize) };
    }
    if (verb === 'CREATE') {
      if (!stream) this.all.set(name, new Stream({ ...defaults, ...body } as unknown as StreamConfig));
      return { ...this.all.get(name)!.info(), did_create: !stream };
    }
    if (!stream) return noStream;
    if (verb === 'UPDATE') stream.config = { ...stream.config, ...body };
    if (verb === 'DELETE') {
      for (const consumer of stream.consumers.values()) consumer.remove();
      return { success: this.all.delete(name) };
    }
    if (verb === 'PURGE') {
      const purged = stream.messages.size;
      stream.messages.clear();
      return { success: true, purged };
    }
    return { ...stream.info(), total: stream.messages.size, offset: Number(body['offset'] ?? 0), limit: 100_000 };
  }

  private ofConsumer(stream: Stream, verb: string | undefined, words: readonly string[], body: Body): object {
    const name = words[1] === 'DURABLE' ? (words[4] ?? '') : (words[3] ?? '');
    const known = stream.consumers.get(name);
    if (verb === 'LIST' || verb === 'NAMES') {
      const consumers = [...stream.consumers.values()].map((each) => (verb === 'NAMES' ? each.name : each.info()));
      const from = Number(body['offset'] ?? 0);
      return {
        total: consumers.length,
        offset: from,
        limit: pageSize,
        consumers: consumers.slice(from, from + pageSize),
      };
    }
    if (verb === 'CREATE') {
      const config = { max_deliver: -1, ...(body['config'] as ConsumerConfig) };
      if (known) known.config = config;
      else stream.consumers.set(name, new Consumer(stream, name, config, this.server));
      return stream.consumers.get(name)!.info();
    }
    if (!known) return noConsumer;
    if (verb !== 'DELETE') return known.info();
    known.remove();
    stream.consumers.delete(name);
    for (const sequence of [...stream.messages.keys()]) stream.acknowledged(sequence);
    return { success: true };
  }
}
