/** Collection `provider_event_admissions`: `_id` is the provider's event id. Rows are never dropped. */
import type { CollectionDeclaration } from '@platform/mongo';
import type { ProviderEventAdmission } from '../domain/provider-event';

export const providerEventAdmissionsCollection: CollectionDeclaration<ProviderEventAdmission> = {
  name: 'provider_event_admissions',
  announces: true,
  tells: (event) => ({ record: 'event_admission', eventId: event._id, type: event.type, state: event.status }),
  indexes: [
    { name: 'by_creation', key: { createdAt: 1, _id: 1 } },
    { name: 'by_type', key: { type: 1, createdAt: 1, _id: 1 } },
    { name: 'by_tenant', key: { tenantId: 1, createdAt: 1, _id: 1 }, only: { tenantId: { $exists: true } } },
    { name: 'by_status', key: { status: 1, createdAt: 1, _id: 1 } },
    { name: 'by_status_and_instance', key: { status: 1, 'executor.instance': 1, _id: 1 } },
  ],
};
