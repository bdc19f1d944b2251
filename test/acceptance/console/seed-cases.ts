/**
 * The situations that an operator investigates, produced on a running platform by real faults: lost answers, dead
 * processes, a consumer that is unreachable, a card that is declined. Each has an id by which it can be found.
 */
import { resolve } from 'node:path';
import type { OperationView } from '@platform/contracts-operator';
import { eventually } from '@platform/testing';
import type { GatewayClient } from '../../../infra/local/demo/gateway-client';
import { createTwinClient, type TwinClient } from '../../../infra/local/demo/twin-client';
import { seedPlatform } from '../../../infra/local/seed-platform';
import { readSettings, type LocalSettings } from '../../../infra/local/settings';
import { createPatientClient } from '../../../infra/local/demo/patient-client';
import type { TestPlatform } from '../../support/platform';

const root = resolve(__dirname, '../../..');
const balances = '/v1/customers/*/balance_transactions';

export interface SeededCases {
  readonly lostAfter: string;
  readonly lostBefore: string;
  readonly refused: string;
  readonly declined: string;
  readonly done: string;
  readonly waitingForConsumer: string;
  readonly checkout: string;
  readonly interrupted: string;
  /** Tenant id of the creation that a listener stopped. */
  readonly creation: string;
  readonly stoppedEvent: string;
  /** A plan migration that stopped, and two of its workspaces whose answers were lost. */
  readonly migration: string;
  readonly itemLostBefore: string;
  readonly itemLostAfter: string;
}

/** The part of a platform that the faults need: its addresses, and killing and restarting its parts by name. */
export type FaultyPlatform = Pick<
  TestPlatform,
  'gatewayUrl' | 'twinUrl' | 'portBase' | 'localDir' | 'token' | 'kill' | 'restart'
>;

interface Stage {
  readonly settings: LocalSettings;
  readonly platform: FaultyPlatform;
  readonly gateway: GatewayClient;
  readonly twin: TwinClient;
}

/** `platform` must be fresh. Afterwards the storage consumer is killed; everything else runs. */
export async function seedCases(
  platform: FaultyPlatform,
  settings: LocalSettings = readSettings({ PORT_BASE: String(platform.portBase), LOCAL_DIR: platform.localDir }, root),
): Promise<SeededCases> {
  const stage: Stage = {
    settings,
    platform,
    gateway: createPatientClient(platform.gatewayUrl, await platform.token({ role: 'platform_owner' })),
    twin: createTwinClient(platform.twinUrl, settings.secrets.providerKey),
  };
  const creation = await creationThatStopped(stage);
  await operationsOfOneCall(stage);
  const migration = await migrationThatStopped(stage);
  await checkoutThatWaits(stage);
  await suspensionWithoutConsumer(stage);
  const stoppedEvent = await processesThatDied(stage);
  return {
    lostAfter: 'case-lost-after-1',
    lostBefore: 'case-lost-before-1',
    refused: 'case-refused-1',
    declined: 'case-declined-1',
    done: 'case-done-0001',
    waitingForConsumer: 'case-suspend-1',
    checkout: 'case-checkout-1',
    interrupted: 'case-interrupted-1',
    creation,
    stoppedEvent,
    migration,
    itemLostBefore: `${migration}:umbrella`,
    itemLostAfter: `${migration}:vandelay`,
  };
}

async function control(stage: Stage, path: string, body: object = {}): Promise<void> {
  const response = await fetch(`${stage.platform.twinUrl}/_twin/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

const act = ({ gateway }: Stage, tenantId: string, action: string, body: object, headers?: Record<string, string>) =>
  gateway.post<OperationView & { code: string }>(`/api/saas/workspaces/${tenantId}/${action}`, body, headers);

/** A listener refuses the region, and no process may begin the creation again automatically. */
async function creationThatStopped({ platform }: Stage): Promise<string> {
  const wanted = {
    workspaceName: 'Initrode',
    planId: 'pro',
    paymentMethodId: 'pm_card_visa',
    billingProfile: { name: 'Ada Lovelace', country: 'GB' },
    extras: { storageRegion: 'mars' },
  };
  const client = createPatientClient(
    platform.gatewayUrl,
    await platform.token({ role: 'user', email: 'ada@example.com' }),
  );
  const { status, body } = await client.post<{ tenantId: string }>('/api/saas/workspaces', wanted);
  if (status !== 202) throw new Error(`the creation answered ${status}: ${JSON.stringify(body)}`);
  return body.tenantId;
}

async function operationsOfOneCall(stage: Stage): Promise<void> {
  const { twin } = stage;
  await act(stage, 'globex', 'balance-credit', {
    operationId: 'case-done-0001',
    amountCents: 1_500,
    reason: 'Outage on 12 March',
  });
  await twin.addFault({ match: { method: 'POST', path: balances }, fault: 'lose_answer_after', times: 1 });
  await act(stage, 'globex', 'balance-credit', {
    operationId: 'case-lost-after-1',
    amountCents: 25_000,
    reason: 'Contract 2024-117',
  });
  await twin.addFault({ match: { method: 'POST', path: balances }, fault: 'lose_answer_before', times: 1 });
  await act(stage, 'initech', 'balance-credit', {
    operationId: 'case-lost-before-1',
    amountCents: 4_200,
    reason: 'Late migration',
  });
  await twin.addFault({ match: { method: 'POST', path: balances }, fault: 'rate_limit', times: 1 });
  await act(stage, 'globex', 'balance-credit', { operationId: 'case-refused-1', amountCents: 700, reason: 'Goodwill' });
  const card = await twin.makeCard('4000000000000341');
  await declineCards(stage, card);
  const declined = await act(stage, 'acme', 'upgrade', { operationId: 'case-declined-1', planId: 'pro' });
  if (declined.status !== 402) throw new Error(`the upgrade answered ${declined.status}`);
}

/** The customer's card can be attached, and every charge on it is declined. */
async function declineCards({ platform, settings: { secrets } }: Stage, card: string): Promise<void> {
  const post = async (path: string, form: Record<string, string>) => {
    const response = await fetch(`${platform.twinUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secrets.providerKey}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  };
  await post(`/v1/payment_methods/${card}/attach`, { customer: 'cus_acme' });
  await post('/v1/customers/cus_acme', { 'invoice_settings[default_payment_method]': card });
  await post('/v1/subscriptions/sub_acme', { default_payment_method: card });
}

/** Three workspaces on one plan: one is changed; for the others the answer is lost before or after the effect. */
async function migrationThatStopped({ settings, gateway, twin }: Stage): Promise<string> {
  const names = [
    ['umbrella', 'Umbrella'],
    ['vandelay', 'Vandelay'],
    ['wonka', 'Wonka'],
  ] as const;
  await seedPlatform(
    settings,
    [],
    names.map(([tenantId, workspaceName]) => ({ tenantId, workspaceName, planId: 'business', status: 'active' })),
  );
  await twin.addFault({
    match: { method: 'POST', path: '/v1/subscriptions/sub_umbrella' },
    fault: 'lose_answer_before',
    times: 1,
  });
  await twin.addFault({
    match: { method: 'POST', path: '/v1/subscriptions/sub_vandelay' },
    fault: 'lose_answer_after',
    times: 1,
  });
  const migrationId = 'case-migration-1';
  const { status } = await gateway.post('/api/saas/plans-deletion/business/migrate-and-delete', {
    migrationId,
    targetPlanId: 'pro',
    reason: 'Business is no longer sold',
  });
  if (status !== 202) throw new Error(`the migration answered ${status}`);
  await eventually(
    async () =>
      (await gateway.get<{ status: string }>(`/api/saas/plans-deletion/migrations/${migrationId}`)).body.status ===
      'reconciliation_required',
    { describe: 'the migration has stopped' },
  );
  return migrationId;
}

async function checkoutThatWaits({ platform }: Stage): Promise<void> {
  const owner = createPatientClient(
    platform.gatewayUrl,
    await platform.token({ role: 'user', workspaces: { hooli: 'owner' } }),
  );
  const { status, body } = await owner.post('/api/saas/workspaces/hooli/checkout', {
    operationId: 'case-checkout-1',
    planId: 'pro',
    successUrl: 'https://app.test/done',
    cancelUrl: 'https://app.test/back',
  });
  if (status !== 200) throw new Error(`the checkout answered ${status}: ${JSON.stringify(body)}`);
}

async function suspensionWithoutConsumer(stage: Stage): Promise<void> {
  await stage.platform.kill('storage-consumer');
  const { status } = await act(stage, 'acme', 'suspend', { operationId: 'case-suspend-1' }, { prefer: 'wait=1' });
  if (status !== 202) throw new Error(`the suspension answered ${status}`);
  // An answer within the second does not mean that the consumer is what it waits for. A gateway that dies before then
  // leaves a call to the provider whose outcome is not known.
  await eventually(
    async () => {
      const { body } = await stage.gateway.get<{ deliveries: readonly { operationId: string }[] }>(
        '/api/saas/lifecycle/deliveries?status=pending',
      );
      return body.deliveries.some(({ operationId }) => operationId === 'case-suspend-1');
    },
    { describe: 'the suspension waits for its consumer' },
  );
}

/** The gateway dies during a call, and then during an event that it had begun; the receiver dies too. */
async function processesThatDied(stage: Stage): Promise<string> {
  const { platform, twin, gateway } = stage;
  await control(stage, 'faults', { match: { method: 'POST', path: balances }, fault: 'hold', times: 1 });
  const abandoned = act(
    stage,
    'initech',
    'balance-credit',
    { operationId: 'case-interrupted-1', amountCents: 9_900, reason: 'Double invoice' },
    { prefer: 'wait=30' },
  ).catch(() => undefined);
  await eventually(
    async () => {
      const { faults } = (await (await fetch(`${platform.twinUrl}/_twin/faults`)).json()) as {
        faults: { held?: number | readonly unknown[] }[];
      };
      return faults.some(({ held }) => (Array.isArray(held) ? held.length : Number(held ?? 0)) > 0);
    },
    { describe: 'the call is held at the provider' },
  );
  await platform.kill('operator');
  await abandoned;
  await platform.restart('operator');
  await control(stage, 'faults', {
    match: { method: 'GET', path: '/v1/subscriptions/sub_globex' },
    fault: 'hold',
    times: null,
  });
  await control(stage, 'webhooks/hold');
  const eventId = await twin.changeSubscription('globex', { 'metadata[round]': 'two' });
  await twin.redeliver(eventId, 'normal');
  await platform.kill('operator');
  await platform.kill('billing-webhook');
  await platform.restart('billing-webhook');
  await platform.restart('operator');
  await twin.removeFaults();
  await eventually(async () => (await gateway.get<{ total: number }>('/api/saas/work-queue/counters')).status === 200, {
    describe: 'the gateway answers',
  });
  return eventId;
}
