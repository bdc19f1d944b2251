/**
 * The ports of provisioning's workflows. The composition root supplies them; the crash sweep injects faults into them.
 */
import type { Clock, Executor, Log, OutboxEntry } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import type { WorkRegister } from '@platform/durable/executors';
import type { CheckedCollection, KeyedMutex, RetryPolicy } from '@platform/durable/record';
import type { RevisionedCollection, Store } from '@platform/mongo';
import type { PaymentProvider } from '@platform/payment-provider';
import type { Attempt } from '../domain/attempt';
import type { Deletion } from '../domain/deletion';
import type { EventAdmission } from '../domain/event-admission';
import type { Listener } from '../domain/listener';
import type { CreationMarker } from '../domain/marker';
import type { Remains } from '../domain/remains';
import type { CapacityReservation, CreationWindow, TrialReservation } from '../domain/reservation';
import type { BillingProfileRecord, Tenant } from '../domain/tenant';
import {
  admissionsCollection,
  attemptsCollection,
  billingProfilesCollection,
  capacityCollection,
  deletionsCollection,
  listenersCollection,
  markersCollection,
  remainsCollection,
  tenantsCollection,
  trialsCollection,
  windowsCollection,
} from '../store/collections';

export interface ProvisioningCollections {
  readonly attempts: CheckedCollection<Attempt>;
  readonly markers: CheckedCollection<CreationMarker>;
  readonly capacity: RevisionedCollection<CapacityReservation>;
  readonly trials: RevisionedCollection<TrialReservation>;
  readonly windows: RevisionedCollection<CreationWindow>;
  readonly tenants: RevisionedCollection<Tenant>;
  readonly billingProfiles: RevisionedCollection<BillingProfileRecord>;
  readonly listeners: RevisionedCollection<Listener>;
  readonly deletions: CheckedCollection<Deletion>;
  readonly remains: CheckedCollection<Remains>;
  readonly admissions: CheckedCollection<EventAdmission>;
}

export interface ProvisioningLimits {
  /** Free workspaces per card. */
  readonly freeWorkspacesPerCard: number;
  /** 0 turns trials off. */
  readonly trialDays: number;
  readonly creationsPerUser: number;
  readonly creationWindowMs: number;
  /** The wait after which an unanswered listener counts as failed. */
  readonly listenerTimeoutMs: number;
}

/** Collections with outboxes. */
export type Announcing =
  'attempts' | 'lifecycle_outbox' | 'deletions' | 'creation_remains' | 'provider_event_admissions';

/** Counts outcomes of creations and calls; labels have few values, never an id. */
interface Meter {
  attemptReached(status: string): void;
  providerAnswered(step: string, outcome: string): void;
}

export interface ProvisioningPorts extends ProvisioningCollections {
  readonly provider: PaymentProvider;
  /**
   * Asks the listeners by request, never by a stream, because extras must not be stored. Publishes messages that were
   * requested again.
   */
  readonly messaging: Pick<Messaging, 'request' | 'publish'>;
  readonly clock: Clock;
  /** The database's clock, for the window of creations. */
  readonly databaseNow: () => Promise<Date>;
  readonly executor: Executor;
  /** Publishes fresh outbox rows at once; the sweep covers what this misses. */
  readonly publishNow: (source: Announcing, recordId: string, entries: readonly OutboxEntry[]) => void;
  readonly limits: ProvisioningLimits;
  readonly retryPolicy: RetryPolicy;
  /** The work of this process. */
  readonly work: WorkRegister;
  readonly mutex: KeyedMutex;
  readonly meter: Meter;
  readonly log: Log;
}

export function collectionsOf(store: Store): ProvisioningCollections {
  return {
    attempts: store.collection(attemptsCollection),
    markers: store.collection(markersCollection),
    capacity: store.collection(capacityCollection),
    trials: store.collection(trialsCollection),
    windows: store.collection(windowsCollection),
    tenants: store.collection(tenantsCollection),
    billingProfiles: store.collection(billingProfilesCollection),
    listeners: store.collection(listenersCollection),
    deletions: store.collection(deletionsCollection),
    remains: store.collection(remainsCollection),
    admissions: store.collection(admissionsCollection),
  };
}
