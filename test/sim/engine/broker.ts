/**
 * The broker as a model: streams, durables, redelivery, duplicates, lost acknowledgements, a duplicate window and a
 * disk that can be wiped. Deliveries that are due wait in the timeline like every other step, so messages overtake each
 * other. A process that consumes a durable may receive the next message, several at once, or one again.
 */
import { ok, refused, type Result } from '@platform/kernel';
import { platformTopology } from '@platform/messaging';
import type {
  ConsumeOptions,
  Disposition,
  DurableDeclaration,
  Endpoint,
  Handle,
  Messaging,
  OutboundMessage,
  PublishOutcome,
  RequestRefusal,
} from '@platform/messaging';
import { createFakeBuckets, type FakeBuckets } from '@platform/messaging/testing';
import { connectionOf, often } from './broker-connection';
import {
  dropUnwanted,
  durableOf,
  filterOf,
  inbound,
  openStreams,
  streamNameOf,
  type Durable,
  type Stored,
  type Stream,
} from './broker-streams';
import type { Caller } from './calls';
import type { Faults } from './faults';
import type { Process, Timeline } from './timeline';

interface Published {
  readonly subject: string;
  readonly id: string;
  readonly type: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly at: Date;
}

interface Copy {
  readonly bucket: string;
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Reader {
  readonly process: Process;
  readonly options: ConsumeOptions;
  readonly handle: Handle;
  running: number;
}

interface Served {
  readonly process: Process;
  readonly takes: (subject: string) => boolean;
  readonly endpoint: Endpoint;
}

export interface SimBroker {
  connect(caller: Caller): Messaging;
  /** A message from outside the simulated services. */
  publishRaw(message: OutboundMessage): void;
  /** Removes all messages and durables, and recreates those of the topology. */
  wipe(): void;
  /** Makes every stored message due again, even an acknowledged one. */
  redeliverAll(): void;
  /** First publications that a stream accepted, in order, without repeats. */
  readonly published: readonly Published[];
  readonly deliveries: number;
  readonly buckets: FakeBuckets;
  /** Every value that a bucket accepted, in order; `bucket` is different after a wipe. */
  readonly copies: readonly Copy[];
}

const laterMs = 30_000;
/** `lost_message`: acknowledged to the publisher and then lost, as after a power failure with lazy synchronisation. */
const deviations = ['duplicate', 'lost_ack', 'delay', 'lost_message'] as const;

export function createSimBroker({
  timeline,
  faults,
}: {
  readonly timeline: Timeline;
  readonly faults: Faults;
}): SimBroker {
  let streams = openStreams(timeline.clock.now());
  const buckets = createFakeBuckets(platformTopology());
  const copies: Copy[] = [];
  const noted: FakeBuckets = {
    ...buckets,
    write(bucket, key, value, overSequence) {
      const written = buckets.write(bucket, key, value, overSequence);
      if (written === 'written') copies.push({ bucket: `${bucket} ${buckets.identity(bucket)}`, key, value });
      return written;
    },
  };
  const readers: Reader[] = [];
  let served: Served[] = [];
  const published: Published[] = [];
  const everPublished = new Set<string>();
  let deliveries = 0;

  function makeDue(stream: Stream, durable: Durable, message: Stored): void {
    if (!durable.outstanding.has(message)) durable.outstanding.set(message, 0);
    timeline.enqueue(null, () => deliver(stream, durable, message));
  }

  function store(message: OutboundMessage): PublishOutcome {
    const stream = streams.get(streamNameOf(message.subject) ?? '');
    if (!stream) return 'unknown';
    const at = timeline.clock.now();
    const known = stream.recent.get(message.id);
    if (message.repeats !== 'stored' && known !== undefined && at.getTime() - known < stream.windowMs)
      return 'acknowledged';
    stream.recent.set(message.id, at.getTime());
    stream.sequence += 1;
    const json = JSON.stringify(message.body);
    const stored: Stored = {
      sequence: stream.sequence,
      subject: message.subject,
      id: message.id,
      type: message.type,
      json,
      at,
    };
    if (!everPublished.has(message.id)) {
      everPublished.add(message.id);
      published.push({
        subject: message.subject,
        id: message.id,
        type: message.type,
        body: JSON.parse(json) as Published['body'],
        at,
      });
    }
    const wanting = [...stream.durables.values()].filter((durable) => durable.wants(stored.subject));
    if (!stream.byInterest || wanting.length > 0) stream.messages.add(stored);
    for (const durable of wanting) makeDue(stream, durable, stored);
    return 'acknowledged';
  }

  function deliver(stream: Stream, durable: Durable, message: Stored): void {
    const current = streams.get(stream.name)?.durables.get(durable.declaration.durable) === durable;
    const count = durable.outstanding.get(message);
    if (!current || count === undefined) return;
    const able = readers.filter(
      ({ process, options, running }) =>
        process.state === 'running' &&
        options.stream === stream.name &&
        options.durable === durable.declaration.durable &&
        running < (options.concurrency ?? 1),
    );
    if (able.length === 0) return void durable.parked.push(message);
    const deviation = faults.deviation(
      `delivery of ${message.id} to ${durable.declaration.durable}`,
      deviations,
      often,
    );
    if (deviation === 'delay') return void timeline.sleep(null, laterMs).then(() => makeDue(stream, durable, message));
    if (deviation === 'lost_message') {
      durable.outstanding.delete(message);
      stream.messages.delete(message);
      return;
    }
    if (deviation === 'duplicate') makeDue(stream, durable, message);
    durable.outstanding.set(message, count + 1);
    void attend(stream, durable, message, timeline.random.pick(able), deviation === 'lost_ack');
  }

  async function attend(
    stream: Stream,
    durable: Durable,
    message: Stored,
    reader: Reader,
    ackIsLost: boolean,
  ): Promise<void> {
    deliveries += 1;
    reader.running += 1;
    const { process } = reader;
    const disposition = await timeline
      .guarded(process, () => reader.handle(inbound(stream, durable.outstanding.get(message) ?? 1, message)))
      .catch((): Disposition => ({ kind: 'nak', reason: 'the handler threw or its process died' }));
    reader.running -= 1;
    unpark(stream, durable);
    if (disposition.kind === 'nak' || ackIsLost || process.state === 'dead') {
      const waitMs =
        process.state === 'dead' || ackIsLost
          ? durable.declaration.ackWaitMs
          : disposition.kind === 'nak'
            ? (disposition.delayMs ?? 1_000)
            : 1_000;
      if (durable.outstanding.has(message))
        await timeline
          .sleep(null, waitMs)
          .then(() => durable.outstanding.has(message) && makeDue(stream, durable, message));
      return;
    }
    if (disposition.kind === 'dead_letter') {
      published.push({
        subject: `dead_letter.${stream.name}.${durable.declaration.durable}`,
        id: `dead:${message.id}`,
        type: message.type,
        body: { reason: disposition.reason, id: message.id },
        at: timeline.clock.now(),
      });
    }
    durable.outstanding.delete(message);
    durable.acknowledged.add(message);
    durable.lastAckAt = timeline.clock.now();
    if (stream.byInterest) dropUnwanted(stream, [message]);
  }

  function unpark(stream: Stream, durable: Durable): void {
    const { parked } = durable;
    if (parked.length === 0) return;
    durable.parked = [];
    for (const message of parked) makeDue(stream, durable, message);
  }

  function declare(declaration: DurableDeclaration): void {
    const stream = streams.get(declaration.stream)!;
    if (stream.durables.has(declaration.durable)) return;
    const durable = durableOf(declaration, timeline.clock.now());
    stream.durables.set(declaration.durable, durable);
    for (const message of stream.messages) if (durable.wants(message.subject)) makeDue(stream, durable, message);
  }

  async function request(
    subject: string,
    body: Readonly<Record<string, unknown>>,
    timeoutMs: number,
  ): Promise<Result<unknown, RequestRefusal>> {
    const able = served.filter(({ process, takes }) => process.state === 'running' && takes(subject));
    if (able.length === 0) return refused({ code: 'no_responders', message: `no reader serves ${subject}` });
    const { process, endpoint } = timeline.random.pick(able);
    const payload = JSON.parse(JSON.stringify(body)) as unknown;
    const late = timeline
      .sleep(null, timeoutMs)
      .then(() => refused<RequestRefusal>({ code: 'timeout', message: 'simulated: no answer in time' }));
    const answered = timeline
      .guarded(process, () => endpoint.answer(payload, subject))
      .then(
        (answer): Result<unknown, RequestRefusal> =>
          answer.ok
            ? ok(JSON.parse(JSON.stringify(answer.value)) as unknown)
            : refused({ code: 'refused', serverCode: answer.error.code, message: answer.error.message }),
        // A dead process answers nothing; the caller waits until its timeout.
        () =>
          process.state === 'dead'
            ? late
            : refused<RequestRefusal>({
                code: 'refused',
                serverCode: 'internal_error',
                message: 'the service failed to answer',
              }),
      );
    return Promise.race([answered, late]);
  }

  return {
    connect: (caller) =>
      connectionOf(caller, { store, request, declare, streams: () => streams, buckets: noted, join, serve }),
    publishRaw: (message) => void store(message),
    wipe() {
      streams = openStreams(timeline.clock.now());
      buckets.wipe();
      buckets.apply();
    },
    redeliverAll() {
      for (const stream of streams.values()) {
        for (const durable of stream.durables.values())
          for (const message of stream.messages) if (durable.wants(message.subject)) makeDue(stream, durable, message);
      }
    },
    published,
    buckets,
    copies,
    get deliveries() {
      return deliveries;
    },
  };

  function join(process: Process, options: ConsumeOptions, handle: Handle): void {
    readers.push({ process, options, handle, running: 0 });
    const stream = streams.get(options.stream);
    const durable = stream?.durables.get(options.durable);
    if (stream && durable) unpark(stream, durable);
  }

  function serve(process: Process, endpoints: readonly Endpoint[]): void {
    served = [
      ...served.filter((each) => each.process.state !== 'dead'),
      ...endpoints.map((endpoint) => ({ process, endpoint, takes: filterOf(endpoint.subject) })),
    ];
  }
}
