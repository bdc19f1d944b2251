/** The collections of this service (contracts §4.5). Reservations never have an expiry or a TTL index. */
import { attemptStatuses } from '@platform/contracts-provisioning';
import type { CollectionDeclaration } from '@platform/mongo';
import { byResolution } from '@platform/durable/trail';
import type { Attempt } from '../domain/attempt';
import { deletionStatuses, type Deletion } from '../domain/deletion';
import type { EventAdmission } from '../domain/event-admission';
import { listenerStatuses, type Listener } from '../domain/listener';
import type { CreationMarker } from '../domain/marker';
import { remainsStatuses, type Remains } from '../domain/remains';
import type { CapacityReservation, CreationWindow, TrialReservation } from '../domain/reservation';
import type { BillingProfileRecord, Tenant } from '../domain/tenant';

/** `_id` = the tenant's id. */
export const attemptsCollection: CollectionDeclaration<Attempt> = {
  name: 'attempts',
  vocabulary: { status: attemptStatuses },
  announces: true,
  tells: ({ tenantId, status }) => ({ record: 'creation', tenantId, state: status }),
  indexes: [
    { name: 'by_status', key: { status: 1, createdAt: 1, _id: 1 } },
    {
      name: 'by_unsettled_reservations',
      key: { 'reservations.state': 1, status: 1, createdAt: 1, _id: 1 },
      only: { 'reservations.state': 'held' },
    },
    { name: 'by_invoice', key: { 'handles.invoiceId': 1, _id: 1 }, only: { 'handles.invoiceId': { $exists: true } } },
    {
      name: 'by_subscription',
      key: { 'handles.subscriptionId': 1, _id: 1 },
      only: { 'handles.subscriptionId': { $exists: true } },
    },
    byResolution,
  ],
};

/** `_id` = `workspace-created:<tenantId>`: marker, message and tombstone in one document. */
export const markersCollection: CollectionDeclaration<CreationMarker> = {
  name: 'lifecycle_outbox',
  announces: true,
  tells: ({ _id, tenantId, provisioningState }) => ({
    ...{ record: 'creation_marker', operationId: _id, tenantId },
    state: provisioningState,
  }),
  indexes: [],
};
export const capacityCollection: CollectionDeclaration<CapacityReservation> = {
  name: 'capacity_reservations',
  indexes: [],
};
export const trialsCollection: CollectionDeclaration<TrialReservation> = { name: 'trial_reservations', indexes: [] };
export const windowsCollection: CollectionDeclaration<CreationWindow> = { name: 'creation_windows', indexes: [] };
export const tenantsCollection: CollectionDeclaration<Tenant> = { name: 'tenants', indexes: [] };
export const billingProfilesCollection: CollectionDeclaration<BillingProfileRecord> = {
  name: 'billing_profiles',
  indexes: [],
};
export const listenersCollection: CollectionDeclaration<Listener> = {
  name: 'hook_listeners',
  vocabulary: { status: listenerStatuses },
  indexes: [{ name: 'by_status', key: { status: 1, _id: 1 } }],
};
/** `_id` = the tenant's id; also the tombstone of a deleted workspace, hence never removed. */
export const deletionsCollection: CollectionDeclaration<Deletion> = {
  name: 'deletions',
  vocabulary: { status: deletionStatuses },
  announces: true,
  tells: ({ operationId, tenantId, status }) => ({ record: 'deletion', operationId, tenantId, state: status }),
  indexes: [{ name: 'by_status', key: { status: 1, createdAt: 1, _id: 1 } }],
};
/** `_id` = the tenant's id. */
export const remainsCollection: CollectionDeclaration<Remains> = {
  name: 'creation_remains',
  vocabulary: { status: remainsStatuses },
  announces: true,
  tells: ({ tenantId, status }) => ({ record: 'creation_remains', tenantId, state: status }),
  indexes: [{ name: 'by_status', key: { status: 1, createdAt: 1, _id: 1 } }],
};
export const admissionsCollection: CollectionDeclaration<EventAdmission> = {
  name: 'provider_event_admissions',
  announces: true,
  tells: ({ _id, status }) => ({ record: 'event_admission', eventId: _id, state: status }),
  indexes: [{ name: 'by_status', key: { status: 1, createdAt: 1, _id: 1 } }, byResolution],
};

/** The collections of the service, without its audit trail. */
export const provisioningCollections = [
  attemptsCollection,
  markersCollection,
  capacityCollection,
  trialsCollection,
  windowsCollection,
  tenantsCollection,
  billingProfilesCollection,
  listenersCollection,
  deletionsCollection,
  remainsCollection,
  admissionsCollection,
];
