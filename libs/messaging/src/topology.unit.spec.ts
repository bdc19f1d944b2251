/** The declared topology, its translation to the broker, and the differences that stop a service at start. */
import type { ConsumerConfig, StreamConfig } from '@nats-io/jetstream';
import { subjectMatches, isConcreteSubject } from './subject';
import { createNamespace, parseTopology, platformTopology } from './topology';
import { consumerConfig, consumerDifferences, fixedDurable, streamConfig, streamDifferences } from './topology-config';

const topology = platformTopology();

describe('platform topology', () => {
  it('declares the streams and durables of the architecture', () => {
    const declared = Object.fromEntries(
      topology.streams.map(({ name, durables }) => [name, durables.map(({ durable }) => durable)]),
    );
    expect(declared).toEqual({
      LIFECYCLE: ['lifecycle-delivery'],
      TENANT_LIFECYCLE: [],
      TENANT_RECEIPTS: ['lifecycle-delivery'],
      LIFECYCLE_SETTLED: ['operator', 'provisioning', 'operator-work-queue'],
      PROVIDER_EVENTS: ['operator', 'provisioning'],
      PROVIDER_OUTCOMES: ['billing-webhook', 'operator-work-queue'],
      WORKSPACES: ['operator', 'operator-work-queue'],
      MIGRATIONS: [],
      DELETIONS: ['provisioning', 'operator'],
      CHECKOUTS: [],
      ALERTS: ['operator-work-queue'],
      WORK_CHANGES: [],
      DEAD_LETTERS: [],
      ADVISORIES: [],
    });
  });

  it('gives no subject to two streams', () => {
    const samples = [
      'lifecycle.message.suspended',
      'lifecycle.settled.suspended',
      'tenant.lifecycle.suspended.storage',
      'tenant.receipt.storage',
      'provider.event.operator.invoice.paid',
      'provider.outcome.operator',
      'workspace.committed',
      'workspace.deletion_requested',
      'migration.progress',
      'checkout.completed',
      'alert.reconciliation_required.operator.operation',
      'work.changed.operation',
      'dead_letter.LIFECYCLE.lifecycle-delivery',
      '$JS.EVENT.ADVISORY.CONSUMER.TERMINATED.LIFECYCLE.x',
    ];
    const takers = samples.map((sample) =>
      topology.streams
        .filter(({ subjects }) => subjects.some((pattern) => subjectMatches(pattern, sample)))
        .map(({ name }) => name),
    );
    expect(takers.flat().sort()).toEqual(topology.streams.map(({ name }) => name).sort());
    expect(takers.every(({ length }) => length === 1)).toBe(true);
  });

  it('keeps the broker’s notices, and not its account of each call, which would push them out within the hour', () => {
    const { subjects = [] } = topology.streams.find(({ name }) => name === 'ADVISORIES') ?? {};
    const kept = (notice: string) =>
      subjects.some((pattern) => subjectMatches(pattern, `$JS.EVENT.ADVISORY.${notice}`));
    const notices = ['CONSUMER.MAX_DELIVERIES.A.b', 'STREAM.DELETED.A', 'SERVER.OUT_OF_STORAGE', 'API.LIMIT_REACHED'];
    expect([notices.filter(kept), kept('API')]).toEqual([notices, false]);
  });

  it('limits the streams that no consumer empties', () => {
    for (const { name, maxBytes, durables } of topology.streams) {
      if (durables.length === 0 && name !== 'TENANT_LIFECYCLE')
        expect([name, typeof maxBytes]).toEqual([name, 'number']);
    }
  });
});

describe('parsing a topology', () => {
  const [first] = topology.streams;
  const limits = { maxBodyBytes: 1, maxReplyBytes: 1, buckets: [] };

  it('names the field that is wrong or unknown', () => {
    expect(() => parseTopology({ ...limits, streams: [{ ...first, retention: 'workqueue' }] })).toThrow(
      'streams.0.retention',
    );
    expect(() => parseTopology({ ...limits, streams: [{ ...first, replicas: 3 }] })).toThrow(/streams\.0.*replicas/);
    expect(() => parseTopology(null)).toThrow('Topology:');
  });

  it('refuses a bucket that is declared twice', () => {
    const [bucket] = topology.buckets;
    expect(() => parseTopology({ ...limits, streams: [first], buckets: [bucket, bucket] })).toThrow(
      'bucket declared twice: workspace_access',
    );
  });

  it('refuses a stream or a durable that is declared twice', () => {
    expect(() => parseTopology({ ...limits, streams: [first, first] })).toThrow('stream declared twice: LIFECYCLE');
    const durables = [first?.durables[0], first?.durables[0]];
    expect(() => parseTopology({ ...limits, streams: [{ ...first, durables }] })).toThrow(
      'durable of LIFECYCLE declared twice: lifecycle-delivery',
    );
  });
});

describe('namespace', () => {
  it('prefixes streams, subjects and filters, and takes the prefix off again', () => {
    const names = createNamespace('test1');
    const events = names.topology(topology).streams.find(({ name }) => name === 'TEST1_PROVIDER_EVENTS');
    expect(events?.subjects).toEqual(['test1.provider.event.*.>']);
    expect(events?.durables[0]?.filterSubjects).toEqual(['test1.provider.event.operator.>']);
    expect(names.plainSubject(names.subject('workspace.committed'))).toBe('workspace.committed');
    expect(names.plainStream(names.stream('ALERTS'))).toBe('ALERTS');
    expect(names.topology(topology).buckets.map(({ name }) => name)).toEqual([names.bucket('workspace_access')]);
  });

  it('leaves out the stream of the server’s own subjects, which exists once', () => {
    expect(
      createNamespace('test1')
        .topology(topology)
        .streams.map(({ name }) => name),
    ).not.toContain('TEST1_ADVISORIES');
    expect(createNamespace().topology(topology)).toBe(topology);
  });

  it.each(['a.b', '1a', 'a b', '*', 'ünder'])('refuses %j', (namespace) => {
    expect(() => createNamespace(namespace)).toThrow('Namespace');
  });
});

describe('differences from the broker', () => {
  const declared = topology.streams.find(({ name }) => name === 'PROVIDER_EVENTS');
  const fixed = declared?.durables[0];
  if (!declared || !fixed) throw new Error('PROVIDER_EVENTS has durables');
  const stream = streamConfig(declared, 3, { atomicBatches: false }) as StreamConfig;
  const durable = fixedDurable(declared.name, fixed);
  const consumer = consumerConfig(durable) as ConsumerConfig;

  it('finds none in what was made from the declaration', () => {
    expect(streamDifferences(declared, stream, 3)).toEqual([]);
    expect(consumerDifferences(durable, consumer)).toEqual([]);
  });

  it.each([
    ['subjects', ['provider.event.>']],
    ['retention', 'workqueue'],
    ['storage', 'memory'],
    ['discard', 'new'],
    ['max_age', 1],
    ['max_bytes', 1],
    ['max_msgs_per_subject', 1],
    ['max_msg_size', 1],
    ['duplicate_window', 1],
    ['no_ack', true],
    ['num_replicas', 1],
  ])('names the stream field %s with both values', (field, value) => {
    const differences = streamDifferences(declared, { ...stream, [field]: value }, 3);
    expect(differences).toHaveLength(1);
    expect(differences[0]).toContain(`${field} is ${JSON.stringify(value)}, declared `);
  });

  it.each([
    ['ack_policy', 'none'],
    ['deliver_policy', 'new'],
    ['ack_wait', 1],
    ['max_ack_pending', 1],
    ['max_deliver', 5],
    ['filter_subject', 'other'],
  ])('names the durable’s field %s', (field, value) => {
    const [difference, ...others] = consumerDifferences(durable, { ...consumer, [field]: value } as ConsumerConfig);
    expect(others).toEqual([]);
    expect(difference).toContain(JSON.stringify(value));
  });

  it('takes a list of one filter and a single filter for the same', () => {
    const { filter_subject: filter, ...rest } = consumer;
    expect(consumerDifferences(durable, { ...rest, filter_subjects: [filter ?? ''] } as ConsumerConfig)).toEqual([]);
    expect(consumerConfig({ ...durable, filterSubjects: ['a', 'b'] }).filter_subjects).toEqual(['a', 'b']);
  });

  it('allows batches where the server has them, and lets services work with and without', () => {
    const batched = streamConfig(declared, 3, { atomicBatches: true }) as StreamConfig;
    expect(batched.allow_atomic).toBe(true);
    expect(stream.allow_atomic).toBeUndefined();
    for (const actual of [stream, batched]) expect(streamDifferences(declared, actual, undefined)).toEqual([]);
    expect(streamDifferences(declared, stream, 3, { atomicBatches: true })).toEqual([
      'allow_atomic is false, declared true',
    ]);
    const notices = topology.streams.find(({ name }) => name === 'ADVISORIES') as typeof declared;
    expect(streamConfig(notices, 3, { atomicBatches: true }).allow_atomic).toBeUndefined();
  });

  it('does not compare replicas unless told how many', () => {
    expect(streamDifferences(declared, { ...stream, num_replicas: 5 }, undefined)).toEqual([]);
  });
});

describe('subject patterns', () => {
  it.each([
    ['a.b', 'a.b', true],
    ['a.b', 'a.c', false],
    ['a.b', 'a.b.c', false],
    ['a.b.c', 'a.b', false],
    ['a.*', 'a.b', true],
    ['a.*', 'a', false],
    ['a.*', 'a.b.c', false],
    ['*.b', 'a.b', true],
    ['a.>', 'a.b', true],
    ['a.>', 'a.b.c.d', true],
    ['a.>', 'a', false],
    ['>', 'a.b', true],
    ['a.*.>', 'a.b', false],
    ['a.*.>', 'a.b.c', true],
  ])('%s and %s match: %s', (pattern, subject, matches) => {
    expect(subjectMatches(pattern, subject)).toBe(matches);
  });

  it.each([
    ['a.b-c_d', true],
    ['a..b', false],
    ['a.*', false],
    ['a.>', false],
    ['a b', false],
    ['', false],
  ])('%j can be published to: %s', (subject, concrete) => {
    expect(isConcreteSubject(subject)).toBe(concrete);
  });
});
