/** What the run left behind, read from the gateway, the provider's ledger and the stream of alerts, for the one checker. */
import type { AdminState, OperationView } from '@platform/contracts-operator';
import type { DeliveryView } from '@platform/contracts-lifecycle-delivery';
import { silentLog } from '@platform/kernel';
import { connectMessaging, platformTopology } from '@platform/messaging';
import { emptyEvidence, eventually, type AlertEvidence, type Evidence } from '@platform/testing';
import type { GatewayClient } from '../../infra/local/demo/gateway-client';
import type { TestPlatform } from '../support/platform';
import type { ToldAnswer } from './load';

interface LedgerRow {
  readonly path: string;
  readonly idempotencyKey: string | null;
  readonly amount?: number;
  readonly objectId: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The twin's clock stands still between steps, so its effects carry no usable time: they count as later than every intent. */
const afterEverything = Number.MAX_SAFE_INTEGER;

async function everyPage<T>(gateway: GatewayClient, path: string, list: string): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | undefined;
  do {
    const { status, body } = await gateway.get<Record<string, unknown>>(`${path}?limit=100${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`);
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
    return operations.some(({ status, attempts }) => status === 'awaiting_receipts' || (status === 'running' && attempts.at(-1)?.executorState === 'live'));
  };
  await eventually(async () => !(await moving()), { describe: 'the end of every operation under way', deadlineMs: 90_000 });
}

async function readAlerts(platform: TestPlatform, wanted: readonly string[]): Promise<AlertEvidence[]> {
  const alerts: AlertEvidence[] = [];
  const messaging = await connectMessaging({ url: platform.natsUrl, name: 'chaos', topology: platformTopology(), log: silentLog });
  try {
    await messaging.ensureDurable({ stream: 'ALERTS', durable: 'chaos', filterSubjects: ['alert.>'], ackWaitMs: 5_000, maxAckPending: 100 });
    const reading = await messaging.consume({ stream: 'ALERTS', durable: 'chaos' }, async ({ body }) => {
      alerts.push(body as AlertEvidence);
      return { kind: 'ack' };
    });
    const seen = (): boolean => wanted.every((id) => alerts.some((alert) => alert.id === id));
    // What is missing after the wait is the checker's to say.
    await eventually(seen, { describe: 'an alert for every stop', deadlineMs: 15_000 }).catch(() => undefined);
    await reading.close();
  } finally {
    await messaging.close();
  }
  return alerts;
}

function effectOf({ idempotencyKey, path, objectId, amount, metadata }: LedgerRow) {
  const [operationId = '', step = ''] = (idempotencyKey ?? '').split(':');
  return { operationId: metadata['operationId'] ?? operationId, step, idempotencyKey: idempotencyKey ?? '', path, objectId: objectId ?? '', amount, at: afterEverything };
}

export async function gatherEvidence(platform: TestPlatform, gateway: GatewayClient, told: readonly ToldAnswer[]): Promise<Evidence> {
  const views = await everyPage<OperationView>(gateway, '/api/saas/operations', 'operations');
  const deliveries = await everyPage<DeliveryView>(gateway, '/api/saas/lifecycle/deliveries', 'deliveries');
  const tenantIds = [...new Set(views.map(({ tenantId }) => tenantId))];
  const states = await Promise.all(tenantIds.map(async (tenantId) => (await gateway.get<AdminState>(`/api/saas/workspaces/${tenantId}/admin-state`)).body));
  const ledger = (await (await fetch(`${platform.twinUrl}/_twin/ledger`)).json()) as { entries: LedgerRow[] };
  const date = (text: string): Date => new Date(text);
  const operations = views.map((view) => ({
    ...view,
    _id: view.operationId,
    createdAt: date(view.createdAt),
    attempts: view.attempts.map(({ number, providerCalls }) => ({ number, providerCalls: providerCalls.map((call) => ({ ...call, sentAt: call.sentAt ? date(call.sentAt) : undefined })) })),
  }));
  const byId = new Map(operations.map((operation) => [operation._id, operation]));
  return {
    ...emptyEvidence,
    operations,
    subscriptions: states.map(({ tenantId, access, transition }) => ({ _id: tenantId, access, transition })),
    ledger: ledger.entries.map(effectOf).filter(({ operationId }) => operationId.startsWith('chaos-')),
    alerts: await readAlerts(platform, operations.filter(({ status }) => status === 'reconciliation_required').map(({ _id }) => _id)),
    deliveries: deliveries.map((delivery) => ({
      operationId: delivery.operationId,
      consumer: delivery.consumer,
      status: delivery.status,
      nextAttemptAt: delivery.nextAttemptAt ? date(delivery.nextAttemptAt) : undefined,
      lastError: delivery.lastError,
      receipt: delivery.receipt && { receiptId: delivery.receipt.receiptId, acceptedAt: date(delivery.receipt.acceptedAt) },
    })),
    // A receipt proves its consumer's run here: consumers are separate processes, and only they could send it.
    consumerRuns: deliveries.filter(({ receipt }) => receipt).map(({ operationId, consumer }) => ({ operationId, consumer, outcome: 'receipt' as const })),
    answers: told.map((answer) => ({ ...answer, fingerprint: byId.get(answer.operationId)?.fingerprint ?? '' })),
  };
}
