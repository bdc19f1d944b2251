/**
 * Translates between the declared topology and JetStream's configurations, and lists the differences that `apply`
 * repairs and with which services refuse to start. Pure.
 */
import { AckPolicy, DeliverPolicy, DiscardPolicy, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import type { ConsumerConfig, StreamConfig } from '@nats-io/jetstream';
import type { DurableDeclaration } from './port';
import { bucketStream, keySubject } from './topology';
import type { BucketDeclaration, FixedDurable, StreamDeclaration } from './topology';

const nanosPerMs = 1_000_000;

/** Features of the server beyond the oldest supported version. */
export interface ServerFeatures {
  readonly atomicBatches: boolean;
}

export function streamConfig(
  declared: StreamDeclaration,
  replicas: number,
  features: ServerFeatures,
): Partial<StreamConfig> & { name: string; subjects: string[] } {
  // The broker's own notices wait for no acknowledgement, and JetStream requires this setting for its subjects.
  const unacknowledged = declared.subjects.some((subject) => subject.startsWith('$'));
  return {
    name: declared.name,
    description: declared.description,
    subjects: [...declared.subjects],
    retention: declared.retention === 'interest' ? RetentionPolicy.Interest : RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_age: declared.maxAgeSeconds * 1_000 * nanosPerMs,
    max_bytes: declared.maxBytes,
    max_msgs_per_subject: declared.maxMessagesPerSubject ?? -1,
    max_msg_size: declared.maxMessageBytes,
    duplicate_window: declared.duplicateWindowSeconds * 1_000 * nanosPerMs,
    num_replicas: replicas,
    no_ack: unacknowledged,
    ...(features.atomicBatches && !unacknowledged ? { allow_atomic: true } : {}),
    deny_delete: false,
    allow_rollup_hdrs: false,
  };
}

/**
 * The stream of a bucket: one value per key, never outdated by age, readable from every replica, and deletable only key
 * by key.
 */
export function bucketConfig(
  { name, description, maxValueBytes }: BucketDeclaration,
  replicas: number,
): Partial<StreamConfig> & { name: string; subjects: string[] } {
  return {
    name: bucketStream(name),
    description,
    subjects: [keySubject(name, '>')],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    max_msgs_per_subject: 1,
    max_age: 0,
    max_bytes: -1,
    // Subject and headers count too.
    max_msg_size: maxValueBytes + 1_024,
    duplicate_window: 120_000 * nanosPerMs,
    num_replicas: replicas,
    no_ack: false,
    allow_direct: true,
    allow_rollup_hdrs: true,
    deny_delete: true,
    deny_purge: false,
  };
}

export function fixedDurable(
  stream: string,
  { durable, filterSubjects, ackWaitSeconds, maxAckPending }: FixedDurable,
): DurableDeclaration {
  return { stream, durable, filterSubjects: filterSubjects ?? [], ackWaitMs: ackWaitSeconds * 1_000, maxAckPending };
}

/** A single filter uses the field that servers before 2.10 know. No filter means every subject of the stream. */
export function consumerConfig(declared: DurableDeclaration): Partial<ConsumerConfig> & { durable_name: string } {
  const [first, ...others] = declared.filterSubjects;
  return {
    durable_name: declared.durable,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: declared.ackWaitMs * nanosPerMs,
    max_ack_pending: declared.maxAckPending,
    // The database counts attempts; a message beyond `max_deliver` would stay stored and invisible.
    max_deliver: -1,
    ...(first !== undefined && others.length === 0 ? { filter_subject: first } : {}),
    ...(others.length > 0 ? { filter_subjects: [...declared.filterSubjects] } : {}),
  };
}

const comparedStreamFields = [
  'subjects',
  'retention',
  'storage',
  'discard',
  'max_age',
  'max_bytes',
  'max_msgs_per_subject',
  'max_msg_size',
  'duplicate_window',
  'no_ack',
] as const;
const comparedBucketFields = [
  'subjects',
  'retention',
  'storage',
  'discard',
  'max_msgs_per_subject',
  'max_age',
  'max_msg_size',
  'allow_direct',
  'deny_delete',
] as const;
const comparedConsumerFields = ['ack_policy', 'deliver_policy', 'ack_wait', 'max_ack_pending', 'max_deliver'] as const;

/**
 * Each difference as `<field> is <actual>, declared <wanted>`. Undefined values are not compared: services leave the
 * number of replicas to the operator, and work with and without batches.
 */
export function streamDifferences(
  declared: StreamDeclaration,
  actual: StreamConfig,
  replicas: number | undefined,
  features?: ServerFeatures,
): string[] {
  const wanted = streamConfig(declared, replicas ?? actual.num_replicas, features ?? { atomicBatches: false });
  const compared = [...comparedStreamFields, 'num_replicas' as const, ...(features ? (['allow_atomic'] as const) : [])];
  return compared.flatMap((field) => difference(field, normal(actual[field]), normal(wanted[field])));
}

/** Like {@link streamDifferences}, for a bucket. */
export function bucketDifferences(
  declared: BucketDeclaration,
  actual: StreamConfig,
  replicas: number | undefined,
): string[] {
  const wanted = bucketConfig(declared, replicas ?? actual.num_replicas);
  return [...comparedBucketFields, 'num_replicas' as const].flatMap((field) =>
    difference(field, normal(actual[field]), normal(wanted[field])),
  );
}

export function consumerDifferences(declared: DurableDeclaration, actual: ConsumerConfig): string[] {
  const wanted = consumerConfig(declared);
  return [
    ...comparedConsumerFields.flatMap((field) => difference(field, normal(actual[field]), normal(wanted[field]))),
    ...difference('filter', filterOf(actual), filterOf(wanted)),
  ];
}

function filterOf(config: Partial<ConsumerConfig>): string {
  return normal(config.filter_subjects ?? (config.filter_subject ? [config.filter_subject] : []));
}

/** The order of subjects has no meaning; a flag that is off may be absent. */
function normal(value: unknown): string {
  return JSON.stringify(Array.isArray(value) ? [...(value as string[])].sort() : (value ?? false));
}

function difference(field: string, actual: string, wanted: string): string[] {
  return actual === wanted ? [] : [`${field} is ${actual}, declared ${wanted}`];
}
