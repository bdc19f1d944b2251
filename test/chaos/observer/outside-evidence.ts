/**
 * The evidence of a run as it was seen from outside: records by the store's log of changes with the instants of their
 * commits, requests and answers by the proxies, effects by the provider's ledger, alerts and messages by the broker, runs
 * of consumers by their own files. No instant and no outcome is taken from the record that is judged by it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  groupBy,
  type AlertEvidence,
  type Evidence,
  type OperationEvidence,
  type ProviderCallEvidence,
} from '@platform/testing';
import type { Delivery } from '../../../services/lifecycle-delivery/src/domain/delivery';
import type { MigrationItem } from '../../../services/operator/src/migrations/domain/migration-item';
import type { Subscription } from '../../../services/operator/src/mirror/domain/subscription';
import type { Operation } from '../../../services/operator/src/operations/domain/operation';
import type { Attempt } from '../../../services/provisioning/src/domain/attempt';
import type { CreationMarker } from '../../../services/provisioning/src/domain/marker';
import type { Remains } from '../../../services/provisioning/src/domain/remains';
import { resolvedCalls } from '../migration-judgement';
import type { StoredChange } from './change-tail';
import { answersOf, createDepartures, eventAnswersOf, fingerprintOf, ownerOf, sendsOf } from './exchanges';
import type { Exchange } from './recording-proxy';
import { historyOfStore } from './store-history';
import { createVersions, since, type Version, type Versions } from './versions';

/** An entry of the provider's ledger, and of its log of requests. */
export interface LedgerRow {
  readonly requestId: string;
  /** HTTP status of the answer; a declined payment leaves its refusal in the books, and took nothing. */
  readonly status: number;
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string | null;
  readonly amount?: number;
  readonly objectId: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface RequestRow {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string | null;
}

/** A lifecycle message as the broker delivered it to an observer. */
export interface SeenMessage {
  readonly operationId: string;
  readonly tenantId: string;
  readonly transition: string;
  readonly at: number;
}

export interface Observed {
  readonly changes: readonly StoredChange[];
  readonly gateway: readonly Exchange[];
  readonly provider: readonly Exchange[];
  readonly receiver: readonly Exchange[];
  readonly alerts: readonly AlertEvidence[];
  readonly messages: readonly SeenMessage[];
  readonly ledger: readonly LedgerRow[];
  readonly requests: readonly RequestRow[];
  readonly consumerRuns: Evidence['consumerRuns'];
  /** Since the last of them everything works again, and what was interrupted had the time to end. */
  readonly atRest: boolean;
  /** Milliseconds since 1970 by the platform's clocks at an instant of the machine's. */
  readonly platformTime: (instant: number) => number;
  /** When a scene counted the runs of an event's handler by what it asks the provider. */
  readonly handlerRuns?: ReadonlyMap<string, number>;
}

/** Which consumers are registered on this platform, and for what: their programs say so (examples/). */
const registered: Readonly<Record<string, readonly string[]>> = {
  'search-index': ['created', 'suspended'],
  storage: ['created', 'suspended', 'reactivation_requested'],
};
const requiredFor = (transition: string): readonly string[] =>
  Object.keys(registered).filter((name) => registered[name]!.includes(transition));

const consumerFiles = [
  ['storage', 'consumers/storage-consumer.jsonl'],
  ['search-index', 'logs/search-index-consumer.log'],
] as const;

/** What the consumers wrote themselves, into a file or their log, one line per effect. */
export function readConsumerFiles(localDir: string): Evidence['consumerRuns'] {
  return consumerFiles.flatMap(([consumer, file]) => {
    const path = join(localDir, file);
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
    return lines.flatMap((line) => {
      const operationId = /^\{"operationId":"([^"]+)".*\}$/.exec(line)?.[1];
      return operationId === undefined ? [] : [{ operationId, consumer, outcome: 'receipt' as const }];
    });
  });
}

type Called = { readonly providerCalls: readonly ProviderCallEvidence[] };

/** A call counts as written down when the version was committed that first held it. */
function committedCalls<T>(
  versions: readonly Version[],
  calls: readonly ProviderCallEvidence[],
  callsIn: (record: T) => readonly ProviderCallEvidence[] | undefined,
): ProviderCallEvidence[] {
  return calls.map((call, place) => ({
    ...call,
    ...(call.skipped === undefined && {
      sentAt: since<T>(versions, (record) => callsIn(record)?.[place] !== undefined),
    }),
  }));
}

function operationsOf(versions: Versions): OperationEvidence[] {
  return [...versions.of('operator', 'operations')].map(([_id, all]) => {
    const { tenantId, action, status, values, attempts, resolution } = all.at(-1)!.record as unknown as Operation;
    return {
      _id,
      tenantId,
      action,
      status,
      values,
      fingerprint: fingerprintOf(tenantId, action, values),
      createdAt: all[0]!.at,
      ...(resolution && { resolution }),
      attempts: attempts.map(({ number, providerCalls }, place) => ({
        number,
        providerCalls: committedCalls<Operation>(all, providerCalls, (record) => record.attempts[place]?.providerCalls),
      })),
    };
  });
}

const statusInTheJournal = {
  preparing: 'running',
  awaiting_payment: 'running',
  committed: 'succeeded',
  cancelled: 'failed',
  reconciliation_required: 'reconciliation_required',
} as const;

function creationsAsOperations(versions: Versions): OperationEvidence[] {
  const remains = versions.of('provisioning', 'creation_remains');
  return [...versions.of('provisioning', 'attempts')].map(([_id, all]) => {
    const attempt = all.at(-1)!.record as unknown as Attempt;
    const removals = remains.get(_id) ?? [];
    const removed = (removals.at(-1)?.record as unknown as Remains | undefined)?.providerCalls ?? [];
    // The provider's own record that the invoice is paid ends what was not known, as an investigation would.
    const proven =
      attempt.resolution ?? ('provenBy' in attempt && attempt.provenBy ? { outcome: 'applied' } : undefined);
    return {
      _id,
      tenantId: attempt.tenantId,
      action: 'create_workspace',
      status: statusInTheJournal[attempt.status],
      fingerprint: attempt.tenantId,
      values: {},
      createdAt: all[0]!.at,
      ...(proven && { resolution: proven }),
      attempts: [
        {
          number: 1,
          providerCalls: [
            ...committedCalls<Called>(all, attempt.providerCalls, (record) => record.providerCalls),
            ...committedCalls<Called>(removals, removed, (record) => record.providerCalls),
          ],
        },
      ],
    };
  });
}

interface Announced {
  readonly _id: string;
  readonly outbox?: readonly { readonly subject: string; readonly body: Readonly<Record<string, unknown>> }[];
}

const isLifecycle = (subject: string): boolean =>
  subject.startsWith('lifecycle.message.') && subject !== 'lifecycle.message.tenant_deleted';

/**
 * Every message, as early as it can have left: with the commit of the intent to send it. One that the broker had and no
 * record intended is there with the instant at which it was seen.
 */
function messagesOf(versions: Versions, seen: readonly SeenMessage[]): Evidence['lifecycleMessages'] {
  const intended = new Map<string, SeenMessage>();
  for (const [database, collection] of [
    ['operator', 'operations'],
    ['provisioning', 'lifecycle_outbox'],
  ] as const)
    for (const all of versions.of(database, collection).values())
      for (const { at, record } of all)
        for (const { subject, body } of (record as unknown as Announced).outbox ?? [])
          if (isLifecycle(subject) && !intended.has(String(body['operationId'])))
            intended.set(String(body['operationId']), {
              operationId: String(body['operationId']),
              tenantId: String(body['tenantId']),
              transition: String(body['transition']),
              at,
            });
  const unintended = seen.filter(({ operationId }) => !intended.has(operationId));
  return [...intended.values(), ...unintended].map((message) => ({
    ...message,
    required: requiredFor(message.transition),
    settledAt: since<{ status: string }>(
      versions.of('lifecycle_delivery', 'lifecycle_messages').get(message.operationId),
      ({ status }) => status === 'settled',
    ),
  }));
}

function deliveriesOf(versions: Versions): Evidence['deliveries'] {
  return [...versions.of('lifecycle_delivery', 'lifecycle_deliveries').values()].map((all) => {
    const last = all.at(-1)!.record as unknown as Delivery;
    const receiptId = 'receipt' in last ? last.receipt.receiptId : undefined;
    const acceptedAt = since<Delivery>(all, (record) => 'receipt' in record);
    const waivedAt = since<Delivery>(all, (record) => record.status === 'waived');
    return {
      operationId: last.operationId,
      consumer: last.consumer,
      status: last.status,
      nextAttemptAt: 'nextAttemptAt' in last ? last.nextAttemptAt : undefined,
      lastError: 'lastError' in last ? last.lastError : undefined,
      ...(receiptId !== undefined && acceptedAt !== undefined && { receipt: { receiptId, acceptedAt } }),
      ...('resolution' in last && waivedAt !== undefined && { resolution: { by: last.resolution.by, at: waivedAt } }),
    };
  });
}

function creationsOf(versions: Versions, ledger: readonly LedgerRow[]): NonNullable<Evidence['creations']> {
  const charges = groupBy(
    ledger.filter(({ path }) => path.endsWith('/pay')),
    ({ idempotencyKey }) => idempotencyKey ?? '',
  );
  const markers = versions.of('provisioning', 'lifecycle_outbox');
  const tenants = versions.of('provisioning', 'tenants');
  return [...versions.of('provisioning', 'attempts').values()].map((all) => {
    const { tenantId, status } = all.at(-1)!.record as unknown as Attempt;
    const marker = markers.get(`workspace-created:${tenantId}`);
    const committedAt = since<CreationMarker>(marker, ({ provisioningState }) => provisioningState === 'committed');
    return {
      tenantId,
      status: committedAt === undefined ? status : 'committed',
      committedAt,
      markedAt: marker?.[0]?.at,
      shownAt: tenants.get(tenantId)?.[0]?.at,
      charges: charges.get(`workspace-created:${tenantId}`)?.length ?? 0,
    };
  });
}

/** The list is what was inserted before the job ran; what came into it later is the checker's to say. */
function migrationsOf(versions: Versions): NonNullable<Evidence['migrations']> {
  const items = [...versions.of('operator', 'plan_migration_items').values()];
  return [...versions.of('operator', 'plan_migrations')].map(([migrationId, all]) => {
    const own = items.filter(([first]) => (first!.record as unknown as MigrationItem).migrationId === migrationId);
    const wholeAt = since<{ captured?: object }>(all, ({ captured }) => captured !== undefined) ?? Infinity;
    return {
      migrationId,
      status: (all.at(-1)!.record as unknown as { status: string }).status,
      captured: own.flatMap(([first]) =>
        first!.at <= wholeAt ? [(first!.record as unknown as MigrationItem).tenantId] : [],
      ),
      items: own.map((one) => {
        const record = one.at(-1)!.record as unknown as MigrationItem;
        const item = resolvedCalls(record);
        const resolvedAt = since<MigrationItem>(one, ({ resolution }) => resolution !== undefined);
        return {
          ...item,
          ...(record.resolution &&
            resolvedAt !== undefined && { resolution: { ...record.resolution, at: resolvedAt, evidence: undefined } }),
          providerCalls: committedCalls<Called>(one, item.providerCalls, ({ providerCalls }) => providerCalls),
        };
      }),
    };
  });
}

/** The provider keeps no key for what is deleted; the step of ours that deletes is known by the path. */
function keyOf({ method, path, idempotencyKey, metadata }: LedgerRow): string {
  if (idempotencyKey !== null || method !== 'DELETE') return idempotencyKey ?? '';
  return `${metadata['operationId'] ?? metadata['provisioningAttempt'] ?? ''}:${path.startsWith('/v1/customers/') ? 'delete_customer' : 'cancel_now'}`;
}

/** An effect happened after its request left; of a request that no proxy saw nothing is known but that it happened. */
function effectsOf({ ledger, requests, provider }: Observed): Evidence['ledger'] {
  const departedAt = createDepartures(provider, requests);
  return ledger
    .filter(({ status }) => status < 400)
    .map((row) => {
      const idempotencyKey = keyOf(row);
      const owner = ownerOf(idempotencyKey);
      return {
        operationId: row.metadata['operationId'] ?? row.metadata['provisioningAttempt'] ?? owner.operationId,
        step: owner.step,
        idempotencyKey,
        path: row.path,
        objectId: row.objectId ?? '',
        amount: row.amount,
        at: departedAt(row.requestId) ?? Number.MAX_SAFE_INTEGER,
      };
    });
}

function webhooksOf(versions: Versions, { receiver, handlerRuns }: Observed): NonNullable<Evidence['webhooks']> {
  const answers = eventAnswersOf(receiver, versions);
  const admitted = (['operator', 'provisioning'] as const).map((owner) =>
    versions.of(owner, 'provider_event_admissions'),
  );
  return [...versions.of('billing_webhook', 'payment_provider_webhook_events')].map(([eventId, all]) => ({
    eventId,
    result: (all.at(-1)!.record as unknown as { result: string }).result,
    handlerRuns: handlerRuns?.get(eventId) ?? admitted.filter((owner) => owner.has(eventId)).length,
    answers: answers.get(eventId) ?? [],
  }));
}

/** Judged is what the run asked for: what the platform was seeded with has no operation. */
export function outsideEvidence(observed: Observed): Evidence {
  const versions = createVersions(observed.changes);
  const operations = [...operationsOf(versions), ...creationsAsOperations(versions)];
  const migrations = migrationsOf(versions);
  const sends = sendsOf(observed.provider).map((send) => ({ ...send, at: observed.platformTime(Number(send.at)) }));
  const asked = new Set([...operations.map(({ _id }) => _id), ...migrations.map(({ migrationId }) => migrationId)]);
  const sent = new Set(sends.map(({ operationId }) => operationId));
  return {
    ...historyOfStore(observed.changes, versions),
    // Parts are killed and frozen while time is the machine's; while days pass, none is.
    unpaused: true,
    ...(observed.atRest && { atRest: true }),
    operations,
    migrations,
    sends,
    subscriptions: versions.standing<Subscription>('operator', 'subscriptions'),
    ledger: effectsOf(observed).filter(({ operationId }) => asked.has(operationId) || sent.has(operationId)),
    alerts: observed.alerts,
    lifecycleMessages: messagesOf(versions, observed.messages),
    deliveries: deliveriesOf(versions),
    consumerRuns: observed.consumerRuns,
    answers: answersOf(observed.gateway),
    webhooks: webhooksOf(versions, observed),
    creations: creationsOf(
      versions,
      observed.ledger.filter(({ status }) => status < 400),
    ),
  };
}
