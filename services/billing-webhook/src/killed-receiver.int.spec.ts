/**
 * Kills the receiver twice under load, on a real document store, with events at their owner and outcomes under way; the
 * owner keeps running. At the end no event whose owner recorded an outcome needs a person, and each redelivery gets the
 * right answer.
 */
import { createIds, ok, silentLog, systemClock } from '@platform/kernel';
import {
  providerAdmissionRequests,
  providerEventMessageIds,
  providerEventSchema,
  providerEventStreams,
  providerEventSubjects,
  providerEventTypes,
} from '@platform/contracts-provisioning';
import { executorStateIn, incarnationsCollection } from '@platform/durable/boot';
import { createFakeBroker } from '@platform/messaging/testing';
import { connectStore, type Store } from '@platform/mongo';
import { createOutboxRelay } from '@platform/outbox';
import { registerIncarnation } from '@platform/service-host';
import { eventually, uniqueName } from '@platform/testing';
import { onProviderOutcome } from './messages/on-provider-outcome';
import { receiverPorts } from './receiver';
import { webhookEventsCollection } from './store/webhook-events';
import { received } from './testing/webhook-world';
import { askOwnerOver } from './workflows/ask-owner';
import { timedBudget } from './workflows/await-outcome';
import { completeEvent } from './workflows/complete-event';
import { receiveEvent } from './workflows/receive-event';
import { stopInterrupted } from './workflows/stop-interrupted';

const events = 90;
const killed = 2;
const clock = systemClock;
const ids = createIds(clock);
let store: Store;

beforeAll(async () => {
  const url = process.env['TEST_MONGODB_URL'];
  if (!url) throw new Error('the test run provides no document store (TEST_MONGODB_URL)');
  const database = uniqueName('killed-receiver').replaceAll('.', '_');
  store = await connectStore({
    url,
    database,
    clock,
    ids,
    log: silentLog,
    appName: 'killed-receiver',
    startPatienceMs: 120_000,
  });
  store.collection(webhookEventsCollection);
  store.collection(incarnationsCollection);
  await store.ensureIndexes();
});
afterAll(() => store?.close());

type Broker = ReturnType<typeof createFakeBroker>;

/** Handles each event once, records its outcome and reports it; holds every tenth event until the test releases it. */
async function openOwner(broker: Broker) {
  const messaging = broker.connect('operator');
  const ends = new Map<string, 'success'>();
  const runs = new Map<string, number>();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await messaging.consume(
    { stream: providerEventStreams.events, durable: 'operator', concurrency: 256 },
    async ({ body }) => {
      const { eventId, admittedRevision } = providerEventSchema.parse(body);
      if (runs.has(eventId)) return { kind: 'ack' };
      runs.set(eventId, 1);
      if (Number(eventId.slice(4)) % 10 === 0) await held;
      ends.set(eventId, 'success');
      await messaging.publish({
        subject: providerEventSubjects.outcome('operator'),
        id: providerEventMessageIds.outcome(eventId),
        type: providerEventTypes.outcome,
        body: { eventId, admittedRevision, outcome: 'success' },
      });
      return { kind: 'ack' };
    },
  );
  const answer = async (body: unknown) => {
    const { eventId } = body as { eventId: string };
    if (ends.has(eventId)) return ok({ status: 'success' });
    return ok(runs.has(eventId) ? { status: 'pending', executor: { state: 'alive' } } : { status: 'not_admitted' });
  };
  const endpoint = { name: 'admission', subject: providerAdmissionRequests.operator, answer };
  await messaging.serve({ name: 'operator', version: '1.0.0', description: 'the owner' }, [endpoint]);
  return { ends, runs, release: () => release() };
}

/**
 * One boot of the receiver under one instance name; `kill` disconnects it from the broker in the middle of its work.
 */
async function bootReceiver(broker: Broker, number: number) {
  const name = `billing-webhook boot ${number}`;
  const messaging = broker.connect(name);
  const executor = { service: 'billing-webhook', instance: 'billing-webhook-1', incarnation: `boot-${number}` };
  await registerIncarnation({ records: store.collection(incarnationsCollection), executor, clock });
  const records = store.collection(webhookEventsCollection);
  const relay = createOutboxRelay({
    sources: { events: records.outbox },
    publish: (message) => messaging.publish(message),
    clock,
    log: silentLog,
  });
  const ports = receiverPorts({
    store,
    clock,
    ids,
    executor,
    log: silentLog,
    budget: () => timedBudget(300),
    askOwner: askOwnerOver(messaging),
    publishNow: (eventId, entries) => void relay.publishNow('events', eventId, entries),
    meter: { verified() {}, rejected() {}, duplicate() {}, reached() {}, clockSkew() {} },
  });
  relay.start();
  await messaging.consume(
    { stream: providerEventStreams.outcomes, durable: 'billing-webhook', concurrency: 32 },
    onProviderOutcome((outcome) => completeEvent(ports, outcome)),
  );
  const look = () => stopInterrupted({ ...ports, executorState: executorStateIn(store) });
  await look();
  const kill = async () => {
    broker.disconnect(name);
    await relay.close();
  };
  return { look, kill, receive: (eventId: string) => receiveEvent(ports, received({ eventId })) };
}

describe('a receiver that is killed twice under load', () => {
  it('leaves no event to a person whose owner recorded an end', async () => {
    const broker = createFakeBroker({ clock });
    const owner = await openOwner(broker);
    let delivering = true;
    const settling = (async () => {
      for (; delivering; await new Promise((turn) => setImmediate(turn))) void broker.settle();
    })();
    let receiver = await bootReceiver(broker, 0);
    const share = events / (killed + 1);
    for (let part = 0; part <= killed; part += 1) {
      const names = Array.from({ length: share }, (_, at) => `evt_${part * share + at}`);
      const answers = Promise.all(names.map((eventId) => receiver.receive(eventId)));
      if (part < killed) {
        while ((await store.collection(webhookEventsCollection).count({})) < part * share + share / 2)
          await new Promise((turn) => setImmediate(turn));
        await receiver.kill();
        receiver = await bootReceiver(broker, part + 1);
      }
      await answers;
    }
    owner.release();
    const records = store.collection(webhookEventsCollection);
    const settled = async (): Promise<boolean> => {
      await receiver.look();
      return (await records.count({ result: 'success' })) === events;
    };
    const repeat = async () => {
      await eventually(settled, { describe: 'every event has its result' });
      return Promise.all(Array.from({ length: events }, (_, at) => receiver.receive(`evt_${at}`)));
    };
    const again = await repeat().finally(() => (delivering = false));
    await settling;
    await receiver.kill();
    expect(await records.count({ result: 'reconciliation_required' })).toBe(0);
    expect(again.filter(({ kind }) => kind !== 'accepted')).toEqual([]);
    expect(owner.runs.size).toBe(events);
    expect(owner.ends.size).toBe(events);
  });
});
