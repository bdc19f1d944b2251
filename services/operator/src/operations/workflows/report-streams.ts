/** What moves and what waits: streams and durables as the broker tells them, and the outbox rows that it has not ended. */
import type { Messaging } from '@platform/messaging';
import type { RevisionedCollection } from '@platform/mongo';
import type { Streams } from '@platform/contracts-operator';
import type { Operation } from '../domain/operation';

export type StreamsReport = Streams | 'broker_unavailable';

/** Asks the broker and the store; the broker being away is an answer of its own, the store being away throws. */
export async function reportStreams(ports: {
  readonly messaging: Messaging;
  readonly operations: RevisionedCollection<Operation>;
}): Promise<StreamsReport> {
  const backlog = await ports.operations.outbox.backlog();
  if (!ports.messaging.connected()) return 'broker_unavailable';
  const streams = await ports.messaging.streamStates().catch(() => null);
  if (!streams) return 'broker_unavailable';
  return {
    streams: streams.map(({ oldestAt, subjects, durables, ...stream }) => ({
      ...stream,
      subjects: [...subjects],
      durables: durables.map((durable) => ({ ...durable })),
      ...(oldestAt && { oldestAt: oldestAt.toISOString() }),
    })),
    outbox: [
      {
        collection: ports.operations.name,
        waiting: backlog.count,
        ...(backlog.oldest && { oldestAt: backlog.oldest.toISOString() }),
      },
    ],
  };
}
