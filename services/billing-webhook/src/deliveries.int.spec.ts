/**
 * Signed deliveries with concurrent duplicates on a real store, broker and socket, through the routes and workflows of
 * the service. The owner handles each event once. The full proof has ten times as many events; WEBHOOK_DELIVERIES sets
 * the number.
 */
import { createHmac } from 'node:crypto';
import { signatureHeader, webhookPath, webhookCodes } from '@platform/contracts-billing-webhook';
import {
  providerEventStreams,
  providerEventSubjects,
  providerEventTypes,
  providerEventMessageIds,
  providerEventSchema,
} from '@platform/contracts-provisioning';
import { createHttpServer, defineCodes } from '@platform/http-server';
import { createIds, silentLog, systemClock } from '@platform/kernel';
import { connectStore, type Store } from '@platform/mongo';
import { createFakeBroker } from '@platform/messaging/testing';
import { createOutboxRelay } from '@platform/outbox';
import { proofSize, uniqueName } from '@platform/testing';
import { webhookRoute } from './http/webhook-route';
import { onProviderOutcome } from './messages/on-provider-outcome';
import { receiverPorts } from './receiver';
import { webhookEventsCollection } from './store/webhook-events';
import { timedBudget } from './workflows/await-outcome';
import { completeEvent } from './workflows/complete-event';
import { receiveEvent } from './workflows/receive-event';

const events = Number(process.env['WEBHOOK_DELIVERIES'] ?? proofSize({ lean: 100, full: 1_000 }));
const copies = 3;
const inFlight = 48;
const secret = 'whsec_of_the_delivery_suite';
const clock = systemClock;
let store: Store;

beforeAll(async () => {
  const url = process.env['TEST_MONGODB_URL'];
  if (!url) throw new Error('the test run provides no document store (TEST_MONGODB_URL)');
  store = await connectStore({
    url,
    database: uniqueName('deliveries').replaceAll('.', '_'),
    clock,
    ids: createIds(clock),
    log: silentLog,
    appName: 'deliveries',
    startPatienceMs: 120_000,
  });
  store.collection(webhookEventsCollection);
});
afterAll(() => store?.close());

describe(`${events * copies} signed deliveries of ${events} events`, () => {
  it('are dispatched once each; an unresolved event never answers 2xx, and every record ends resolved', async () => {
    const broker = createFakeBroker({ clock });
    const [receiver, owner] = [broker.connect('billing-webhook'), broker.connect('operator')];
    const records = store.collection(webhookEventsCollection);
    const relay = createOutboxRelay({
      sources: { events: records.outbox },
      publish: (message) => receiver.publish(message),
      clock,
      log: silentLog,
    });
    const executor = { service: 'billing-webhook', instance: 'billing-webhook-1', incarnation: 'one' };
    const ports = receiverPorts({
      store,
      clock,
      ids: createIds(clock),
      executor,
      log: silentLog,
      budget: () => timedBudget(20_000),
      publishNow: (eventId, entries) => void relay.publishNow('events', eventId, entries),
      askOwner: async () => 'unavailable',
      meter: { verified() {}, rejected() {}, duplicate() {}, reached() {}, clockSkew() {} },
    });
    await store.ensureIndexes();
    const runs = new Map<string, number>();
    await owner.consume(
      { stream: providerEventStreams.events, durable: 'operator', concurrency: 32 },
      async ({ body }) => {
        const { eventId, admittedRevision } = providerEventSchema.parse(body);
        runs.set(eventId, (runs.get(eventId) ?? 0) + 1);
        const outcome = Number(eventId.slice(4)) % 10 === 0 ? 'failed' : 'success';
        await owner.publish({
          subject: providerEventSubjects.outcome('operator'),
          id: providerEventMessageIds.outcome(eventId),
          type: providerEventTypes.outcome,
          body: { eventId, admittedRevision, outcome },
        });
        return { kind: 'ack' };
      },
    );
    await receiver.consume(
      { stream: providerEventStreams.outcomes, durable: 'billing-webhook', concurrency: 32 },
      onProviderOutcome((outcome) => completeEvent(ports, outcome)),
    );
    const route = webhookRoute({
      receive: (received) => receiveEvent(ports, received),
      secrets: [secret],
      toleranceSeconds: 300,
      clock,
      meter: ports.meter,
    });
    const server = createHttpServer({
      name: 'billing-webhook',
      version: '0',
      routes: [route],
      codes: defineCodes(webhookCodes),
      readiness: {},
      log: silentLog,
    });
    const url = await server.listen({ host: '127.0.0.1', port: 0 });

    let delivering = true;
    const settling = (async () => {
      while (delivering) {
        await broker.settle();
        await new Promise((turn) => setImmediate(turn));
      }
    })();
    const answers: { eventId: string; status: number }[] = [];
    const queue = Array.from({ length: events * copies }, (_, at) => `evt_${Math.floor(at / copies)}`);
    await Promise.all(
      Array.from({ length: inFlight }, async () => {
        for (let eventId = queue.shift(); eventId !== undefined; eventId = queue.shift())
          answers.push({ eventId, status: await deliver(url, eventId) });
      }),
    );
    const again = await deliver(url, 'evt_1');
    delivering = false;
    await settling;
    await server.close();
    await relay.close();

    const stopped = (eventId: string) => Number(eventId.slice(4)) % 10 === 0;
    expect(again).toBe(200);
    expect([...runs.values()].every((count) => count === 1)).toBe(true);
    expect(runs.size).toBe(events);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 500]));
    expect(answers.filter(({ eventId, status }) => stopped(eventId) && status < 300)).toEqual([]);
    expect(await records.count({ result: 'success' })).toBe(events - Math.ceil(events / 10));
    expect(await records.count({ result: 'reconciliation_required' })).toBe(Math.ceil(events / 10));
    expect(await records.count({ result: 'pending' })).toBe(0);
  });
});

async function deliver(url: string, eventId: string): Promise<number> {
  const at = Math.floor(Date.now() / 1_000);
  const body = JSON.stringify({
    id: eventId,
    object: 'event',
    type: 'customer.updated',
    created: at,
    data: { object: { id: 'cus_1', object: 'customer' } },
  });
  const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  const response = await fetch(`${url}${webhookPath}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', [signatureHeader]: `t=${at},v1=${signature}` },
  });
  await response.arrayBuffer();
  return response.status;
}
