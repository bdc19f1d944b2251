/**
 * Keys of declared buckets, over JetStream's own requests, with the names and headers that every bucket client uses: a
 * key is the last message of its subject, and a write names the sequence that it replaces.
 */
import { JetStreamApiError } from '@nats-io/jetstream';
import type { AdapterContext } from './nats-context';
import { toNatsHeaders } from './nats-headers';
import { manager, unlessAbsent } from './nats-streams';
import type { KeyedValue, KeyWritten } from './port';
import { bucketStream, keySubject } from './topology';
import { decodeBody, encodeBody } from './wire';

/** JetStream's code for a write that does not name the last sequence of its subject. */
const wrongLastSequence = 10_071;

/** The header values with which a bucket client removes a key. */
const removals = new Set(['DEL', 'PURGE']);

/** Throws when the broker is unreachable or the bucket is gone. */
export async function readKey(
  { connection, names }: AdapterContext,
  bucket: string,
  key: string,
): Promise<KeyedValue | null> {
  const own = names.bucket(bucket);
  const jsm = await manager(connection);
  const message = await unlessAbsent(jsm.direct.getMessage(bucketStream(own), { last_by_subj: keySubject(own, key) }));
  if (!message) return null;
  const decoded = decodeBody(message.data);
  const removed = removals.has(message.header?.get('KV-Operation') ?? '');
  return { value: decoded.ok && !removed ? decoded.body : null, sequence: message.seq };
}

export async function writeKey(
  { connected, jetstream, names, options }: AdapterContext,
  bucket: string,
  key: string,
  value: Readonly<Record<string, unknown>>,
  overSequence: number,
): Promise<KeyWritten> {
  const own = names.bucket(bucket);
  const subject = keySubject(own, key);
  const bytes = encodeBody(keySubject(bucket, key), value);
  if (!connected()) return 'unknown';
  try {
    await jetstream.publish(subject, bytes, {
      headers: toNatsHeaders({ 'Nats-Expected-Last-Subject-Sequence': String(overSequence) }),
    });
    return 'written';
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === wrongLastSequence) return 'conflict';
    options.log.warn({ subject, reason: String(error) }, 'A key was not acknowledged');
    return 'unknown';
  }
}

/** When the bucket was created; throws when the broker is unreachable. */
export async function bucketIdentity({ connection, names }: AdapterContext, bucket: string): Promise<string | null> {
  const jsm = await manager(connection);
  const found = await unlessAbsent(jsm.streams.info(bucketStream(names.bucket(bucket))));
  return found?.created ?? null;
}
