/**
 * The evidence of a run, observed from outside: records from the store's log of changes with the instants of their
 * commits, requests and answers from the proxies, effects from the provider's ledger, alerts and messages from the
 * broker, runs of consumers from their own files. No instant and no outcome comes from the record that it is used to
 * judge.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AlertEvidence, Evidence, OperationEvidence } from '@platform/testing';
import type { Delivery } from '../../../services/lifecycle-delivery/src/domain/delivery';
import type { Subscription } from '../../../services/operator/src/mirror/domain/subscription';
import type { Operation } from '../../../services/operator/src/operations/domain/operation';
import { committedCalls, creationsAsOperations, creationsOf, migrationsOf } from './bulk-evidence';
import type { StoredChange } from './change-tail';
import { answersOf, createDepartures, eventAnswersOf, fingerprintOf, ownerOf, sendsOf } from './exchanges';
import type { Exchange } from './recording-proxy';
import type { LedgerRow, RequestRow, SeenMessage } from './seen';
import { historyOfStore } from './store-history';
import { createVersions, since, type Versions } from './versions';

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
  /** The transitions for which each consumer is registered; default: those of the local platform. */
  readonly consumers?: Consumers;
  /** True when everything has worked since the last fault, and interrupted work had the time to end. */
  readonly atRest: boolean;
  /** Milliseconds since 1970 by the platform's clocks at an instant of the machine's. */
  readonly platformTime: (instant: number) => number;
  /** Present when a scene counted the runs of an event's handler by its requests to the provider. */
  readonly handlerRuns?: ReadonlyMap<string, number>;
}

type Consumers = Readonly<Record<string, readonly string[]>>;

/** The consumers registered on this platform, and their transitions, according to their programs (examples/). */
const registered: Consumers = {
  'search-index': ['created', 'suspended'],
  storage: ['created', 'suspended', 'reactivation_requested'],
};
const requiredFor = (consumers: Consumers, transition: string): readonly string[] =>
  Object.keys(consumers).filter((name) => consumers[name]!.includes(transition));

const consumerFiles = [
  ['storage', 'consumers/storage-consumer.jsonl'],
  ['search-index', 'logs/search-index-consumer.log'],
] as const;

/** The consumers' own records, in a file or their log, one line per effect. */
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

interface Announced {
  readonly _id: string;
  readonly outbox?: readonly { readonly subject: string; readonly body: Readonly<Record<string, unknown>> }[];
}

const isLifecycle = (subject: string): boolean =>
  subject.startsWith('lifecycle.message.') && subject !== 'lifecycle.message.tenant_deleted';

/**
 * Every message, at the earliest time at which it can have been sent: with the commit of the intent to send it. A
 * message that the broker had and no record intended is included with the instant at which it was seen.
 */
function messagesOf(
  versions: Versions,
  { messages: seen, consumers = registered }: Observed,
): Evidence['lifecycleMessages'] {
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
    required: requiredFor(consumers, message.transition),
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

/** The provider keeps no key for a deletion; the step that deletes is recognised by the path. */
function keyOf({ method, path, idempotencyKey, metadata }: LedgerRow): string {
  if (idempotencyKey !== null || method !== 'DELETE') return idempotencyKey ?? '';
  return `${metadata['operationId'] ?? metadata['provisioningAttempt'] ?? ''}:${path.startsWith('/v1/customers/') ? 'delete_customer' : 'cancel_now'}`;
}

/** An effect happened after its request was sent; for a request that no proxy saw, only the effect itself is known. */
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
  const records = versions.of('billing_webhook', 'payment_provider_webhook_events');
  // An event that was answered and is not on record is the one that matters most.
  return [...new Set([...records.keys(), ...answers.keys()])].map((eventId) => ({
    eventId,
    result: (records.get(eventId)?.at(-1)?.record as { result: string } | undefined)?.result ?? 'absent',
    handlerRuns: handlerRuns?.get(eventId) ?? admitted.filter((owner) => owner.has(eventId)).length,
    answers: answers.get(eventId) ?? [],
  }));
}

/** Only requests of the run are judged, because seeded records have no operation. */
export function outsideEvidence(observed: Observed): Evidence {
  const versions = createVersions(observed.changes);
  const operations = [...operationsOf(versions), ...creationsAsOperations(versions)];
  const migrations = migrationsOf(versions);
  const sends = sendsOf(observed.provider).map((send) => ({ ...send, at: observed.platformTime(Number(send.at)) }));
  const asked = new Set([...operations.map(({ _id }) => _id), ...migrations.map(({ migrationId }) => migrationId)]);
  const sent = new Set(sends.map(({ operationId }) => operationId));
  return {
    ...historyOfStore(observed.changes, versions),
    // Parts are killed and frozen only while real time passes; while days are simulated, none is.
    unpaused: true,
    ...(observed.atRest && { atRest: true }),
    operations,
    migrations,
    sends,
    subscriptions: versions.standing<Subscription>('operator', 'subscriptions'),
    ledger: effectsOf(observed).filter(({ operationId }) => asked.has(operationId) || sent.has(operationId)),
    alerts: observed.alerts,
    lifecycleMessages: messagesOf(versions, observed),
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
