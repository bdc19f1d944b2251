/** A case in the form of the contract, built from what its owner answered. */
import { createRedact } from '@platform/service-host';
import type { CaseView } from '@platform/contracts-operator';
import { caseOfAttempt } from '../domain/attempt-case';
import { caseOfDeadLetter } from '../domain/dead-letter-case';
import { caseOfDeletion } from '../domain/deletion-case';
import { caseOfDelivery } from '../domain/delivery-case';
import { caseOfDifference } from '../domain/difference-case';
import { caseOfEvent } from '../domain/event-case';
import { caseOfMigrationItem } from '../domain/item-case';
import { caseOfMigration } from '../domain/migration-case';
import { caseOfOperation } from '../domain/operation-case';
import type { ItemFacts } from '../../migrations/domain/migration-item';
import type { CaseMaterial } from '../workflows/read-case';
import { adminStateView } from '../../mirror/http/admin-state-view';
import { findingsView } from '../../operations/http/findings-view';
import { unprovenAtProvider } from '../../operations/workflows/collect-evidence';
import { evidenceView } from '../../operations/http/evidence-view';
import { callView } from '../../operations/http/operation-view';

export function caseView(material: CaseMaterial): CaseView {
  const about = { collectedAt: material.collectedAt.toISOString(), money: material.money };
  switch (material.kind) {
    case 'operation':
      return caseOfOperation(evidenceView(material.file), material.money);
    case 'migration_item': {
      const { item, migration, subscription, knowledge, provider, unmarked } = material;
      const calls = item.providerCalls.map(callView);
      return caseOfMigrationItem(
        {
          item,
          calls,
          migration,
          workspace: subscription && adminStateView(subscription),
          knowledge,
          provider: findingsView(provider),
          unproven: unprovenAtProvider(provider),
          ...(unmarked && { unmarked }),
        },
        about,
      );
    }
    case 'migration': {
      const { migration, knowledge, unresolved, unresolvedCount, failed } = material;
      const withCalls = (item: ItemFacts) => ({ item, calls: item.providerCalls.map(callView) });
      const items = { unresolved: unresolved.map(withCalls), unresolvedCount, failed: failed.map(withCalls) };
      return caseOfMigration({ migration, knowledge, ...items }, about);
    }
    case 'webhook_event': {
      const { event, admission, creation, tenantId } = material;
      return caseOfEvent({ event, admission, creation, tenantId }, about);
    }
    case 'provisioning_attempt':
      return caseOfAttempt(material.attempt, {
        ...about,
        provider: findingsView(material.provider),
        unproven: unprovenAtProvider(material.provider),
        ...(material.invoice !== undefined && { invoice: material.invoice }),
      });
    case 'deletion':
      return caseOfDeletion(material.deletion, about);
    case 'dead_letter':
      return caseOfDeadLetter(material, { collectedAt: about.collectedAt, redact: createRedact() });
    case 'difference':
      return caseOfDifference(material.difference, about);
    case 'delivery':
      return caseOfDelivery(material.delivery, material.lifecycle, about);
  }
}
