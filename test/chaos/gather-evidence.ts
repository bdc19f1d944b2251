/**
 * What the run left behind, read from the gateway, the provider's ledger and the stream of alerts, for the one checker.
 */
import type { MarkerFacts } from '../../services/provisioning/src/domain/marker';
import type { AdminState, OperationView } from '@platform/contracts-operator';
import type { DeliveryView } from '@platform/contracts-lifecycle-delivery';
import {
  emptyEvidence,
  eventually,
  groupBy,
  type AlertEvidence,
  type Evidence,
  type OperationEvidence,
} from '@platform/testing';
import { webhookEventsCollection } from '../../services/billing-webhook/src/store/webhook-events';
import { messagesCollection } from '../../services/lifecycle-delivery/src/store/messages';
import { providerEventAdmissionsCollection as ownedByOperator } from '../../services/operator/src/provider-events/store/provider-event-admissions';
import type { Attempt } from '../../services/provisioning/src/domain/attempt';
import type { Remains } from '../../services/provisioning/src/domain/remains';
import {
  admissionsCollection as ownedByProvisioning,
  attemptsCollection,
  markersCollection,
  remainsCollection,
} from '../../services/provisioning/src/store/collections';
import type { GatewayClient } from '../../infra/local/demo/gateway-client';
import type { TestPlatform } from '../support/platform';
import type { ReportedAnswer } from './load';
import { readDatabase } from './read-databases';

function resolutionEvidence({ at, evidence, override, ...said }: NonNullable<OperationView['resolution']>) {
  return {
    ...said,
    at: new Date(at),
    ...(evidence && { evidence: { readAt: new Date(evidence.readAt) } }),
    ...(override && { override }),
  };
}

interface LedgerRow {
  /** HTTP status of the answer; a declined payment leaves its refusal in the books, and took nothing. */
  readonly status: number;
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string | null;
  readonly amount?: number;
  readonly objectId: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * The twin's clock does not move between steps, so its effects carry no usable time: they count as later than every
 * intent.
 */
const afterEverything = Number.MAX_SAFE_INTEGER;

async function everyPage<T>(gateway: GatewayClient, path: string, list: string): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | undefined;
  do {
    const { status, body } = await gateway.get<Record<string, unknown>>(
      `${path}?limit=100${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
    );
    if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${JSON.stringify(body)}`);
    found.push(...(body[list] as T[]));
    cursor = body['nextCursor'] as string | undefined;
  } while (cursor);
  return found;
}

/** Resolves when nothing is on its way any more: only operations of dead executors may still be `running`. */
export async function untilQuiet(gateway: GatewayClient): Promise<void> {
  const moving = async (): Promise<boolean> => {
    const operations = await everyPage<OperationView>(gateway, '/api/saas/operations', 'operations');
    return operations.some(
      ({ status, attempts }) =>
        status === 'awaiting_receipts' || (status === 'running' && attempts.at(-1)?.executorState === 'alive'),
    );
  };
  await eventually(async () => !(await moving()), {
    describe: 'the end of every operation under way',
    deadlineMs: 90_000,
  });
}

/** What is removed of a resolved creation is in a record of its own; its calls are the creation's. */
function withRemovals(attempts: readonly Attempt[], remains: readonly Remains[]): Attempt[] {
  const removals = new Map(remains.map(({ _id, providerCalls }) => [_id, providerCalls]));
  return attempts.map((attempt) => ({
    ...attempt,
    providerCalls: [...attempt.providerCalls, ...(removals.get(attempt._id) ?? [])],
  }));
}

/** Creations and provider events from the databases of their services. */
async function readBulk(
  { mongodbUrl }: TestPlatform,
  ledger: readonly LedgerRow[],
): Promise<Pick<Evidence, 'creations' | 'webhooks' | 'lifecycleMessages'> & { readonly attempts: readonly Attempt[] }> {
  const { attempts, markers, handled } = await readDatabase(mongodbUrl, 'provisioning', async (every) => ({
    attempts: withRemovals(await every(attemptsCollection), await every(remainsCollection)),
    markers: await every(markersCollection),
    handled: await every(ownedByProvisioning),
  }));
  const mirrored = await readDatabase(mongodbUrl, 'operator', (every) => every(ownedByOperator));
  const events = await readDatabase(mongodbUrl, 'billing_webhook', (every) => every(webhookEventsCollection));
  const accepted = await readDatabase(mongodbUrl, 'lifecycle_delivery', (every) => every(messagesCollection));
  const charges = groupBy(
    ledger.filter(({ path }) => path.endsWith('/pay')),
    ({ idempotencyKey }) => idempotencyKey ?? '',
  );
  const byTenant = new Map(markers.map((marker) => [marker.tenantId, marker]));
  const owners = [...handled, ...mirrored].map(({ _id }) => _id);
  return {
    attempts,
    creations: attempts.map(({ tenantId, status }) => {
      const marker: MarkerFacts | undefined = byTenant.get(tenantId);
      return {
        tenantId,
        status: marker?.provisioningState === 'committed' ? 'committed' : status,
        ...(marker?.committedAt && { committedAt: marker.committedAt }),
        charges: charges.get(`workspace-created:${tenantId}`)?.length ?? 0,
      };
    }),
    // Each admission is one record of one owner, so two owners' records would be two handlers' runs.
    webhooks: events.map(({ _id, result }) => ({
      eventId: _id,
      result,
      handlerRuns: owners.filter((id) => id === _id).length,
      answers: [],
    })),
    lifecycleMessages: accepted.map((record) => ({
      operationId: record._id,
      tenantId: record.tenantId,
      transition: record.transition,
      at: record.transition === 'created' ? new Date(record.createdAt.getTime() + clocksDifferMs) : record.createdAt,
      required: record.required,
      settledAt: record.status === 'settled' ? record.settledAt : undefined,
    })),
  };
}

/**
 * Two services stamp these times, each by its own measurement of the database's clock, and a measurement is off by as
 * long as its answer took. A reversal below this bound is not judged here; the simulation, with one clock, judges it.
 */
const clocksDifferMs = 2_000;

const statusInTheJournal = {
  preparing: 'running',
  awaiting_payment: 'running',
  committed: 'succeeded',
  cancelled: 'failed',
  reconciliation_required: 'reconciliation_required',
} as const;

function creationAsOperation({ _id, tenantId, status, createdAt, providerCalls, ...rest }: Attempt): OperationEvidence {
  // The provider's own record that the invoice is paid ends what was not known, as an investigation would.
  const proven = 'provenBy' in rest ? rest.provenBy : undefined;
  return {
    _id,
    tenantId,
    action: 'create_workspace',
    status: statusInTheJournal[status],
    fingerprint: tenantId,
    values: {},
    createdAt,
    attempts: [{ number: 1, providerCalls }],
    ...(proven && { resolution: { outcome: 'applied' } }),
  };
}

/** Waits until every stop has its alert; what is missing after the wait is the checker's to say. */
async function untilAlerted(alerts: readonly AlertEvidence[], wanted: readonly string[]): Promise<void> {
  const seen = (): boolean => wanted.every((id) => alerts.some((alert) => alert.id === id));
  await eventually(seen, { describe: 'an alert for every stop', deadlineMs: 30_000 }).catch(() => undefined);
}

/** The provider keeps no key for what is deleted; the step of ours that deletes is known by the path. */
function keyOf({ method, path, idempotencyKey, metadata }: LedgerRow): string {
  if (idempotencyKey !== null || method !== 'DELETE') return idempotencyKey ?? '';
  return `${metadata['operationId'] ?? metadata['provisioningAttempt'] ?? ''}:${path.startsWith('/v1/customers/') ? 'delete_customer' : 'cancel_now'}`;
}

function effectOf(row: LedgerRow) {
  const { path, objectId, amount, metadata } = row;
  const idempotencyKey = keyOf(row);
  const [first = '', second = ''] = idempotencyKey.split(':');
  // The payment of a creation goes under the key that names the creation; every other key is operation and step.
  const [operationId, step] = first === 'workspace-created' ? [second, 'pay_invoice'] : [first, second];
  return {
    operationId: metadata['operationId'] ?? metadata['provisioningAttempt'] ?? operationId,
    step,
    idempotencyKey,
    path,
    objectId: objectId ?? '',
    amount,
    at: afterEverything,
  };
}

/** What was collected while the run went on. */
export interface Collected {
  readonly answers: readonly ReportedAnswer[];
  readonly alerts: readonly AlertEvidence[];
  /** What only an observer of the run can say. */
  readonly observed?: Partial<Evidence>;
}

export async function gatherEvidence(
  platform: TestPlatform,
  gateway: GatewayClient,
  { answers, alerts, observed }: Collected,
): Promise<Evidence> {
  const views = await everyPage<OperationView>(gateway, '/api/saas/operations', 'operations');
  const deliveries = await everyPage<DeliveryView>(gateway, '/api/saas/lifecycle/deliveries', 'deliveries');
  const tenantIds = [...new Set(views.map(({ tenantId }) => tenantId))];
  const states = await Promise.all(
    tenantIds.map(
      async (tenantId) => (await gateway.get<AdminState>(`/api/saas/workspaces/${tenantId}/admin-state`)).body,
    ),
  );
  const provided = (await (await fetch(`${platform.twinUrl}/_twin/ledger`)).json()) as { entries: LedgerRow[] };
  const ledger = provided.entries.filter(({ status }) => status < 400);
  const date = (text: string): Date => new Date(text);
  const operations = views.map(({ resolution, ...view }) => ({
    ...view,
    _id: view.operationId,
    createdAt: date(view.createdAt),
    ...(resolution && { resolution: resolutionEvidence(resolution) }),
    attempts: view.attempts.map(({ number, providerCalls }) => ({
      number,
      providerCalls: providerCalls.map((call) => ({ ...call, sentAt: call.sentAt ? date(call.sentAt) : undefined })),
    })),
  }));
  const { attempts, ...bulk } = await readBulk(platform, ledger);
  const stopped = [
    ...operations.filter(({ status }) => status === 'reconciliation_required').map(({ _id }) => _id),
    ...attempts.filter(({ status }) => status === 'reconciliation_required').map(({ _id }) => _id),
    ...(bulk.webhooks ?? []).filter(({ result }) => result === 'reconciliation_required').map(({ eventId }) => eventId),
  ];
  await untilAlerted(alerts, stopped);
  const byId = new Map(operations.map((operation) => [operation._id, operation]));
  return {
    ...emptyEvidence,
    ...bulk,
    ...observed,
    operations: [...operations, ...attempts.map(creationAsOperation)],
    subscriptions: states.map(({ tenantId, access, transition }) => ({ _id: tenantId, access, transition })),
    ledger: ledger
      .map(effectOf)
      .filter(({ operationId }) => operationId.startsWith('chaos-') || attempts.some(({ _id }) => _id === operationId)),
    alerts,
    deliveries: deliveries.map((delivery) => ({
      operationId: delivery.operationId,
      consumer: delivery.consumer,
      status: delivery.status,
      nextAttemptAt: delivery.nextAttemptAt ? date(delivery.nextAttemptAt) : undefined,
      lastError: delivery.lastError,
      receipt: delivery.receipt && {
        receiptId: delivery.receipt.receiptId,
        acceptedAt: date(delivery.receipt.acceptedAt),
      },
    })),
    // A receipt proves its consumer's run here: consumers are separate processes, and only they could send it.
    consumerRuns: deliveries
      .filter(({ receipt }) => receipt)
      .map(({ operationId, consumer }) => ({ operationId, consumer, outcome: 'receipt' as const })),
    answers: answers
      .filter(({ creation, status }) => !creation && status > 0)
      .map((answer) => ({ ...answer, fingerprint: byId.get(answer.operationId)?.fingerprint ?? '' })),
  };
}
