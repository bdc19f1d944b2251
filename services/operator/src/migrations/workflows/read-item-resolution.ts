/**
 * The evidence for the resolution of one workspace of a migration: its executor, its job, and what the provider shows
 * of its one call. The gateway prepares proposals with it, the off-line program resolves with it. Writes nothing.
 */
import {
  defineReading,
  type InvestigationPorts,
  type OutcomeProofs,
  type SecondProof,
} from '@platform/durable/investigation';
import { ok, refused } from '@platform/kernel';
import { nameObject, type ProviderReads } from '@platform/payment-provider';
import type { MigrationFacts } from '../domain/migration';
import { isUnresolvedItem, type MigrationItem } from '../domain/migration-item';
import { handlesOfItem, readItemFindings } from './item-findings';
import { migrationItemKey } from './migration-keys';
import type { MigrationPorts, MigrationStore } from './ports';

export type ItemReadingPorts = Pick<MigrationStore, 'items' | 'migrations'> &
  Pick<MigrationPorts, 'subscriptions'> &
  InvestigationPorts & { readonly provider: ProviderReads };

const noSuchItem = 'There is no such item. Name it as <migrationId>:<tenantId>.';

export const itemReading = defineReading({
  noun: 'item',
  missing: noSuchItem,
  records: (ports: ItemReadingPorts) => ports.items,
  isOpen: isUnresolvedItem,
  known: ({ status }) => `The item is ${status}: its outcome is known, there is nothing to resolve.`,
  beside: async ({ migrations }, { migrationId }) => {
    const migration = await migrations.findById(migrationId);
    return migration ? ok(migration) : refused(noSuchItem);
  },
  refusal: (item, _request: OutcomeProofs, migration) =>
    item.status === 'running' && migration.status === 'running'
      ? `The migration is ${migration.status}: its executor may be alive. Stop its process, start it again, and read the item again.`
      : null,
  executors: ({ _id, executor, updatedAt }) =>
    executor ? [{ key: migrationItemKey(_id), executor, wroteAt: updatedAt }] : [],
  calls: ({ providerCalls }) => providerCalls,
  secondProof: readItemProof,
  warnings: (_item, { outcome }) =>
    outcome === 'not_applied'
      ? ['A price that is still the old one is no proof while a request may be on its way.']
      : [],
});

/** The consequence of the resolution, in a sentence. */
export function itemBecomes({ outcome }: Pick<OutcomeProofs, 'outcome'>): string {
  return `The item becomes ${outcome === 'applied' ? 'succeeded' : 'failed'}; the workspace's transition is cleared. Nothing is sent anywhere.`;
}

/** What the provider shows of the item's one call: the subscription that carries the migration's id, at the target's price. */
async function readItemProof(
  ports: ItemReadingPorts,
  item: MigrationItem,
  { outcome, providerObject }: OutcomeProofs,
  { target }: MigrationFacts,
): Promise<SecondProof> {
  const { migrationId } = item;
  const handles = await handlesOfItem(ports, item);
  const findings = await readItemFindings(ports, item);
  const shown = findings.flatMap(({ objects }) => objects).some(({ id }) => id === providerObject);
  const named =
    outcome === 'applied' && providerObject !== null && !shown
      ? await nameObject(ports.provider, providerObject, { operationId: migrationId, ...handles })
      : undefined;
  return {
    findings,
    misfit: ({ id, summary }) =>
      target && summary['priceId'] !== target.priceId
        ? `${id} has the price ${summary['priceId']}, and the migration is about ${target.priceId}.`
        : null,
    contradiction:
      outcome === 'applied' && findings.length === 0
        ? 'It cannot be recorded as applied: no call of this workspace is recorded, and a call is recorded before it is sent.'
        : null,
    ...(named !== undefined && { named }),
  };
}
