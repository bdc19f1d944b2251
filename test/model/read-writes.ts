/**
 * Reads stored records as the model's events by comparing each version with the one before it. Records have the shapes
 * of contracts §4 and are read as plain data. One write may yield several events, in the order that the model defines.
 */
import { doubtsOf, furtherReaders, type Reader } from './read-creations-and-events';
import type { Event, Outcome, Status, Transition } from './world';

/** One applied write of the history, in order. */
export interface Version {
  /** The service whose collection it is, where two have one of that name. */
  readonly owner?: string;
  readonly collection: string;
  readonly record: object;
  readonly at: number;
}

type Draft = Event extends infer Each ? (Each extends Event ? Omit<Each, 'at'> : never) : never;

interface CallRecord {
  readonly idempotencyKey?: string;
  readonly payloadDigest?: string;
  readonly skipped?: string;
  readonly outcome?: Outcome;
}

interface OperationRecord {
  readonly _id: string;
  readonly tenantId: string;
  readonly action: string;
  readonly values: object;
  readonly status: string;
  readonly attempts: readonly { readonly providerCalls: readonly CallRecord[] }[];
  readonly resolution?: object;
  readonly checkpoint?: Readonly<Record<string, string>>;
}

interface SubscriptionRecord {
  readonly _id: string;
  readonly access: { readonly state: 'open' | 'closed'; readonly operationId: string | null };
  readonly transition?: { readonly operationId: string; readonly attempt?: number };
  readonly deletion?: { readonly operationId: string };
}

interface DeliveryRecord {
  readonly operationId: string;
  readonly consumer: string;
  readonly status: string;
  readonly receipt?: { readonly receiptId: string };
}

interface ConsumerRecord {
  readonly _id: string;
  readonly status: string;
  readonly transitions: readonly Transition[];
}

interface StatusRecord {
  readonly _id: string;
  readonly status: string;
}

interface MarkerRecord {
  readonly tenantId: string;
  readonly provisioningState: string;
}

interface ItemRecord {
  readonly _id: string;
  readonly tenantId: string;
  readonly migrationId: string;
  readonly status: string;
  readonly providerCalls: readonly CallRecord[];
  readonly resolution?: object;
}

const lifecycleOf: Readonly<Record<string, Transition>> = {
  suspend: 'suspended',
  reactivate: 'reactivation_requested',
};
const statusOf = (status: string): Status => (status.startsWith('awaiting_') ? 'waiting' : (status as Status));

/** The identity of a request as one text. */
export const identityOf = ({
  tenantId,
  action,
  values,
}: Pick<OperationRecord, 'tenantId' | 'action' | 'values'>): string =>
  JSON.stringify([tenantId, action, Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1))]);

const goesWithoutTrial = ({ checkpoint }: OperationRecord): boolean => checkpoint?.['trialDays'] === '0';

function readOperation(before: OperationRecord | undefined, after: OperationRecord): Draft[] {
  const { _id: operation, tenantId: tenant, action } = after;
  const drafts: Draft[] = [];
  if (!before)
    drafts.push({
      ...{ kind: 'intent', operation, tenant, lifecycle: lifecycleOf[action] ?? null },
      ...{ deletes: action === 'delete_workspace', values: identityOf(after) },
    });
  else if (identityOf(before) !== identityOf(after)) drafts.push({ kind: 'rewrite', operation });
  if (goesWithoutTrial(after) && !(before && goesWithoutTrial(before))) drafts.push({ kind: 'forgo', operation });
  let status: Status = before ? statusOf(before.status) : 'pending';
  let index = 0;
  for (const [number, attempt] of after.attempts.entries()) {
    const former = before?.attempts[number];
    if (!former) {
      drafts.push({ kind: 'attempt', operation });
      status = 'running';
    }
    for (const [at, call] of attempt.providerCalls.entries()) {
      const { idempotencyKey: key = '', payloadDigest: payload = '', outcome, skipped } = call;
      const known = former?.providerCalls[at];
      if (skipped !== undefined) {
        if (known && known.skipped === undefined) drafts.push({ kind: 'withdraw', operation, call: index++, key });
        continue;
      }
      if (!known) drafts.push({ kind: 'call', operation, key, payload });
      if (outcome !== undefined && outcome !== known?.outcome)
        drafts.push({ kind: 'outcome', operation, call: index, outcome });
      index += 1;
    }
  }
  const next = statusOf(after.status);
  if (after.resolution && !before?.resolution && (next === 'succeeded' || next === 'failed'))
    drafts.push({ kind: 'resolve', operation, status: next });
  else if (next !== status)
    drafts.push(next === 'running' ? { kind: 'attempt', operation } : { kind: 'journal', operation, status: next });
  return drafts;
}

/**
 * A workspace of a migration is an operation with one attempt, requested by the job; a workspace that is left out
 * fails.
 */
function readItem(before: ItemRecord | undefined, after: ItemRecord): Draft[] {
  const operationOf = ({ providerCalls, migrationId, status, ...rest }: ItemRecord): OperationRecord => ({
    ...rest,
    ...{ action: 'migrate', values: { migrationId }, status: status === 'skipped' ? 'failed' : status },
    attempts: status === 'pending' ? [] : [{ providerCalls }],
  });
  const drafts = readOperation(before && operationOf(before), operationOf(after));
  return before ? drafts : [{ kind: 'ask', operation: after._id }, ...drafts];
}

function readSubscription(before: SubscriptionRecord | undefined, after: SubscriptionRecord): Draft[] {
  const { _id: tenant, access } = after;
  const changed = (before?.access.state ?? 'open') !== access.state;
  const change: Draft[] = changed
    ? [{ kind: 'access', tenant, state: access.state, operation: access.operationId }]
    : [];
  const [was, is] = [before?.transition?.operationId, after.transition?.operationId];
  const [marked, marks] = [before?.deletion?.operationId, after.deletion?.operationId];
  return [
    ...(access.state === 'closed' ? change : []),
    ...(was !== undefined && was !== is ? [{ kind: 'clear' as const, tenant, operation: was }] : []),
    // A later attempt of the holder takes it as well.
    ...(is !== undefined && (was !== is || before?.transition?.attempt !== after.transition?.attempt)
      ? [{ kind: 'take' as const, tenant, operation: is }]
      : []),
    ...(marked !== undefined && marked !== marks ? [{ kind: 'unmark' as const, tenant, operation: marked }] : []),
    ...(marks !== undefined && marked !== marks ? [{ kind: 'mark' as const, tenant, operation: marks }] : []),
    ...(access.state === 'open' ? change : []),
  ];
}

const done = new Set(['succeeded', 'waived', 'skipped_deleted']);

function readDelivery(before: DeliveryRecord | undefined, after: DeliveryRecord): Draft[] {
  const { operationId: operation, consumer } = after;
  const was = before !== undefined && done.has(before.status);
  const replaced = was && (before.status !== after.status || before.receipt?.receiptId !== after.receipt?.receiptId);
  if (replaced) return [{ kind: 'undeliver', operation, consumer }];
  return !was && done.has(after.status) ? [{ kind: 'deliver', operation, consumer }] : [];
}

const further = furtherReaders(readOperation as Reader);

const readers: Readonly<Record<string, Reader>> = {
  operations: readOperation as Reader,
  plan_migration_items: readItem as Reader,
  subscriptions: readSubscription as Reader,
  lifecycle_deliveries: readDelivery as Reader,
  lifecycle_consumers: (_before, after) => {
    const { _id: consumer, status, transitions } = after as ConsumerRecord;
    return [{ kind: 'register', consumer, transitions: status === 'registered' ? transitions : [] }];
  },
  lifecycle_messages: (before, after) => {
    const { _id: operation, status } = after as StatusRecord;
    return status === 'settled' && (before as StatusRecord | undefined)?.status !== 'settled'
      ? [{ kind: 'settle', operation }]
      : [];
  },
  ...further,
  lifecycle_outbox: (before, after) => {
    const { tenantId: tenant, provisioningState } = after as MarkerRecord;
    const commits =
      provisioningState === 'committed' && (before as MarkerRecord | undefined)?.provisioningState !== 'committed';
    return [...further['lifecycle_outbox']!(before, after), ...(commits ? [{ kind: 'commit' as const, tenant }] : [])];
  },
};

/** The events of writes, in order. Collections unknown to the model are skipped. */
export function readWrites(versions: readonly Version[]): Event[] {
  const last = new Map<string, object>();
  return versions.flatMap(({ collection, owner = '', record, at }) => {
    const name = `${owner}/${collection}/${(record as { readonly _id: string })._id}`;
    const before = last.get(name);
    last.set(name, record);
    const drafts = [...(readers[collection]?.(before, record) ?? []), ...doubtsOf(collection, before, record)];
    return drafts.map((draft): Event => ({ ...draft, at }));
  });
}
