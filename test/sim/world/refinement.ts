/** A history as the reference model reads it: nothing here knows what the product's own code makes of a record. */
import { order } from '@platform/testing';
import { refine, type Refinement } from '../../model/refine';
import type { Transition } from '../../model/world';
import { services, type World } from './world';

/** Collections by the service that owns them; another service's collection of the same name is another one. */
const modelled: Readonly<Record<(typeof services)[number], readonly string[]>> = {
  operator: ['operations', 'plan_migration_items', 'subscriptions'],
  'lifecycle-delivery': ['lifecycle_deliveries', 'lifecycle_consumers', 'lifecycle_messages'],
  provisioning: ['lifecycle_outbox'],
  'billing-webhook': [],
};
const said = /^lifecycle\.message\.(created|suspended|reactivation_requested)$/;

export function refineHistory({ databases, provider, broker, asked }: World): Refinement {
  return refine({
    versions: services.flatMap((service) =>
      databases[service].recorder.logs.writes.flatMap(({ collection, outcome, version, at }) =>
        outcome === 'applied' && version && modelled[service].includes(collection)
          ? [{ collection, record: version, at: order(at) }]
          : [],
      ),
    ),
    sends: provider.sends().map(({ operationId, idempotencyKey: key, payloadDigest: payload, outcome, at }) => ({
      ...{ operationId, key, payload, outcome, at: at.getTime() },
    })),
    effects: provider.ledger().map(({ idempotencyKey: key, at }) => ({ key, at: at.getTime() })),
    said: broker.published
      .filter(({ subject }) => said.test(subject))
      .map(({ body, at }) => ({
        ...{ operationId: String(body['operationId']), tenantId: String(body['tenantId']), at: at.getTime() },
        transition: String(body['transition']) as Transition,
      })),
    requests: asked,
  });
}
