/** A workspace on the free plan whose owner has begun a checkout, and its result. */
import type { OperationRequest } from '../../operations/domain/operation';
import { bootEvents, providerEvent, type EventBootOptions } from '../../provider-events/testing/event-world';
import { createOperatorWorld, tenant, type OperatorWorld } from '../../testing/operator-world';
import { checkoutReceiptsCollection } from '../store/checkout-receipts';
import type { Subscription } from '../../mirror/domain/subscription';
import { runOperation } from '../../operations/workflows/run-operation';

export const free: Partial<Subscription> = { planId: 'free', provider: { customerId: 'cus_acme' } };
export const checkoutRequest = (change: Partial<OperationRequest> = {}): OperationRequest => ({
  operationId: 'op-checkout-001',
  tenantId: tenant,
  action: 'checkout',
  values: { planId: 'pro', successUrl: 'https://app.test/done', cancelUrl: 'https://app.test/back' },
  actor: { id: 'owner', email: 'ann@example.com' },
  ...change,
});

export async function beginCheckout(workspace: Partial<Subscription> = free, options: EventBootOptions = {}) {
  const world = await createOperatorWorld(workspace);
  const life = bootEvents(world, 1, options);
  const answer = await runOperation(life.ports, checkoutRequest());
  const sessionId = world.subscription()?.checkout?.sessionId ?? '';
  return { world, life, events: life.events, answer, sessionId };
}

export const completed = (sessionId: string, eventId = 'evt_completed') =>
  providerEvent(eventId, 'checkout.session.completed', { id: sessionId });
export const expired = (sessionId: string, eventId = 'evt_expired') =>
  providerEvent(eventId, 'checkout.session.expired', { id: sessionId });
export const steps = (world: OperatorWorld) => world.provider.ledger().map(({ step }) => step);
export const notices = (world: OperatorWorld) =>
  world.published.filter(({ subject }) => subject === 'checkout.completed').map(({ id, body }) => ({ id, body }));
export const receipts = (world: OperatorWorld) =>
  world.store.collection(checkoutReceiptsCollection).find({}, { limit: 10 });
