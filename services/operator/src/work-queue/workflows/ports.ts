/** The ports of the work queue: its rows, the records of this service, and the owners of all other records. */
import type { Clock, Log } from '@platform/kernel';
import type { Money, WorkChange, WorkKind } from '@platform/contracts-operator';
import type { Messaging } from '@platform/messaging';
import type { RevisionedCollection } from '@platform/mongo';
import type { ItemFacts } from '../../migrations/domain/migration-item';
import type { MigrationFacts } from '../../migrations/domain/migration';
import type { WorkItem, WorkItemFacts } from '../domain/work-item';
import type { Operation } from '../../operations/domain/operation';
import type { Plan } from '../../catalogue/domain/plan';
import type { Subscription } from '../../mirror/domain/subscription';
import type { ReadPorts } from '../../operations/workflows/read-operation';

export interface OwnerPorts extends ReadPorts {
  readonly operations: RevisionedCollection<Operation>;
  readonly subscriptions: RevisionedCollection<Subscription>;
  readonly plans: RevisionedCollection<Plan>;
  readonly migrations: RevisionedCollection<MigrationFacts>;
  readonly migrationItems: RevisionedCollection<ItemFacts>;
  readonly messaging: Pick<Messaging, 'request'>;
}

/** The owner did not answer, or this build cannot read the answer. */
export interface Unavailable {
  readonly unavailable: string;
}

export interface OwnerPage {
  readonly facts: readonly WorkItemFacts[];
  readonly nextCursor?: string;
}

/**
 * A part of an owner's unresolved records, listed oldest first by `since`; all parts together contain every such
 * record.
 */
export interface Segment {
  /**
   * A part of an owner's unresolved records, listed oldest first by `since`; all segments together contain every one.
   */
  readonly status?: string;
  page(cursor: string | undefined): Promise<OwnerPage | Unavailable>;
}

/** The status of the queue's rows that represent the segment. */
export interface WorkOwner {
  readonly kind: WorkKind;
  readonly segments: readonly Segment[];
  /** Null: the record is not unresolved. */
  read(itemId: string): Promise<WorkItemFacts | null | Unavailable>;
}

export interface WorkQueuePorts {
  readonly items: RevisionedCollection<WorkItem>;
  readonly owners: readonly WorkOwner[];
  readonly clock: Clock;
  readonly log: Log;
  /** Notifies the browsers of every replica; never throws, and the next walk finds a lost change. */
  readonly announce: (change: WorkChange) => void;
}

export function isUnavailable(answer: unknown): answer is Unavailable {
  return typeof answer === 'object' && answer !== null && 'unavailable' in answer;
}

/** Money at risk of a workspace or an operation, by the catalog's prices. */
export interface Prices {
  /** Of one unit. */
  ofPlan(planId: string): Promise<Money | null>;
  /** Of the units of this workspace, on the named plan or on its own. */
  ofWorkspace(tenantId: string | null, planId?: string): Promise<Money | null>;
  ofOperation(operation: Operation): Promise<Money | null>;
  /** Of a stopped one: the units of every workspace whose outcome is not known; null where all are known. */
  ofMigration(migration: MigrationFacts): Promise<Money | null>;
}
