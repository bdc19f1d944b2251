/** The report of the streams: what the broker holds, and which rows of the services wait. */
import { backlogSubject, ok, refused } from '@platform/kernel';
import type { StreamState } from '@platform/messaging';
import { reportStreams, type ReportPorts } from './report-streams';

const oldest = new Date('2026-01-01T00:00:00.000Z');
const durable = { durable: 'deliver', pending: 2 } as unknown as StreamState['durables'][number];
const stream: StreamState = {
  stream: 'LIFECYCLE',
  subjects: ['lifecycle.>'],
  messages: 3,
  bytes: 300,
  firstSequence: 1,
  lastSequence: 3,
  oldestAt: oldest,
  replicas: 1,
  durables: [durable],
};
const backlog = { collection: 'tenants', waiting: 4, oldestAt: oldest.toISOString() };

function portsWith(change: Partial<ReportPorts['messaging']> = {}) {
  const asked: string[] = [];
  const messaging = {
    connected: () => true,
    streamStates: async () => [stream, { ...stream, stream: 'ALERTS', oldestAt: null }],
    request: async (subject: string) => {
      asked.push(subject);
      return subject === backlogSubject('provisioning')
        ? ok({ outboxes: [backlog] })
        : refused({ code: 'no_responders' as const, message: 'no process serves it' });
    },
    ...change,
  } as unknown as ReportPorts['messaging'];
  const outboxes = new Map([['operations', { backlog: async () => ({ count: 1, oldest: null }) }]]);
  return { asked, ports: { messaging, service: 'operator', outboxes: outboxes as unknown as ReportPorts['outboxes'] } };
}

describe('the report of the streams', () => {
  it('has every stream with its durables, and the waiting rows of each service', async () => {
    const { asked, ports } = portsWith();
    const { oldestAt: _oldest, ...rest } = stream;
    expect(await reportStreams(ports)).toStrictEqual({
      streams: [
        { ...rest, oldestAt: oldest.toISOString() },
        { ...rest, stream: 'ALERTS' },
      ],
      outbox: [
        { service: 'operator', collection: 'operations', waiting: 1 },
        { service: 'provisioning', ...backlog },
      ],
      unavailable: [
        { service: 'billing-webhook', problem: 'it does not answer (no_responders)' },
        { service: 'lifecycle-delivery', problem: 'it does not answer (no_responders)' },
      ],
    });
    expect(asked.sort()).toEqual(['billing-webhook', 'lifecycle-delivery', 'provisioning'].map(backlogSubject));
  });

  it.each([
    ['without a connection', { connected: () => false }],
    ['that does not answer', { streamStates: () => Promise.reject(new Error('time-out')) }],
  ])('says so of a broker %s, and asks no service', async (_how, change) => {
    const { asked, ports } = portsWith(change);
    expect(await reportStreams(ports)).toBe('broker_unavailable');
    expect(asked).toEqual([]);
  });
});
