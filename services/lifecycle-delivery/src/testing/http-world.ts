/**
 * Teams that are served over HTTP, on fakes: each endpoint answers as its test says, checks every signature as the
 * specification demands, and keeps a ledger. The world sees what reaches a team when nothing may be sent to it.
 */
import { createHmac } from 'node:crypto';
import {
  lifecycleMessageIds,
  lifecycleRequests,
  lifecycleSubjects,
  lifecycleTypes,
  type ActOnConsumer,
  type LifecycleMessage,
} from '@platform/contracts-lifecycle-delivery';
import { createManualClock, createSequentialIds, silentLog, type Log } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import { createFakeBroker } from '@platform/messaging/testing';
import { createFakeStore } from '@platform/mongo/testing';
import { assembleDelivery, type HttpResources } from '../delivery';
import { createFakeEndpoints, type FakeAnswer, type FakeReceiver } from '../endpoints/fake-endpoints';
import type { EndpointPost, SecretsRead } from '../endpoints/port';
import { deliveryIdOf } from '../domain/delivery';
import { consumersCollection } from '../store/consumers';
import { deletedTenantsCollection } from '../store/deleted-tenants';
import { deliveriesCollection } from '../store/deliveries';
import { messagesCollection } from '../store/messages';
import type { DeliveryPorts } from '../workflows/ports';
import { requestedAt } from './fake-world';

export const team = 'billing';
const hostOf = (consumer: string): string => `${consumer}.example`;
export const urlOf = (consumer: string, path = '/lifecycle'): string => `https://${hostOf(consumer)}${path}`;
export const secretOf = (name: string): string =>
  `whsec_${Buffer.from(name.repeat(32).slice(0, 32)).toString('base64')}`;

type Answer = FakeAnswer | 'silence' | 'reset';
/** What a team answers to its n-th POST of a message, counted from 1; absent: its receipt. */
export type AnswerOf = (post: EndpointPost, nth: number) => Answer | undefined | Promise<Answer | undefined>;

export const receiptOf = (body: Record<string, unknown>, over: object = {}): FakeAnswer => {
  const { requestedAt: _requestedAt, consumer: _consumer, ...about } = body;
  const receiptId = `receipt of ${String(body['operationId'] ?? body['testId'])}`;
  return { status: 200, body: JSON.stringify({ ...about, receiptId, effectiveAt: requestedAt, ...over }) };
};

/** Whether one of the signatures is that of the secret over what arrived. */
export function isSigned({ headers, body }: EndpointPost, secret: string): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const wanted = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return (headers['webhook-signature'] ?? '').split(' ').includes(wanted);
}

export function createHttpWorld(answers: Readonly<Record<string, AnswerOf>> = { [team]: () => undefined }) {
  const clock = createManualClock();
  const store = createFakeStore({ clock, ids: createSequentialIds() });
  const broker = createFakeBroker({ clock });
  const outside = broker.connect('outside');
  const consumers = store.collection(consumersCollection);
  const deliveries = store.collection(deliveriesCollection);
  const deletedTenants = store.collection(deletedTenantsCollection);
  const posts: (EndpointPost & { readonly consumer: string })[] = [];
  const violations = new Set<string>();
  const secrets = new Map<string, readonly string[]>(Object.keys(answers).map((name) => [name, [secretOf(name)]]));
  let current: Messaging | null = null;

  function look(consumer: string, post: EndpointPost): void {
    const record = consumers.all().find(({ _id }) => _id === consumer);
    const { operationId, tenantId } = JSON.parse(post.body) as Partial<LifecycleMessage>;
    const name = `${operationId ?? 'a test'} to ${consumer}`;
    if (record?.paused) violations.add(`${name} was posted while its consumer was paused`);
    if (record?.status !== 'registered') violations.add(`${name} was posted to a consumer that is not registered`);
    if (record?.endpoint?.url !== post.url)
      violations.add(`${name} was posted to ${post.url}, which is not its endpoint`);
    if (!isSigned(post, secretOf(consumer))) violations.add(`${name} has no signature that its team can check`);
    if (operationId === undefined) return;
    const marked = deletedTenants.all().find(({ _id }) => _id === tenantId);
    if (marked && marked.createdAt < clock.now())
      violations.add(`${name} was posted about a workspace that is deleted`);
    const id = deliveryIdOf(operationId, consumer);
    if (!deliveries.all().some(({ _id }) => _id === id))
      violations.add(`${name} was posted before its delivery was durable`);
  }

  const receiverOf =
    (consumer: string, answerOf: AnswerOf): FakeReceiver =>
    async (post) => {
      look(consumer, post);
      posts.push({ ...post, consumer });
      const nth = posts.filter((one) => one.consumer === consumer && one.body === post.body).length;
      return (await answerOf(post, nth)) ?? receiptOf(JSON.parse(post.body) as Record<string, unknown>);
    };

  const names = Object.keys(answers);
  const addressOf = (host: string): string => `198.41.0.${names.findIndex((name) => hostOf(name) === host) + 1}`;
  const http: HttpResources = {
    endpoints: createFakeEndpoints({
      ...{ allowsPlainHttp: false, allowedHosts: [], timeoutMs: 15_000 },
      resolve: async (host) => [addressOf(host)],
      receivers: new Map(names.map((name) => [`${addressOf(hostOf(name))}:443`, receiverOf(name, answers[name]!)])),
    }),
    secrets: {
      read: async (ref): Promise<SecretsRead> => {
        const known = secrets.get(ref);
        return known ? { ok: true, secrets: known } : { ok: false, problem: `the secret ${ref} has no readable file` };
      },
    },
    concurrency: 2,
  };

  async function connect(): Promise<Messaging> {
    await current?.close();
    current = broker.connect('lifecycle-delivery');
    return current;
  }

  return {
    ...{ clock, store, broker, http, posts, violations, consumers, deliveries, secrets, connect },
    messages: store.collection(messagesCollection),
    /** The ports of a service that is not started: the test makes each call of its workflows. */
    async ports(log: Log = silentLog): Promise<DeliveryPorts> {
      return assembleDelivery({ store, clock, random: () => 0, log, http, messaging: await connect() }).ports;
    },
    async announce(operationId: string, transition: LifecycleMessage['transition'] = 'suspended') {
      await outside.publish({
        subject: lifecycleSubjects.message(transition),
        id: lifecycleMessageIds.message(operationId),
        type: lifecycleTypes.message(transition),
        body: { tenantId: 'acme', operationId, transition, requestedAt },
      });
    },
    async announceDeletion() {
      await outside.publish({
        subject: lifecycleSubjects.tenantDeleted,
        id: lifecycleMessageIds.tenantDeleted('acme'),
        type: lifecycleTypes.tenantDeleted,
        body: { tenantId: 'acme', operationId: 'delete-acme', deletedAt: requestedAt },
      });
    },
    /** Asks as a person does; answers whether it is done, and the code of a refusal. */
    async ask(action: ActOnConsumer['action'], over: Partial<ActOnConsumer> = {}, consumer = over.consumer ?? team) {
      const endpoint = { url: urlOf(consumer), secretRef: consumer, transitions: ['suspended'], answersTests: true };
      const request = {
        ...{ requestId: `${action}-1`, action, reason: 'served over HTTP', by: 'ann@example.com', consumer },
        ...(action === 'register_endpoint' && { endpoint }),
        ...over,
      };
      const answered = await outside.request(lifecycleRequests.act, request, 1_000);
      return answered.ok ? 'done' : (answered.error.serverCode ?? answered.error.code);
    },
    async registerOverBroker(name = team) {
      const body = { name, transitions: ['suspended'], registeredBy: `${name}-1` };
      const answered = await outside.request(lifecycleRequests.register(name), body, 1_000);
      return answered.ok ? 'done' : (answered.error.serverCode ?? answered.error.code);
    },
    inspect: async (operationId: string) => {
      const answered = await outside.request(lifecycleRequests.operation, { operationId }, 1_000);
      if (!answered.ok) throw new Error(answered.error.message);
      return answered.value as { deliveries: Record<string, unknown>[] };
    },
    view: async (name = team) => {
      const answered = await outside.request(lifecycleRequests.consumers, {}, 1_000);
      if (!answered.ok) throw new Error(answered.error.message);
      return (answered.value as { consumers: { name: string }[] }).consumers.find((each) => each.name === name) as
        Record<string, unknown> | undefined;
    },
  };
}

export type HttpWorld = ReturnType<typeof createHttpWorld>;
