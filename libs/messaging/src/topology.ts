/**
 * The streams and fixed durables as data, written once in `infra/nats/topology.json`. A namespace prefixes every stream
 * and subject, so many test files share one server without seeing each other.
 */
import { z } from 'zod';
import { isConcreteSubject, subjectMatches } from './subject';
import declared from './topology.json';

const durable = z.strictObject({
  durable: z.string().regex(/^[a-z][a-z0-9_-]{1,63}$/),
  /** Absent: every subject of the stream. */
  filterSubjects: z.array(z.string().min(1)).min(1).optional(),
  ackWaitSeconds: z.number().int().positive(),
  maxAckPending: z.number().int().positive(),
});

const stream = z.strictObject({
  name: z.string().regex(/^[A-Z][A-Z0-9_]{1,40}$/),
  description: z.string().min(1),
  subjects: z.array(z.string().min(1)).min(1),
  /**
   * `interest`: a message is kept until each durable that wants it has acknowledged it, and is not kept at all while
   * none wants it. A work queue would not do, because there the acknowledgement of any durable removes the message.
   */
  retention: z.enum(['limits', 'interest']),
  maxAgeSeconds: z.number().int().positive(),
  /** Beyond this size the oldest message is dropped; if its record still needs it, the record sends it again. */
  maxBytes: z.number().int().positive(),
  /**
   * Most messages of one subject. Where each team has its own subject, a team that floods the stream loses its own
   * oldest messages and takes the place of no other team's.
   */
  maxMessagesPerSubject: z.number().int().positive().optional(),
  /** Headers and body together, as the server counts them. */
  maxMessageBytes: z.number().int().positive(),
  duplicateWindowSeconds: z.number().int().positive(),
  durables: z.array(durable),
});

/** Only the last value of each key; on the broker a stream `KV_<name>`. */
const bucket = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]{1,40}$/),
  description: z.string().min(1),
  maxValueBytes: z.number().int().positive(),
});

const topology = z.strictObject({
  maxBodyBytes: z.number().int().positive(),
  maxReplyBytes: z.number().int().positive(),
  streams: z.array(stream).min(1),
  buckets: z.array(bucket),
});

export type FixedDurable = Readonly<z.infer<typeof durable>>;
export type StreamDeclaration = Readonly<z.infer<typeof stream>>;
export type BucketDeclaration = Readonly<z.infer<typeof bucket>>;
export type Topology = Readonly<z.infer<typeof topology>>;

/** Largest JSON body of a message or request, in bytes of UTF-8 (contracts: every message at most 64 KiB). */
export const maxBodyBytes = declared.maxBodyBytes;

/**
 * Largest JSON body of a reply, which no stream stores: one page of a list. It is below the broker's own limit
 * (`max_payload`).
 */
export const maxReplyBytes = declared.maxReplyBytes;

/** Reads a topology; throws an error that names each wrong field, repeated stream or repeated durable. */
export function parseTopology(source: unknown): Topology {
  const parsed = topology.safeParse(source);
  if (!parsed.success) {
    throw new Error(
      `Topology: ${parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')}`,
    );
  }
  assertUnique(
    parsed.data.streams.map(({ name }) => name),
    'stream',
  );
  assertUnique(
    parsed.data.buckets.map(({ name }) => name),
    'bucket',
  );
  for (const { name, durables } of parsed.data.streams)
    assertUnique(
      durables.map((each) => each.durable),
      `durable of ${name}`,
    );
  return parsed.data;
}

let platform: Topology | undefined;

/** The topology of this platform, from `infra/nats/topology.json`, read once in a process. */
export function platformTopology(): Topology {
  platform ??= parseTopology(declared);
  return platform;
}

/**
 * Whether messages of this subject may be delivered to the reader. A durable that a service creates at run time reads
 * the subjects of its stream that end in its name.
 */
export function isReadBy(
  { stream, durable }: { readonly stream: string; readonly durable: string },
  subject: string,
  topology = platformTopology(),
): boolean {
  if (!isConcreteSubject(subject)) return false;
  const declared = topology.streams.find(({ name }) => name === stream);
  const fixed = declared?.durables.find((each) => each.durable === durable);
  const patterns = fixed?.filterSubjects ?? declared?.subjects ?? [];
  if (!patterns.some((pattern) => subjectMatches(pattern, subject))) return false;
  return fixed !== undefined || subject.endsWith(`.${durable}`);
}

function assertUnique(names: readonly string[], kind: string): void {
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  if (repeated.length > 0) throw new Error(`Topology: ${kind} declared twice: ${repeated.join(', ')}`);
}

/** The stream behind a bucket, as every client of buckets names it. */
export function bucketStream(bucket: string): string {
  return `KV_${bucket}`;
}

/** The subject of a key, or with `*` of all keys. */
export function keySubject(bucket: string, key: string): string {
  return `$KV.${bucket}.${key}`;
}

/** Translates between the names that callers use and those on the broker. */
export interface Namespace {
  subject(name: string): string;
  stream(name: string): string;
  bucket(name: string): string;
  /** The name that callers use; a subject of another namespace is returned unchanged. */
  plainSubject(name: string): string;
  plainStream(name: string): string;
  /**
   * The topology with broker names. Streams on the server's own subjects (`$JS…`) exist only once, without a namespace.
   */
  topology(source: Topology): Topology;
}

/** `namespace`: letters, digits and underscores; absent or empty leaves names unchanged. */
export function createNamespace(namespace?: string): Namespace {
  if (!namespace) {
    const same = (name: string): string => name;
    return {
      subject: same,
      stream: same,
      bucket: same,
      plainSubject: same,
      plainStream: same,
      topology: (source) => source,
    };
  }
  if (!/^[A-Za-z][A-Za-z0-9_]{0,39}$/.test(namespace)) {
    throw new Error(`Namespace ${JSON.stringify(namespace)}: up to 40 letters, digits and underscores, a letter first`);
  }
  const subjectPrefix = `${namespace}.`;
  const streamPrefix = `${namespace.toUpperCase()}_`;
  const bucketPrefix = `${namespace}_`;
  const subject = (name: string): string => subjectPrefix + name;
  return {
    subject,
    stream: (name) => streamPrefix + name,
    bucket: (name) => bucketPrefix + name,
    plainSubject: (name) => (name.startsWith(subjectPrefix) ? name.slice(subjectPrefix.length) : name),
    plainStream: (name) => (name.startsWith(streamPrefix) ? name.slice(streamPrefix.length) : name),
    topology: (source) => ({
      ...source,
      buckets: source.buckets.map((each) => ({ ...each, name: bucketPrefix + each.name })),
      streams: source.streams
        .filter(({ subjects }) => !subjects.some((name) => name.startsWith('$')))
        .map((each) => ({
          ...each,
          name: streamPrefix + each.name,
          subjects: each.subjects.map(subject),
          durables: each.durables.map((fixed) => ({
            ...fixed,
            ...(fixed.filterSubjects ? { filterSubjects: fixed.filterSubjects.map(subject) } : {}),
          })),
        })),
    }),
  };
}
