/**
 * Runs the watch over recorded resolutions at the end of each history, on a separate store, and compares it with the
 * provider's ledger: it must report every visible late change, and nothing that did not happen.
 */
import { contradictedRequests, contradictedRequestSchema } from '@platform/contracts-provisioning';
import { watchedHours } from '@platform/durable/investigation';
import { createSequentialIds, ok, silentLog } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import { createFakeStore } from '@platform/mongo/testing';
import { contradictionsCollection } from '../../../services/operator/src/contradictions/store/contradictions';
import { createResolutionWatch } from '../../../services/operator/src/contradictions/workflows/watch-resolutions';
import { planMigrationItemsCollection } from '../../../services/operator/src/migrations/store/plan-migration-items';
import { subscriptionsCollection } from '../../../services/operator/src/mirror/store/subscriptions';
import { operationsCollection } from '../../../services/operator/src/operations/store/operations';
import { attemptsCollection } from '../../../services/provisioning/src/store/collections';
import { contradictedCreations } from '../../../services/provisioning/src/workflows/contradicted-creations';
import type { World } from './world';

/** Steps whose objects name them, and remain until the next change. */
const naming: ReadonlySet<string> = new Set([
  ...['balance_credit', 'change_price', 'change_plan', 'schedule_price'],
  ...['pause_collection', 'resume_collection', 'cancel_at_period_end', 'keep_after_period'],
  ...['create_customer', 'create_subscription', 'pay_invoice'],
]);
/** Rounds of the watch. Each reads one page, and no history has as many pages of resolutions. */
const rounds = 4;

/** The owner of creations, called without a broker, because only the watch is under test. */
function ownersOf({ databases, provider, timeline: { clock } }: World): Pick<Messaging, 'request'> {
  const attempts = databases.provisioning.store.collection(attemptsCollection);
  return {
    request: async (subject, body) => {
      if (subject !== contradictedRequests.creations) return ok({ contradicted: [] });
      const { since, after } = contradictedRequestSchema.parse(JSON.parse(JSON.stringify(body)));
      const page = await contradictedCreations({ attempts, provider, clock }, since, after);
      return ok(JSON.parse(JSON.stringify(page)) as Record<string, unknown>);
    },
  };
}

/** The watch's wrong and missing reports. Changes nothing in the world. */
export async function misjudgedResolutions(world: World): Promise<string[]> {
  const { databases, provider, timeline } = world;
  const { store } = databases.operator;
  const operations = store.collection(operationsCollection);
  const items = store.collection(planMigrationItemsCollection);
  const resolved = [
    ...operations.all().map(({ attempts, ...record }) => ({
      ...record,
      calls: attempts.flatMap(({ providerCalls }) => providerCalls),
    })),
    ...items.all().map(({ providerCalls, ...record }) => ({ ...record, calls: providerCalls })),
    ...databases.provisioning.store
      .collection(attemptsCollection)
      .all()
      .map(({ providerCalls, ...record }) => ({ ...record, calls: providerCalls })),
  ].filter(({ resolution }) => resolution !== undefined);
  if (resolved.length === 0) return [];
  const { clock } = timeline;
  const contradictions = createFakeStore({ clock, ids: createSequentialIds() }).collection(contradictionsCollection);
  const look = createResolutionWatch({
    ...{ operations, items, contradictions, provider, clock },
    messaging: ownersOf(world),
    subscriptions: store.collection(subscriptionsCollection),
    publishNow: () => undefined,
    service: 'operator',
    log: silentLog,
  });
  for (let round = 0; round < rounds; round += 1) await look();
  const told = new Map(contradictions.all().map(({ itemId, text }) => [itemId, text]));
  const since = clock.now().getTime() - watchedHours * 3_600_000;
  const ledger = provider.ledger();
  const newest = new Map(ledger.map((effect) => [effect.objectId, effect]));
  return resolved.flatMap(({ _id, calls, resolution }) => {
    const keys = new Set(calls.map(({ idempotencyKey }) => idempotencyKey));
    const effects = ledger.filter(({ idempotencyKey }) => keys.has(idempotencyKey));
    const { outcome, at, override, evidence, providerObject } = resolution!;
    const text = told.get(_id);
    if (outcome === 'applied')
      return text === undefined || !effects.some(({ objectId }) => objectId === providerObject)
        ? []
        : [`the watch says of ${_id} what the ledger denies: ${text}`];
    if (text !== undefined && effects.length === 0) return [`the watch says of ${_id} what never happened: ${text}`];
    // An object names only its last change; earlier changes are not visible. The objects of a creation end with its
    // customer, including a subscription that came late.
    const ended = ledger.some(({ step, operationId }) => step === 'delete_customer' && operationId === _id);
    const late = effects.find(
      (effect) =>
        !ended &&
        naming.has(effect.step) &&
        newest.get(effect.objectId) === effect &&
        !evidence?.objects.includes(effect.objectId),
    );
    return late && !override && at.getTime() > since && text === undefined
      ? [`the watch does not say that ${late.step} of ${_id} was done after all (${late.objectId})`]
      : [];
  });
}
