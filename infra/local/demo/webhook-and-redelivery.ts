/**
 * A change made at the provider returns as a signed event: it is mirrored once, however often the event is delivered.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { AdminState } from '@platform/contracts-operator';
import type { Chapter, Stage } from './stage';

const retryPolicy = { tries: 100, pauseMs: 100 };

async function seen(look: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < retryPolicy.tries; tries += 1) {
    if (await look()) return true;
    await delay(retryPolicy.pauseMs);
  }
  return false;
}

const forgeries = [
  ['unsigned', 'without a signature'],
  ['wrong_secret', 'that is signed with another secret'],
  ['stale_signature', 'with a stale signature'],
] as const;

async function play({ gateway, twin, tenantId, expect }: Stage): Promise<void> {
  const state = async () => (await gateway.get<AdminState>(`/api/saas/workspaces/${tenantId}/admin-state`)).body;
  const eventId = await twin.changeSubscription(tenantId, { cancel_at_period_end: 'true' });
  expect(
    'a cancellation made at the provider appears in the mirror',
    await seen(async () => (await state()).cancelsAt !== undefined),
  );
  expect(
    'the event is answered with 200 once it is resolved',
    await seen(async () => (await twin.redeliver(eventId, 'normal'))[0] === 200),
  );
  const { revision } = await state();
  const twice = await twin.redeliver(eventId, 'duplicate');
  expect(
    'delivered twice more: answered, not handled again',
    twice.length === 2 && twice.every((status) => status === 200) && (await state()).revision === revision,
    twice,
  );
  for (const [mode, signed] of forgeries) {
    const [status] = await twin.redeliver(eventId, mode);
    expect(`a delivery ${signed} is refused`, status === 400, status);
  }
  await twin.changeSubscription(tenantId, { cancel_at_period_end: 'false' });
  expect(
    'taken back at the provider, it disappears from the mirror',
    await seen(async () => (await state()).cancelsAt === undefined),
  );
}

export const webhookAndRedelivery: Chapter = { title: "The provider's events", play };
