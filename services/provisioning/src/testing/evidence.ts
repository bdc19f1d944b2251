/** The evidence that a world's history leaves for the invariant checker. */
import { creationOperationId } from '@platform/contracts-provisioning';
import { emptyEvidence, type AnswerEvidence, type Evidence, type ReservationEvidence } from '@platform/testing';
import type { Store } from '@platform/mongo';
import type { Attempt } from '../domain/attempt';
import { leavesRemains, type Remains } from '../domain/remains';
import type { CapacityReservation, TrialReservation } from '../domain/reservation';
import type { ProvisioningWorld } from './provisioning-world';

type Entry = { readonly key: string; readonly tenantId: string };
type Release = Entry & { readonly reason: 'cancelled' | 'not_eligible' };

export interface ReservationLog {
  readonly taken: Entry[];
  readonly released: Release[];
}

type Stored = CapacityReservation | TrialReservation;

function holders(record: Stored | null): readonly string[] {
  if (!record) return [];
  if ('allocations' in record) return record.allocations.map(({ tenantId }) => tenantId);
  return record.tenantId === null ? [] : [record.tenantId];
}

/**
 * Notes which holder got and which lost a reservation by each applied write; a release counts only with its entry in
 * the timeline.
 */
function note(log: ReservationLog, before: Stored | null, after: Stored): void {
  const [had, has] = [holders(before), holders(after)];
  for (const tenantId of has) if (!had.includes(tenantId)) log.taken.push({ key: after._id, tenantId });
  for (const tenantId of had) {
    if (has.includes(tenantId)) continue;
    const what = after.timeline.filter((entry) => entry.tenantId === tenantId).at(-1)?.what;
    if (what === 'released_cancelled') log.released.push({ key: after._id, tenantId, reason: 'cancelled' });
    if (what === 'released_not_eligible') log.released.push({ key: after._id, tenantId, reason: 'not_eligible' });
  }
}

/** The same store; writes to reservations are recorded. */
export function watchReservations(store: Store, log: ReservationLog): Store {
  const watched = new Set(['capacity_reservations', 'trial_reservations']);
  return {
    quarantined: () => store.quarantined(),
    ensureIndexes: () => store.ensureIndexes(),
    now: () => store.now(),
    ping: () => store.ping(),
    close: () => store.close(),
    collection: (declaration) => {
      const collection = store.collection(declaration);
      if (!watched.has(declaration.name)) return collection;
      const noted = <A extends { readonly outcome: string }>(before: unknown, answer: A): A => {
        if (answer.outcome === 'applied' && 'record' in answer)
          note(log, before as Stored | null, answer.record as Stored);
        return answer;
      };
      return {
        name: collection.name,
        quarantine: collection.quarantine,
        outbox: collection.outbox,
        findById: (id) => collection.findById(id),
        find: (...parameters) => collection.find(...parameters),
        count: (filter) => collection.count(filter),
        remove: (current) => collection.remove(current),
        insert: async (...given) => noted(null, await collection.insert(...given)),
        mutate: async (current, ...given) => noted(current, await collection.mutate(current, ...given)),
      };
    },
  };
}

function reservationsOf(world: ProvisioningWorld, log: ReservationLog): ReservationEvidence {
  const records: readonly Stored[] = [...world.capacity(), ...world.trials()];
  return {
    ...log,
    standing: records.flatMap((record) => holders(record).map((tenantId) => ({ key: record._id, tenantId }))),
  };
}

const statusInTheJournal = {
  preparing: 'running',
  awaiting_payment: 'running',
  committed: 'succeeded',
  cancelled: 'failed',
  reconciliation_required: 'reconciliation_required',
} as const;

/** A creation with its calls, including those that remove what it left. */
function operationOf(attempt: Attempt, remains: Remains | undefined): Evidence['operations'][number] {
  const { _id, tenantId, status, createdAt, providerCalls } = attempt;
  // The provider's own record of the paid invoice resolves an unknown outcome, as an investigation would.
  const proven =
    attempt.resolution ?? (attempt.status === 'committed' && attempt.provenBy ? { outcome: 'applied' } : undefined);
  return {
    _id,
    tenantId,
    action: 'create_workspace',
    status: statusInTheJournal[status],
    fingerprint: tenantId,
    values: {},
    createdAt,
    attempts: [{ number: 1, providerCalls: [...providerCalls, ...(remains?.providerCalls ?? [])] }],
    ...(proven && { resolution: proven }),
  };
}

export function evidenceOf(
  world: ProvisioningWorld,
  log: ReservationLog,
  answers: readonly AnswerEvidence[],
): Evidence {
  const attempts = world.attempts();
  const ledger = world.provider.ledger();
  return {
    ...emptyEvidence,
    writes: world.recorder.logs.writes,
    overwrites: world.recorder.logs.overwrites,
    operations: attempts.map((attempt) => operationOf(attempt, world.remains(attempt.tenantId))),
    ledger,
    sends: world.provider.sends(),
    alerts: world.published
      .filter(({ subject }) => subject.startsWith('alert.'))
      .map(({ body }) => ({ kind: String(body['kind']), id: String(body['id']) })),
    lifecycleMessages: world.published
      .filter(({ subject }) => subject === 'lifecycle.message.created')
      .map(({ body, at }) => ({
        operationId: String(body['operationId']),
        tenantId: String(body['tenantId']),
        transition: 'created',
        at,
        required: [],
      })),
    answers,
    creations: attempts.map(({ tenantId, status }) => {
      const marker = world.marker(tenantId);
      return {
        tenantId,
        status: marker?.provisioningState === 'committed' ? 'committed' : status,
        ...(marker?.provisioningState === 'committed' && { committedAt: marker.committedAt }),
        charges: ledger.filter(({ operationId, step }) => operationId === tenantId && step === 'pay_invoice').length,
      };
    }),
    reservations: reservationsOf(world, log),
  };
}

/** Beyond the invariants: every decided creation is finished, and every paid and prepared one is committed. */
export function unfinishedBusiness(world: ProvisioningWorld): string[] {
  return world.attempts().flatMap((attempt) => {
    const state = world.marker(attempt.tenantId)?.provisioningState;
    const created = world.published.filter(
      ({ body }) => body['operationId'] === creationOperationId(attempt.tenantId),
    ).length;
    const paid = world.provider
      .ledger()
      .some(({ operationId, step }) => operationId === attempt.tenantId && step === 'pay_invoice');
    return [
      ...(state === 'committed' && attempt.status !== 'committed'
        ? [`${attempt._id}: the marker is committed, the attempt is ${attempt.status}`]
        : []),
      ...(state === 'cancelled' && attempt.status !== 'cancelled'
        ? [`${attempt._id}: the tombstone exists, the attempt is ${attempt.status}`]
        : []),
      ...(attempt.status === 'committed' && (state !== 'committed' || created !== 1)
        ? [`${attempt._id}: committed, the marker is ${state}, created was said ${created} times`]
        : []),
      ...(attempt.status === 'cancelled' && state !== 'cancelled'
        ? [`${attempt._id}: cancelled, and no tombstone exists`]
        : []),
      ...(leavesRemains(attempt) && (world.remains(attempt.tenantId)?.status ?? 'open') === 'open'
        ? [`${attempt._id}: resolved as not applied, and nothing was done about what is left at the provider`]
        : []),
      ...(attempt.status === 'cancelled' && attempt.reservations.state !== 'settled'
        ? [`${attempt._id}: cancelled, and its reservations were not settled`]
        : []),
      ...(paid && attempt.preparedAt && !attempt.rollback && !attempt.resolution && attempt.status !== 'committed'
        ? [`${attempt._id}: paid and prepared, and still ${attempt.status}`]
        : []),
    ];
  });
}
