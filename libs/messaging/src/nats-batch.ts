/**
 * Sends publications of the same turn to their stream as one atomic batch, where the server has such batches (2.12 and
 * newer, on streams that allow them): a server that syncs before each acknowledgement then syncs once for all.
 * Publications that a batch does not acknowledge are sent again singly under the same ids, which is always harmless.
 */
import type { Log } from '@platform/kernel';
import type { PublishOutcome } from './port';
import { subjectMatches } from './subject';
import type { WireHeaders } from './wire';

/** One message for the stream of its subject, with the broker's names. */
export interface Publication {
  readonly subject: string;
  /** Absent: the broker stores each repeat. Such a message is sent alone. */
  readonly id: string | undefined;
  readonly bytes: Uint8Array;
  readonly headers: WireHeaders;
}

export interface BatchPorts {
  /** The version of the connected server, for example `2.12.3`. */
  readonly serverVersion: () => string;
  readonly streams: readonly { readonly name: string; readonly subjects: readonly string[] }[];
  readonly publishOne: (publication: Publication) => Promise<PublishOutcome>;
  /** Publishes without waiting; used for all messages of a batch but the last. */
  readonly send: (subject: string, bytes: Uint8Array, headers: WireHeaders) => void;
  /** Publishes the last message of a batch and returns the server's answer. Rejects when none comes. */
  readonly request: (subject: string, bytes: Uint8Array, headers: WireHeaders) => Promise<unknown>;
  readonly createBatchId: () => string;
  readonly log: Log;
}

export const batchLimits = {
  /** The server allows 1,000. */
  messages: 500,
  bytes: 4 * 1024 * 1024,
  /** Batches of one stream under way; the server allows 50 from all clients together. */
  underWay: 4,
} as const;

/**
 * The stream does not allow batches. Other refusals, for example of an id that the server already knows, concern only
 * the one batch.
 */
const batchesDisabled = 10_174;

interface Waiting extends Publication {
  readonly settle: (outcome: Promise<PublishOutcome>) => void;
}

/** Whether the server has atomic batches that keep message ids. */
export function hasAtomicBatches(serverVersion: string): boolean {
  const [major = 0, minor = 0] = serverVersion.split('.').map(Number);
  return major > 2 || (major === 2 && minor >= 12);
}

/** Returns a function that publishes a message together with the others of the same turn for the same stream. */
export function createBatchedPublish(ports: BatchPorts): (publication: Publication) => Promise<PublishOutcome> {
  const lanes = new Map(ports.streams.map(({ name, subjects }) => [name, { subjects, lane: createLane(name, ports) }]));
  return (publication) => {
    if (!hasAtomicBatches(ports.serverVersion())) return ports.publishOne(publication);
    if (publication.id === undefined) return ports.publishOne(publication);
    const found = [...lanes.values()].find(({ subjects }) =>
      subjects.some((pattern) => subjectMatches(pattern, publication.subject)),
    );
    return found ? found.lane(publication) : ports.publishOne(publication);
  };
}

function createLane(stream: string, ports: BatchPorts): (publication: Publication) => Promise<PublishOutcome> {
  const waiting: Waiting[] = [];
  let underWay = 0;
  let scheduled = false;
  /** True once the server has refused such batches for this stream or altogether. */
  let refused = false;

  async function carry(batch: readonly Waiting[]): Promise<void> {
    underWay += 1;
    const answer = await sendBatch(ports, batch);
    underWay -= 1;
    if (answer === 'acknowledged') {
      for (const { settle } of batch) settle(Promise.resolve('acknowledged'));
    } else {
      refused ||= answer === 'refused';
      if (answer === 'refused')
        ports.log.info({ stream }, 'The broker takes no batches for this stream; publishing singly');
      for (const one of batch) one.settle(ports.publishOne(one));
    }
    flush();
  }

  function flush(): void {
    while (waiting.length > 0 && (refused || underWay < batchLimits.underWay)) {
      const batch = takeBatch(waiting);
      const [only] = batch;
      if (refused || (batch.length === 1 && only)) for (const one of batch) one.settle(ports.publishOne(one));
      else void carry(batch);
    }
  }

  return (publication) =>
    new Promise<PublishOutcome>((resolve) => {
      waiting.push({ ...publication, settle: resolve });
      if (scheduled) return;
      scheduled = true;
      setImmediate(() => {
        scheduled = false;
        flush();
      });
    });
}

function takeBatch(waiting: Waiting[]): Waiting[] {
  let bytes = 0;
  let count = 0;
  while (count < Math.min(waiting.length, batchLimits.messages)) {
    bytes += waiting[count]?.bytes.length ?? 0;
    if (count > 0 && bytes > batchLimits.bytes) break;
    count += 1;
  }
  return waiting.splice(0, count);
}

/** `refused`: neither now nor later; `failed`: anything else, including a missing answer. */
async function sendBatch(
  { send, request, createBatchId, log }: BatchPorts,
  batch: readonly Publication[],
): Promise<'acknowledged' | 'refused' | 'failed'> {
  const batchId = createBatchId();
  try {
    let answer: unknown;
    for (const [index, { subject, id, bytes, headers }] of batch.entries()) {
      const own = {
        ...headers,
        'Nats-Msg-Id': id ?? '',
        'Nats-Batch-Id': batchId,
        'Nats-Batch-Sequence': String(index + 1),
      };
      if (index < batch.length - 1) send(subject, bytes, own);
      else answer = await request(subject, bytes, { ...own, 'Nats-Batch-Commit': '1' });
    }
    return judge(answer, batch.length);
  } catch (error) {
    log.warn(
      { messages: batch.length, reason: (error as Error).message },
      'A batch was not acknowledged; its messages go singly',
    );
    return 'failed';
  }
}

/** A server that stores batch messages one by one, without knowing batches, answers without a count. */
function judge(answer: unknown, messages: number): 'acknowledged' | 'refused' | 'failed' {
  const { error, count } = (answer ?? {}) as { error?: { err_code?: number }; count?: number };
  if (error) return error.err_code === batchesDisabled ? 'refused' : 'failed';
  return count === messages ? 'acknowledged' : 'refused';
}
