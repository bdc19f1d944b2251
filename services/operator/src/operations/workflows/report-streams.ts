/** Streams and durables as the broker reports them, and the outbox rows that still wait. */
import type { Messaging } from '@platform/messaging';
import type { Streams } from '@platform/contracts-operator';
import { askBacklogs, backlogsOf, type Outboxes } from '@platform/durable/executors';

export type StreamsReport = Streams | 'broker_unavailable';

export interface ReportPorts {
  readonly messaging: Messaging;
  /** The name of this service, whose own outboxes are reported; other services report theirs. */
  readonly service: string;
  readonly outboxes: Outboxes;
}

const owners = ['operator', 'billing-webhook', 'provisioning', 'lifecycle-delivery'] as const;

/** Asks the broker and the store. An unreachable broker is part of the answer; an unreachable store throws. */
export async function reportStreams(ports: ReportPorts): Promise<StreamsReport> {
  if (!ports.messaging.connected()) return 'broker_unavailable';
  const streams = await ports.messaging.streamStates().catch(() => undefined);
  if (!streams) return 'broker_unavailable';
  return {
    streams: streams.map(({ oldestAt, subjects, durables, ...stream }) => ({
      ...stream,
      subjects: [...subjects],
      durables: durables.map((durable) => ({ ...durable })),
      ...(oldestAt && { oldestAt: oldestAt.toISOString() }),
    })),
    ...(await outboxesOf(ports)),
  };
}

async function outboxesOf({
  messaging,
  service,
  outboxes,
}: ReportPorts): Promise<Pick<Streams, 'outbox' | 'unavailable'>> {
  const answers = await Promise.all(
    owners.map(async (owner) => ({
      owner,
      backlogs:
        owner === service
          ? { ok: true as const, value: await backlogsOf(outboxes) }
          : await askBacklogs(messaging, owner),
    })),
  );
  return {
    outbox: answers.flatMap(({ owner, backlogs }) =>
      backlogs.ok ? backlogs.value.map((backlog) => ({ service: owner, ...backlog })) : [],
    ),
    unavailable: answers.flatMap(({ owner, backlogs }) =>
      backlogs.ok ? [] : [{ service: owner, problem: `it does not answer (${backlogs.error})` }],
    ),
  };
}
