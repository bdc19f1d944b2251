/** The reconciliation on the records and the provider of one world, with a clock that is a day ahead. */
import { silentLog } from '@platform/kernel';
import type { Store } from '@platform/mongo';
import type { ProviderReads } from '@platform/payment-provider';
import { planMigrationItemsCollection } from '../../migrations/store/plan-migration-items';
import { bootOperator, type OperatorWorld } from '../../testing/operator-world';
import { differencesCollection } from '../store/differences';
import { reconciliationsCollection } from '../store/reconciliations';
import type { SincePorts } from '../workflows/reconcile-since';

export const dayMs = 86_400_000;

/** The ports of one replica. */
export function reconciliationPorts(
  world: OperatorWorld,
  {
    store = world.store,
    provider = world.provider,
  }: { readonly store?: Store; readonly provider?: ProviderReads } = {},
): SincePorts {
  const { ports } = bootOperator(world, 9, { store });
  return {
    ...ports,
    provider,
    items: store.collection(planMigrationItemsCollection),
    differences: store.collection(differencesCollection),
    reconciliations: store.collection(reconciliationsCollection),
    databaseNow: () => store.now(),
    pace: () => Promise.resolve(),
    log: silentLog,
  };
}

/** The records of differences and of progress. */
export const differencesOf = ({ store }: OperatorWorld) => store.collection(differencesCollection).all();
export const reconciliationsOf = ({ store }: OperatorWorld) => store.collection(reconciliationsCollection).all();
