/** The evidence of one history, gathered from the records and logs of all services for the single checker. */
import { checkoutReceiptsCollection } from '../../../services/operator/src/checkout/store/checkout-receipts';
import { operationsCollection } from '../../../services/operator/src/operations/store/operations';
import { accessOf } from '../../../services/operator/src/mirror/domain/access';
import { subscriptionsCollection } from '../../../services/operator/src/mirror/store/subscriptions';
import { webhookEventsCollection } from '../../../services/billing-webhook/src/store/webhook-events';
import { consumersCollection } from '../../../services/lifecycle-delivery/src/store/consumers';
import { deliveriesCollection } from '../../../services/lifecycle-delivery/src/store/deliveries';
import { messagesCollection } from '../../../services/lifecycle-delivery/src/store/messages';
import {
  attemptsCollection,
  capacityCollection,
  deletionsCollection,
  markersCollection,
  remainsCollection,
  trialsCollection,
} from '../../../services/provisioning/src/store/collections';
import {
  evidenceOf as provisioningEvidence,
  unfinishedBusiness as unfinishedCreations,
} from '../../../services/provisioning/src/testing/evidence';
import type { ProvisioningWorld } from '../../../services/provisioning/src/testing/provisioning-world';
import { creationOperationId } from '@platform/contracts-provisioning';
import { operatorLimits, workspaceAccessBucket } from '@platform/contracts-operator';
import { canonicalJson } from '@platform/kernel';
import { groupBy, type Evidence, type LifecycleMessageEvidence } from '@platform/testing';
import { announcing } from './announcing';
import { unfollowedPayments } from './card-holders';
import { consumers } from './consumer';
import { migrationEvidence } from './migrations';
import { storedInstants } from './stored-instants';
import { services, type World } from './world';

/** The part of provisioning's test world from which its evidence is built. */
function provisioningWorld({ databases, provider, broker }: World): ProvisioningWorld {
  const { store, recorder } = databases.provisioning;
  const attempts = store.collection(attemptsCollection).all();
  const markers = store.collection(markersCollection).all();
  const remains = store.collection(remainsCollection).all();
  const seen: Pick<
    ProvisioningWorld,
    'attempts' | 'marker' | 'remains' | 'capacity' | 'trials' | 'provider' | 'recorder' | 'published'
  > = {
    provider,
    recorder,
    published: broker.published.filter(({ subject }) => subject.startsWith('lifecycle.message.')),
    attempts: () => attempts,
    marker: (tenantId) => markers.find((each) => each.tenantId === tenantId),
    remains: (tenantId) => remains.find(({ _id }) => _id === tenantId),
    capacity: () => store.collection(capacityCollection).all(),
    trials: () => store.collection(trialsCollection).all(),
  };
  return seen as ProvisioningWorld;
}

function lifecycleMessages(world: World, stored = storedInstants(world)): LifecycleMessageEvidence[] {
  const { databases, broker } = world;
  const accepted = new Map(
    databases['lifecycle-delivery'].store
      .collection(messagesCollection)
      .all()
      .map((record) => [record._id, record]),
  );
  return broker.published
    .filter(({ subject }) => subject.startsWith('lifecycle.message.') && subject !== 'lifecycle.message.tenant_deleted')
    .map(({ body, at }) => {
      const operationId = String(body['operationId']);
      const record = accepted.get(operationId);
      return {
        operationId,
        tenantId: String(body['tenantId']),
        transition: String(body['transition']),
        at,
        required: record?.required ?? [],
        settledAt: record?.status === 'settled' ? stored.reached(operationId, 'settled') : undefined,
      };
    });
}

/** Every event on record, and every one that was answered: one that is not on record is the one that matters most. */
export function webhooksOf({
  databases,
  webhookAnswers,
  handlerRuns,
}: Pick<World, 'databases' | 'webhookAnswers' | 'handlerRuns'>): NonNullable<Evidence['webhooks']> {
  const records = databases['billing-webhook'].store.collection(webhookEventsCollection).all();
  const results = new Map(records.map(({ _id, result }) => [_id, result]));
  const answered = groupBy(webhookAnswers, ({ eventId }) => eventId);
  return [...new Set([...results.keys(), ...answered.keys()])].map((eventId) => ({
    eventId,
    result: results.get(eventId) ?? 'absent',
    handlerRuns: handlerRuns.get(eventId) ?? 0,
    answers: (answered.get(eventId) ?? []).map(({ answer }) => answer),
  }));
}

export function gatherEvidence(world: World): Evidence {
  const { databases, broker, provider } = world;
  const operations = databases.operator.store.collection(operationsCollection).all();
  const stored = storedInstants(world);
  const creations = provisioningEvidence(provisioningWorld(world), world.reservations, []);
  const { accessLog, transitionLog, statusLog, deletionLog } = databases.operator.recorder.logs;
  const { deliveryLog } = databases['lifecycle-delivery'].recorder.logs;
  return {
    atRest: true,
    accessLog,
    transitionLog,
    deletionLog,
    deletions: databases.provisioning.store
      .collection(deletionsCollection)
      .all()
      .map((deletion) => stored.deletion(deletion)),
    deliveryLog: deliveryLog.map((delivery) => stored.delivery(delivery)),
    statusLog: [...statusLog, ...world.itemRecorder.logs.statusLog],
    writes: services.flatMap((service) =>
      databases[service].recorder.logs.writes.map((write) => ({
        ...write,
        collection: `${service}/${write.collection}`,
      })),
    ),
    overwrites: services.flatMap((service) => databases[service].recorder.logs.overwrites),
    operations: [...operations, ...creations.operations].map((operation) => ({
      ...operation,
      attempts: operation.attempts.map((attempt) => ({
        ...attempt,
        providerCalls: attempt.providerCalls.map((call) => stored.call(call)),
      })),
    })),
    subscriptions: databases.operator.store.collection(subscriptionsCollection).all(),
    migrations: migrationEvidence(world, stored),
    ledger: provider.ledger(),
    sends: provider.sends(),
    alerts: broker.published
      .filter(({ subject }) => subject.startsWith('alert.'))
      .map(({ body }) => ({ kind: String(body['kind']), id: String(body['id']) })),
    lifecycleMessages: lifecycleMessages(world, stored),
    deliveries: databases['lifecycle-delivery'].store
      .collection(deliveriesCollection)
      .all()
      .map((delivery) => stored.delivery(delivery)),
    consumerRuns: world.consumerRuns,
    guardedReads: world.guardedReads,
    accessCopies: broker.copies.map(({ bucket, key, value }) => ({
      tenantId: key,
      bucket,
      revision: Number(value['revision']),
    })),
    answers: world.answers,
    webhooks: webhooksOf(world),
    ...(creations.reservations && { reservations: creations.reservations }),
    ...(creations.creations && {
      creations: creations.creations.map((creation) => ({
        ...creation,
        ...(creation.committedAt && {
          committedAt: stored.reached(creationOperationId(creation.tenantId), 'committed')!,
        }),
      })),
    }),
  };
}

/** The bucket must equal the records (law 7), even after losses. */
function staleCopies({ databases, broker }: World): string[] {
  const records = databases.operator.store.collection(subscriptionsCollection).all();
  return records.flatMap((record) => {
    const [wanted, standing] = [accessOf(record), broker.buckets.read(workspaceAccessBucket, record._id)?.value];
    return canonicalJson(wanted) === canonicalJson(standing ?? null)
      ? []
      : [`the bucket holds ${canonicalJson(standing ?? null)} for ${record._id}, whose record says otherwise`];
  });
}

/** Records that a service set aside. This build wrote all of them, so none may be invalid. */
function setAside({ databases }: World): string[] {
  return services.flatMap((service) =>
    databases[service].store
      .quarantined()
      .map(({ collection, id, why }) => `${service} set its record ${collection}/${id} aside: ${why}`),
  );
}

/** Checks beyond the invariants: after the faults cease, decided work is finished and nothing waits without reason. */
export async function unfinishedBusiness(world: World): Promise<string[]> {
  const { databases, broker, timeline } = world;
  const operations = databases.operator.store.collection(operationsCollection).all();
  const windowBegan = timeline.time - operatorLimits.retryWindowHours * 3_600_000;
  const transitions = new Map(
    databases.operator.store
      .collection(subscriptionsCollection)
      .all()
      .map(({ _id, transition }) => [_id, transition?.operationId]),
  );
  const receipts = new Set(
    databases.operator.store
      .collection(checkoutReceiptsCollection)
      .all()
      .map(({ operationId }) => operationId),
  );
  const accepted = new Map(
    databases['lifecycle-delivery'].store
      .collection(messagesCollection)
      .all()
      .map(({ _id, status }) => [_id, status]),
  );
  const registered = new Set(
    databases['lifecycle-delivery'].store
      .collection(consumersCollection)
      .all()
      .filter(({ status }) => status === 'registered')
      .map(({ _id }) => _id),
  );
  // Such a deletion waits for a person, who was alerted; the gateway keeps requesting it until then.
  const stoppedDeletions = new Set(
    databases.provisioning.store
      .collection(deletionsCollection)
      .all()
      .filter(({ status }) => status === 'reconciliation_required')
      .map(({ tenantId }) => tenantId),
  );
  const waiting = await Promise.all(
    announcing.map(
      async ([service, name]) =>
        [
          `${service}/${name}`,
          (await databases[service].store.collection({ name, indexes: [], announces: true }).outbox.backlog()).count,
        ] as const,
    ),
  );
  const alerted = new Set(
    broker.published.filter(({ subject }) => subject.startsWith('alert.')).map(({ body }) => String(body['id'])),
  );
  return [
    ...operations.flatMap(({ _id, action, status, tenantId, resolution, createdAt }) => [
      // An intent without an attempt within its window never begins: nothing was done, and nothing will be.
      ...((status === 'pending' && createdAt.getTime() > windowBegan) ||
      (status === 'awaiting_receipts' && action !== 'checkout' && !stoppedDeletions.has(tenantId))
        ? [`operation ${_id} is still ${status} after everything was delivered and asked again`]
        : []),
      ...((status === 'succeeded' || status === 'failed') && transitions.get(tenantId) === _id
        ? [`operation ${_id} is ${status}, and its transition remains`]
        : []),
      ...(action === 'checkout' && status === 'succeeded' && !resolution && !receipts.has(_id)
        ? [`checkout ${_id} succeeded without its receipt`]
        : []),
      ...(status === 'running' && !alerted.has(_id) ? [`operation ${_id} is left running without an alert`] : []),
    ]),
    ...migrationEvidence(world).flatMap(({ migrationId, status }) =>
      status === 'pending' ? [`migration ${migrationId} is still pending`] : [],
    ),
    ...Object.keys(consumers)
      .filter((name) => !registered.has(name))
      .map((name) => `consumer ${name} is not registered at the end`),
    ...lifecycleMessages(world).flatMap(({ operationId }) =>
      accepted.get(operationId) === 'settled'
        ? []
        : [`lifecycle message of ${operationId} is ${accepted.get(operationId) ?? 'not accepted'} at the end`],
    ),
    ...staleCopies(world),
    ...setAside(world),
    ...unfollowedPayments(world),
    ...waiting
      .map(([name, count]) => [name, name === 'operator/operations' ? count - stoppedDeletions.size : count] as const)
      .flatMap(([name, count]) => (count > 0 ? [`${count} outbox rows of ${name} still wait`] : [])),
    ...broker.published
      .filter(({ subject }) => subject.startsWith('dead_letter.'))
      .map(({ subject, body }) => `${subject}: ${String(body['id'])}: ${String(body['reason'])}`),
    ...unfinishedCreations(provisioningWorld(world)),
  ];
}
