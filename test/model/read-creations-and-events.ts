/**
 * Reads stored records of creations, reservations and provider events as the model's events, and whether a record is in
 * doubt: stopped, or under way so that its outcome is unknown once its executor is gone.
 */
import type { EventOutcome, MarkerState } from './further-world';
import type { Event } from './world';

type Draft = Event extends infer Each ? (Each extends Event ? Omit<Each, 'at'> : never) : never;
export type Reader = (before: object | undefined, after: object) => Draft[];

interface AttemptRecord {
  readonly _id: string;
  readonly status: string;
  readonly plan: object;
  readonly providerCalls: readonly object[];
  readonly handles: { readonly invoiceId?: string };
  readonly reservations: { readonly capacityKey?: string; readonly trialKeys: readonly string[] };
  readonly trialDays?: number;
  readonly paymentFree?: boolean;
  readonly preparedAt?: Date;
  readonly provenBy?: string;
  readonly confirmation?: object;
  readonly resolution?: object;
}

interface MarkerRecord {
  readonly tenantId: string;
  readonly provisioningState: Exclude<MarkerState, 'absent'>;
  readonly closedAt?: Date;
  readonly resolution?: object;
}

interface RemainsRecord {
  readonly _id: string;
  readonly status: string;
  readonly handles: object;
  readonly providerCalls: readonly object[];
}

interface ReservationRecord {
  readonly _id: string;
  readonly allocations?: readonly { readonly tenantId: string }[];
  readonly tenantId?: string | null;
  readonly operationId?: string | null;
}

interface ReceivedRecord {
  readonly _id: string;
  readonly result: 'pending' | 'success' | 'skipped' | 'reconciliation_required';
  readonly resolution?: object;
}

interface AdmissionRecord {
  readonly _id: string;
  readonly status: string;
  readonly executor: { readonly incarnation: string };
  readonly outcome?: { readonly kind: EventOutcome };
  readonly resolution?: object;
}

const statusOf: Readonly<Record<string, string>> = {
  ...{ preparing: 'running', awaiting_payment: 'running', reconciliation_required: 'reconciliation_required' },
  ...{ committed: 'succeeded', cancelled: 'failed' },
};

const asOperation = ({ _id, status, plan, providerCalls, resolution }: AttemptRecord): object => ({
  ...{ _id, tenantId: _id, action: 'create_workspace', values: plan },
  ...{ status: statusOf[status], attempts: [{ providerCalls }], resolution },
});

/** What must be reserved: capacity from the beginning, identities once a trial is granted. */
function needsOf({ reservations: { capacityKey, trialKeys }, trialDays = 0 }: AttemptRecord): readonly string[] {
  return [...(capacityKey === undefined ? [] : [capacityKey]), ...(trialDays > 0 ? trialKeys : [])];
}

function readAttempt(readOperation: Reader, before: AttemptRecord | undefined, after: AttemptRecord): Draft[] {
  const operation = after._id;
  const { preparedAt, paymentFree: free = false, handles } = after;
  const drafts = readOperation(before && asOperation(before), asOperation(after)).map((draft): Draft => {
    const ends = draft.kind === 'journal' && (draft.status === 'succeeded' || draft.status === 'failed');
    const proven = after.provenBy !== undefined || before?.status === 'reconciliation_required';
    return ends && proven ? { kind: 'prove', operation, status: draft.status as 'failed' } : draft;
  });
  const [needed, needs] = [before ? needsOf(before) : [], needsOf(after)];
  return [
    ...(before ? [] : [{ kind: 'ask' as const, operation }]),
    ...(before && needs.join() === needed.join()
      ? []
      : [{ kind: 'need' as const, tenant: operation, reservations: needs }]),
    ...(preparedAt && !before?.preparedAt
      ? [{ kind: 'prepare' as const, tenant: operation, invoice: handles.invoiceId ?? null, free }]
      : []),
    ...drafts,
  ];
}

/** What is left of a creation that a person ended is an operation of one attempt as well. */
function readRemains(readOperation: Reader, before: RemainsRecord | undefined, after: RemainsRecord): Draft[] {
  const status = { open: 'running', removed: 'succeeded', kept: 'reconciliation_required' };
  const as = ({ _id, handles, providerCalls, status: current }: RemainsRecord): object => ({
    ...{ _id: `remains:${_id}`, tenantId: _id, action: 'remove_remains', values: handles },
    ...{ status: status[current as 'open'], attempts: [{ providerCalls }] },
  });
  const operation = `remains:${after._id}`;
  // An object that is gone proves what a call without an answer did.
  const drafts = readOperation(before && as(before), as(after)).map((draft): Draft =>
    draft.kind === 'journal' && draft.status === 'succeeded'
      ? { kind: 'prove', operation, status: 'succeeded' }
      : draft,
  );
  if (!before) return [{ kind: 'ask', operation }, ...drafts];
  // Who goes on after a call without a known outcome has seen that its object is gone.
  const next = drafts.findIndex(({ kind }) => kind === 'call');
  return next < 0 ? drafts : [...drafts.slice(0, next), { kind: 'shown', operation }, ...drafts.slice(next)];
}

function readMarker(before: MarkerRecord | undefined, after: MarkerRecord): Draft[] {
  const { tenantId: tenant, provisioningState: state, closedAt, resolution } = after;
  const changed = before?.provisioningState !== state || (before.closedAt === undefined) !== (closedAt === undefined);
  return changed
    ? [{ kind: 'marker', tenant, state, closed: closedAt !== undefined, person: resolution !== undefined }]
    : [];
}

/** Creations by their workspace, other holders by their operation. */
function holdersOf(record: ReservationRecord | undefined): readonly string[] {
  if (!record) return [];
  if (record.allocations) return record.allocations.map(({ tenantId }) => tenantId);
  const { tenantId, operationId } = record;
  if (typeof tenantId !== 'string') return [];
  return [operationId?.startsWith('workspace-created:') ? tenantId : (operationId ?? tenantId)];
}

function readReservation(before: ReservationRecord | undefined, after: ReservationRecord): Draft[] {
  const [had, has] = [holdersOf(before), holdersOf(after)];
  const reservation = after._id;
  return [
    ...had.flatMap((holder): Draft[] => (has.includes(holder) ? [] : [{ kind: 'release', reservation, holder }])),
    ...has.flatMap((holder): Draft[] => (had.includes(holder) ? [] : [{ kind: 'hold', reservation, holder }])),
  ];
}

function readReceived(before: ReceivedRecord | undefined, after: ReceivedRecord): Draft[] {
  const { _id: event, result, resolution } = after;
  const received: Draft[] = before
    ? []
    : [{ kind: 'receive', event, result: result === 'skipped' ? 'skipped' : 'pending' }];
  const ended = result !== 'pending' && result !== (before ? before.result : 'skipped');
  return ended ? [...received, { kind: 'complete', event, result, person: resolution !== undefined }] : received;
}

/** The owners keep their outcome in different places. */
const outcomeOf = ({ status, outcome }: AdmissionRecord): EventOutcome | null =>
  status === 'pending' ? null : (outcome?.kind ?? (status as EventOutcome));

function readAdmission(before: AdmissionRecord | undefined, after: AdmissionRecord): Draft[] {
  const { _id: event, executor, resolution } = after;
  const outcome = outcomeOf(after);
  return [
    ...(before ? [] : [{ kind: 'admit' as const, event, executor: executor.incarnation }]),
    ...(outcome === null || (before && outcomeOf(before) === outcome)
      ? []
      : [{ kind: 'conclude' as const, event, outcome, person: resolution !== undefined }]),
  ];
}

/** Statuses in which the outcome of a record is unknown when its executor is gone, by the kind in its alerts. */
const doubtful: Readonly<Record<string, readonly [kind: string, field: string, statuses: readonly string[]]>> = {
  operations: ['operation', 'status', ['running', 'reconciliation_required']],
  plan_migration_items: ['migration_item', 'status', ['reconciliation_required']],
  plan_migrations: ['migration', 'status', ['capturing', 'running', 'reconciliation_required']],
  attempts: ['provisioning_attempt', 'status', ['preparing', 'awaiting_payment', 'reconciliation_required']],
  creation_remains: ['provisioning_attempt', 'status', ['kept']],
  deletions: ['deletion', 'status', ['reconciliation_required']],
  payment_provider_webhook_events: ['webhook_event', 'result', ['pending', 'reconciliation_required']],
};

/** A payment that waits for its person is known to wait. */
const waits = (record: object): boolean =>
  (record as AttemptRecord).status === 'awaiting_payment' && (record as AttemptRecord).confirmation !== undefined;

function readDoubt(collection: string, before: object | undefined, after: object): Draft[] {
  const [kind, field, statuses] = doubtful[collection]!;
  const inDoubt = (record: object | undefined): boolean =>
    record !== undefined && statuses.includes((record as Record<string, string>)[field]!) && !waits(record);
  const about = `${kind}/${(after as { readonly _id: string })._id}`;
  if (inDoubt(after) === inDoubt(before)) return [];
  return [{ kind: inDoubt(after) ? 'doubt' : 'settled_doubt', about }];
}

/** Readers by collection; `readOperation` reads whatever calls the provider. */
export function furtherReaders(readOperation: Reader): Readonly<Record<string, Reader>> {
  return {
    attempts: ((before, after) =>
      readAttempt(readOperation, before as AttemptRecord, after as AttemptRecord)) as Reader,
    creation_remains: (before, after) => readRemains(readOperation, before as RemainsRecord, after as RemainsRecord),
    lifecycle_outbox: readMarker as Reader,
    capacity_reservations: readReservation as Reader,
    trial_reservations: readReservation as Reader,
    payment_provider_webhook_events: readReceived as Reader,
    provider_event_admissions: readAdmission as Reader,
  };
}

/** What a write says of the doubt about its record. */
export function doubtsOf(collection: string, before: object | undefined, after: object): Draft[] {
  return Object.hasOwn(doubtful, collection) ? readDoubt(collection, before, after) : [];
}
