/** An operator ends a checkout that waits for its payment. */
import { runOperation } from '../../operations/workflows/run-operation';
import { tenant, type OperatorWorld } from '../../testing/operator-world';
import { bootEvents } from '../../provider-events/testing/event-world';
import { beginCheckout, completed, expired, steps } from '../testing/checkout-world';
import { completeCheckout } from './complete-checkout';
import { expireCheckout } from './expire-checkout';

const request = {
  operationId: 'op-expire-0001',
  tenantId: tenant,
  action: 'expire_checkout' as const,
  values: {},
  actor: { id: 'ops' },
};
const statusOf = (world: OperatorWorld, id: string) => world.operations().find(({ _id }) => _id === id);

describe('an open checkout that an operator ends', () => {
  it('expires at the provider, ends as by its expiry, and holds the workspace no more', async () => {
    const { world, life, sessionId } = await beginCheckout();
    expect(await runOperation(life.ports, request)).toMatchObject({
      kind: 'succeeded',
      operation: { result: { sessionId, session: 'expired' } },
    });
    expect(steps(world)).toEqual(['create_session', 'expire_session']);
    expect(statusOf(world, 'op-checkout-001')).toMatchObject({
      status: 'failed',
      error: { code: 'retry_window_expired' },
    });
    expect(world.subscription()).not.toHaveProperty('transition');
    // The event arrives afterwards, as for every session that expires.
    expect(await expireCheckout(life.events, expired(sessionId))).toMatchObject({ outcome: 'skipped' });
  });

  it('is refused without a checkout, and again after it has ended', async () => {
    const { life } = await beginCheckout();
    await runOperation(life.ports, request);
    expect(await runOperation(life.ports, request)).toMatchObject({ kind: 'succeeded' });
    expect(await runOperation(life.ports, { ...request, operationId: 'op-expire-0002' })).toMatchObject({
      operation: { status: 'failed', error: { code: 'no_open_checkout' } },
    });
  });

  it('goes on when it was paid a moment before', async () => {
    const { world, life, sessionId } = await beginCheckout();
    world.provider.completeCheckout(sessionId);
    expect(await runOperation(life.ports, request)).toMatchObject({
      operation: { status: 'failed', error: { code: 'provider_refused' } },
    });
    expect(statusOf(world, 'op-checkout-001')).toMatchObject({ status: 'awaiting_receipts' });
    expect(await completeCheckout(life.events, completed(sessionId))).toMatchObject({ outcome: 'success' });
    expect(world.subscription()).toMatchObject({ planId: 'pro', status: 'active' });
  });

  it('is ended by a repeat, or by the event, when the process disappeared after the session expired', async () => {
    for (const ends of ['repeat', 'event'] as const) {
      const { world, life, sessionId } = await beginCheckout();
      const followers = { end_of_checkout: () => Promise.resolve(), end_of_payment: () => Promise.resolve() };
      await runOperation({ ...life.ports, followers }, request);
      expect(statusOf(world, 'op-checkout-001')).toMatchObject({ status: 'awaiting_receipts' });
      const next = bootEvents(world, 2);
      if (ends === 'repeat') await runOperation(next.ports, request);
      else await expireCheckout(next.events, expired(sessionId));
      expect(statusOf(world, 'op-checkout-001')).toMatchObject({ status: 'failed' });
      expect(world.subscription()).not.toHaveProperty('transition');
    }
  });

  it('ends once when two operators end it at once', async () => {
    const { world, life } = await beginCheckout();
    const other = bootEvents(world, 2);
    const answers = await Promise.all([
      runOperation(life.ports, request),
      runOperation(other.ports, { ...request, operationId: 'op-expire-0002' }),
    ]);
    expect(answers.map(({ kind }) => kind).sort()).toContain('succeeded');
    expect(steps(world).filter((step) => step === 'expire_session')).toHaveLength(1);
    expect(statusOf(world, 'op-checkout-001')).toMatchObject({ status: 'failed', attempts: { length: 2 } });
  });

  it('stays for people when the answer of the provider is lost', async () => {
    const { world, life } = await beginCheckout();
    world.provider.failNext('lost_answer_after_effect');
    expect(await runOperation(life.ports, request)).toMatchObject({
      operation: { status: 'reconciliation_required' },
    });
    expect(statusOf(world, 'op-checkout-001')).toMatchObject({ status: 'awaiting_receipts' });
  });
});
