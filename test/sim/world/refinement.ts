/** A history as the reference model reads it. This module shares no code with the product's own reading of records. */
import { groupBy, order } from '@platform/testing';
import { isLinearizable, type State } from '../../model/linearizable';
import { identityOf } from '../../model/read-writes';
import { modelPrefix, refine, type Refinement } from '../../model/refine';
import type { Transition } from '../../model/world';
import { services, type World } from './world';

/** Collections by the service that owns them; collections of two services with the same name are different. */
const modelled: Readonly<Record<(typeof services)[number], readonly string[]>> = {
  operator: [
    ...['operations', 'plan_migration_items', 'plan_migrations', 'subscriptions'],
    'provider_event_admissions',
  ],
  'lifecycle-delivery': ['lifecycle_deliveries', 'lifecycle_consumers', 'lifecycle_messages'],
  provisioning: [
    ...['attempts', 'lifecycle_outbox', 'capacity_reservations', 'trial_reservations', 'creation_remains', 'deletions'],
    'provider_event_admissions',
  ],
  'billing-webhook': ['payment_provider_webhook_events'],
};
const said = /^lifecycle\.message\.(created|suspended|reactivation_requested)$/;

interface Stored {
  readonly _id: string;
  readonly tenantId: string;
  readonly action: string;
  readonly values: object;
  readonly status: string;
}

const phases: Readonly<Record<string, State['phase']>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  reconciliation_required: 'unknown',
};

/** Operations whose answers and final record no order of their requests explains. */
function answersWithoutOrder({ databases, asked }: World): string[] {
  const stored = new Map<string, Stored>();
  for (const { collection, outcome, version } of databases.operator.recorder.logs.writes)
    if (collection === 'operations' && outcome === 'applied' && version)
      stored.set((version as Stored)._id, version as Stored);
  return [...groupBy(asked, ({ operationId }) => operationId)].flatMap(([id, requests]) => {
    const record = stored.get(id);
    const end: State = record
      ? { phase: phases[record.status] ?? 'going', values: identityOf(record) }
      : { phase: 'absent', values: null };
    const points = requests.map(({ values, at, told }) => ({
      ...{ values, from: at, to: told?.at ?? Infinity, answer: told?.answer ?? ('nothing' as const) },
    }));
    return isLinearizable(points, end) ? [] : [`${modelPrefix}${id}: no order of its requests explains their answers`];
  });
}

/** Compares the history with the rules step by step, and each operation with every order of its requests. */
export function judgeByModel(world: World): Refinement {
  const { violations, judged } = refineHistory(world);
  return { violations: [...violations, ...answersWithoutOrder(world)], judged: judged + world.asked.length };
}

function refineHistory({ databases, provider, broker, asked, sayings, webhookAnswers }: World): Refinement {
  return refine({
    versions: services.flatMap((service) =>
      databases[service].recorder.logs.writes.flatMap(({ collection, outcome, version, at }) =>
        outcome === 'applied' && version && modelled[service].includes(collection)
          ? [{ owner: service, collection, record: version, at: order(at) }]
          : [],
      ),
    ),
    sends: provider.sends().map(({ operationId, idempotencyKey: key, payloadDigest: payload, outcome, at }) => ({
      ...{ operationId, key, payload, outcome, at: at.getTime() },
    })),
    effects: provider.ledger().map(({ idempotencyKey: key, at, step, objectId }) => ({
      ...{ key, at: at.getTime(), pays: step === 'pay_invoice' ? objectId : undefined },
    })),
    said: broker.published
      .filter(({ subject }) => said.test(subject))
      .map(({ body, at }) => ({
        ...{ operationId: String(body['operationId']), tenantId: String(body['tenantId']), at: at.getTime() },
        transition: String(body['transition']) as Transition,
      })),
    requests: asked,
    seen: {
      sayings,
      thanks: webhookAnswers.flatMap(({ eventId: event, answer: { status }, at }) =>
        status < 300 ? [{ event, at: at + 0.75 }] : [],
      ),
      alerts: broker.published
        .filter(({ subject }) => subject.startsWith('alert.'))
        .map(({ body, at }) => ({ about: `${String(body['kind'])}/${String(body['id'])}`, at: at.getTime() })),
      rests: true,
    },
  });
}
