/**
 * Attempts for people: the unresolved ones in pages, oldest first, or one with the timeline of its reservations.
 * Read-only.
 */
import {
  attemptsListed,
  creationOperationId,
  type AttemptPage,
  type AttemptView,
} from '@platform/contracts-provisioning';
import type { AskExecutors } from '@platform/durable/executors';
import { encodeCursor, type CreationPosition } from '@platform/mongo';
import { unresolvedStatuses, type Attempt } from '../domain/attempt';
import { leavesRemains } from '../domain/remains';
import type { TimelineEntry } from '../domain/reservation';
import type { ProvisioningCollections } from './ports';
import { attemptKey } from './work-keys';

export type ReadPorts = Pick<ProvisioningCollections, 'attempts' | 'capacity' | 'trials' | 'markers' | 'remains'> & {
  readonly askExecutors: AskExecutors;
};

/**
 * The most bytes of a page of attempts as JSON: well below the limit of a reply, however many calls one attempt has
 * made.
 */
const pageBytes = 500_000;

/** A page of unresolved attempts, ended by number or by size. Throws StoreUnavailableError. */
export async function listUnresolved(ports: ReadPorts, after?: CreationPosition): Promise<AttemptPage> {
  const options = { sort: { createdAt: 1, _id: 1 }, limit: attemptsListed + 1, ...(after && { after }) } as const;
  const [byStatus, counts] = await Promise.all([
    Promise.all(unresolvedStatuses.map((status) => ports.attempts.find({ status }, options))),
    Promise.all(unresolvedStatuses.map((status) => ports.attempts.count({ status }))),
  ]);
  const oldest = byStatus
    .flat()
    .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a._id < b._id ? -1 : 1));
  const attempts: AttemptView[] = [];
  let bytes = 0;
  for (const attempt of oldest.slice(0, attemptsListed)) {
    const view = await viewOf(ports, attempt);
    bytes += Buffer.byteLength(JSON.stringify(view));
    if (bytes > pageBytes && attempts.length > 0) break;
    attempts.push(view);
  }
  const last = oldest[attempts.length - 1];
  return {
    attempts,
    total: counts.reduce((sum, count) => sum + count, 0),
    ...(last && oldest.length > attempts.length && { nextCursor: encodeCursor(last) }),
  };
}

/** Null when no attempt was made for this tenant. Throws StoreUnavailableError. */
export async function readAttempt(ports: ReadPorts, tenantId: string): Promise<AttemptView | null> {
  const attempt = await ports.attempts.findById(tenantId);
  if (!attempt) return null;
  const [view, reservations, remains] = await Promise.all([
    viewOf(ports, attempt),
    reservationsOf(ports, attempt),
    leavesRemains(attempt) ? remainsOf(ports, attempt) : undefined,
  ]);
  return { ...view, reservations, ...(remains && { remains }) };
}

async function remainsOf(ports: ReadPorts, { _id }: Attempt): Promise<NonNullable<AttemptView['remains']>> {
  const remains = await ports.remains.findById(_id);
  return remains?.status === 'kept'
    ? { state: 'kept', reason: remains.keptBecause }
    : { state: remains?.status ?? 'open' };
}

/** The part of an attempt that every caller may see; `executor` is what is known of its executor now. */
export async function viewOf(
  { askExecutors }: Pick<ReadPorts, 'askExecutors'>,
  attempt: Attempt,
): Promise<AttemptView> {
  const {
    _id,
    revision,
    userId,
    workspaceName,
    plan,
    status,
    executor,
    handles,
    trialDays,
    lastError,
    rollback,
    confirmation,
  } = attempt;
  return {
    tenantId: _id,
    userId,
    workspaceName,
    planId: plan.planId,
    status,
    revision,
    executor: { ...executor, ...(await askExecutors([{ key: attemptKey(_id), executor }]))[0]! },
    handles: {
      ...(handles.customerId && { customerId: handles.customerId }),
      ...(handles.subscriptionId && { subscriptionId: handles.subscriptionId }),
      ...(handles.invoiceId && { invoiceId: handles.invoiceId }),
    },
    providerCalls: attempt.providerCalls.map(({ sentAt, ...call }) => ({ ...call, sentAt: sentAt.toISOString() })),
    listenerCalls: attempt.listenerCalls.map(({ calledAt, ...call }) => ({
      ...call,
      calledAt: calledAt.toISOString(),
    })),
    ...(trialDays !== undefined && { trialDays }),
    ...(confirmation && {
      confirmation: {
        reason: confirmation.reason,
        since: confirmation.since.toISOString(),
        ...(confirmation.url !== undefined && { url: confirmation.url }),
      },
    }),
    ...(lastError && { lastError }),
    ...(rollback && { rollback: { code: rollback.code, startedAt: rollback.startedAt.toISOString() } }),
    createdAt: attempt.createdAt.toISOString(),
    updatedAt: attempt.updatedAt.toISOString(),
  };
}

async function reservationsOf(ports: ReadPorts, attempt: Attempt): Promise<NonNullable<AttemptView['reservations']>> {
  const { capacityKey, trialKeys } = attempt.reservations;
  const found: NonNullable<AttemptView['reservations']>[number][] = [];
  const own = (record: { readonly timeline: readonly TimelineEntry[] } | null) =>
    record?.timeline
      .filter(({ tenantId }) => tenantId === attempt.tenantId)
      .map(({ at, what }) => ({ at: at.toISOString(), what })) ?? [];
  if (capacityKey !== undefined) {
    const capacity = await ports.capacity.findById(capacityKey);
    const state = capacity?.allocations.find(({ tenantId }) => tenantId === attempt.tenantId)?.state ?? 'not_held';
    found.push({
      kind: 'capacity',
      key: capacityKey,
      state,
      heldBecause: reasonOf(attempt, state === 'not_held'),
      timeline: own(capacity),
    });
  }
  for (const key of trialKeys) {
    const trial = await ports.trials.findById(key);
    const held = trial?.tenantId === attempt.tenantId && trial.operationId === creationOperationId(attempt.tenantId);
    found.push({
      kind: 'trial',
      key,
      state: held ? 'reserved' : 'not_held',
      heldBecause: reasonOf(attempt, !held),
      timeline: own(trial),
    });
  }
  return found;
}

function reasonOf({ status }: Attempt, notHeld: boolean): string {
  if (notHeld) return 'It is not held by this creation.';
  switch (status) {
    case 'committed':
      return 'The workspace exists; its reservation is permanent.';
    case 'cancelled':
      return 'The creation was taken back; the next reconciliation releases it.';
    case 'reconciliation_required':
      return 'The outcome is not known; it is held until an investigation ends it.';
    case 'preparing':
    case 'awaiting_payment':
      return 'The creation has not come to its end; reservations never expire.';
  }
}
