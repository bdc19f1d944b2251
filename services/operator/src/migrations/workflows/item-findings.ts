/** What the provider shows of the calls of one workspace of a migration. Reads only. */
import type { Clock } from '@platform/kernel';
import type { RevisionedCollection } from '@platform/mongo';
import type { EffectEvidence, ProviderReads } from '@platform/payment-provider';
import type { Subscription } from '../../mirror/domain/subscription';
import { findAtProvider } from '../../operations/workflows/find-at-provider';
import type { ItemFacts } from '../domain/migration-item';

interface ItemFindingPorts {
  readonly subscriptions: Pick<RevisionedCollection<Subscription>, 'findById'>;
  readonly provider: ProviderReads;
  readonly clock: Clock;
}

export async function handlesOfItem(
  { subscriptions }: Pick<ItemFindingPorts, 'subscriptions'>,
  { tenantId }: Pick<ItemFacts, 'tenantId'>,
): Promise<{ readonly customerId?: string }> {
  const { customerId } = (await subscriptions.findById(tenantId))?.provider ?? {};
  return customerId ? { customerId } : {};
}

/** Throws StoreUnavailableError; what the provider does not answer is a finding. */
export async function readItemFindings(
  ports: ItemFindingPorts,
  item: Pick<ItemFacts, 'migrationId' | 'tenantId' | 'providerCalls'>,
): Promise<readonly EffectEvidence[]> {
  const { migrationId: operationId, providerCalls: calls } = item;
  return (await findAtProvider(ports, { operationId, calls, handles: await handlesOfItem(ports, item) })).evidence;
}
