/**
 * Create workspaces: one on trial, one paid at once, and one whose card is declined and which is rolled back
 * everywhere.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { AdminState } from '@platform/contracts-operator';
import type { AttemptView } from '@platform/contracts-provisioning';
import type { Answer, GatewayClient } from './gateway-client';
import type { Chapter, Stage } from './stage';

type Created = Answer<{ readonly tenantId: string; readonly status?: string; readonly code?: string }>;

const tries = 100;
const pauseMs = 100;
const trialDays = 14;

async function until<T>(look: () => Promise<T | undefined>): Promise<T | undefined> {
  for (let turn = 0; turn < tries; turn += 1) {
    const seen = await look();
    if (seen !== undefined) return seen;
    await delay(pauseMs);
  }
  return undefined;
}

/** A number that no other run has used, so that its card identity is new: trials are given once per card. */
function freshCardNumber(run: string): string {
  const digits = `4${BigInt(Number.parseInt(run, 36)).toString().padStart(14, '0').slice(-14)}`;
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const doubled = Number(digit) * (at % 2 === 0 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

function requestWorkspace(person: GatewayClient, workspaceName: string, paymentMethodId: string): Promise<Created> {
  const body = {
    workspaceName,
    planId: 'starter',
    paymentMethodId,
    billingProfile: { name: 'Ada Lovelace', country: 'GB' },
    extras: { storageRegion: 'eu' },
  };
  return person.post('/api/saas/workspaces', body);
}

function readers({ gateway, twin }: Stage) {
  const mirror = (tenantId: string) => gateway.get<AdminState>(`/api/saas/workspaces/${tenantId}/admin-state`);
  return {
    mirrored: (tenantId: string) =>
      until(async () => {
        const { status, body } = await mirror(tenantId);
        return status === 200 ? body : undefined;
      }),
    mirror,
    attempt: async (tenantId: string) =>
      (await gateway.get<AttemptView>(`/api/saas/workspaces/${tenantId}/provisioning-attempt`)).body,
    charges: async (tenantId: string) =>
      (await twin.effects(`workspace-created:${tenantId}`)).filter(({ path }) => path.endsWith('/pay')),
    receipts: (tenantId: string) =>
      until(async () => {
        const { body } = await gateway.get<{ deliveries: { operationId: string; status: string }[] }>(
          '/api/saas/lifecycle/deliveries?limit=100',
        );
        const own = body.deliveries.filter(({ operationId }) => operationId === `workspace-created:${tenantId}`);
        return own.length > 0 && own.every(({ status }) => status === 'succeeded') ? own.length : undefined;
      }),
  };
}

async function onTrial(stage: Stage, person: GatewayClient): Promise<void> {
  const read = readers(stage);
  const created = await requestWorkspace(person, 'On trial', await stage.twin.makeCard(freshCardNumber(stage.run)));
  stage.expect('a first workspace is created', created.status === 201, created);
  const { tenantId } = created.body;
  const attempt = await read.attempt(tenantId);
  stage.expect(
    `it begins with a trial of ${trialDays} days, and nothing is charged`,
    attempt.trialDays === trialDays && (await read.charges(tenantId)).length === 0,
    attempt,
  );
  stage.expect(
    'the storage service took part before it was committed',
    attempt.listenerCalls.some(({ listener, outcome }) => listener === 'storage' && outcome === 'done'),
    attempt.listenerCalls,
  );
  const consumers = await read.receipts(tenantId);
  stage.expect(`created is answered by ${consumers ?? 'no'} consumers`, consumers !== undefined);
  stage.expect('the gateway shows it as trialing', (await read.mirrored(tenantId))?.status === 'trialing');
}

async function paid(stage: Stage, person: GatewayClient): Promise<void> {
  const read = readers(stage);
  const created = await requestWorkspace(person, 'Paid', 'pm_card_visa');
  const { tenantId } = created.body;
  const charges = created.status === 201 ? await read.charges(tenantId) : [];
  stage.expect(
    'a second one of the same person has no trial and is charged once',
    created.status === 201 && (await read.attempt(tenantId)).trialDays === 0 && charges.length === 1,
    { created, charges },
  );
  stage.expect('the gateway shows it as active', (await read.mirrored(tenantId))?.status === 'active');
}

async function declined(stage: Stage, person: GatewayClient): Promise<void> {
  const read = readers(stage);
  const refused = await requestWorkspace(person, 'Declined', 'pm_card_chargeCustomerFail');
  stage.expect(
    'a card that is declined ends it with 402',
    refused.status === 402 && refused.body.code === 'card_declined',
    refused,
  );
  const made = await stage.twin.latestCreation();
  if (!made) return stage.expect('its attempt is found by the metadata of the customer', false);
  const attempt = await read.attempt(made);
  stage.expect(
    'the attempt is cancelled, and its tombstone stays',
    attempt.status === 'cancelled' && attempt.rollback?.code === 'card_declined',
    attempt,
  );
  const ended = (await stage.twin.effects(made))
    .filter(({ method }) => method === 'DELETE')
    .map(({ path }) => path.split('/')[2]);
  stage.expect('subscription and customer are gone at the provider', ended.join() === 'subscriptions,customers', ended);
  stage.expect(
    'what it had reserved is free again',
    (attempt.reservations ?? []).every(({ state }) => state === 'not_held'),
    attempt.reservations,
  );
  stage.expect('no workspace appears', (await read.mirror(made)).status === 404);
}

export const createWorkspaces: Chapter = {
  title: 'Create workspaces: trial, paid, declined',
  play: async (stage) => {
    const person = await stage.person(`ada-${stage.run}@example.com`);
    await onTrial(stage, person);
    await paid(stage, person);
    await declined(stage, person);
  },
};
