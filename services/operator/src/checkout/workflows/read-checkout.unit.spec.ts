/** Which records wait for a session, and why an event of any other session changes nothing. */
import type { ProviderCheckoutSession } from '@platform/payment-provider';
import { busyWith, failedWith, handled, skipped, type HandlerOutcome } from '../../operations/domain/event-outcome';
import type { Operation } from '../../operations/domain/operation';
import type { Subscription } from '../../mirror/domain/subscription';
import { beginCheckout } from '../testing/checkout-world';
import type { CheckoutPorts } from './checkout-ports';
import { readCheckout } from './read-checkout';

interface Found {
  readonly session?: Partial<ProviderCheckoutSession>;
  /** Null: there is no record. */
  readonly operation?: object | null;
  readonly subscription?: Partial<Subscription> | null;
}

/** A begun checkout with other facts than the workflows leave. */
async function open({ session = {}, operation = {}, subscription = {} }: Found = {}) {
  const stage = await beginCheckout();
  const { events, world } = stage;
  const ports: CheckoutPorts = {
    ...events,
    provider: {
      ...world.provider,
      retrieveCheckoutSession: async (id) => {
        const read = await world.provider.retrieveCheckoutSession(id);
        return read.outcome === 'succeeded' ? { ...read, value: { ...read.value, ...session } } : read;
      },
    },
    operations: {
      ...events.operations,
      findById: async (id) => {
        const found = await events.operations.findById(id);
        return operation && found && ({ ...found, ...operation } as Operation);
      },
    },
    subscriptions: {
      ...events.subscriptions,
      findById: async (id) => {
        const found = await events.subscriptions.findById(id);
        return subscription && found && { ...found, ...subscription };
      },
    },
  };
  return { ...stage, ports };
}

const read = async (found: Found) => {
  const { ports, sessionId } = await open(found);
  return readCheckout(ports, { object: { id: sessionId } });
};
const ended = (outcome: HandlerOutcome) => ({ kind: 'ended', outcome });
const transition = { operationId: 'op-checkout-001', kind: 'checkout', requestedAt: new Date(0) } as const;
const notRecorded = failedWith('this is not the recorded session of a pending checkout');

describe('the records that wait for a session', () => {
  it('are read together with the session as the provider has it', async () => {
    const { ports, world, sessionId } = await open();
    const [operation] = world.operations();
    const session = world.provider.completeCheckout(sessionId);
    expect(await readCheckout(ports, { object: { id: sessionId } })).toEqual({
      kind: 'read',
      session,
      operation,
      subscription: world.subscription(),
      recorded: (operation as { readonly checkout?: object }).checkout,
    });
  });
});

describe('a session without records that wait for it', () => {
  it.each<[string, Found, HandlerOutcome]>([
    ['of no operation', { session: { metadata: {} } }, skipped('no checkout of this platform made the session')],
    ['of an unknown operation', { operation: null }, skipped('no checkout of this platform made the session')],
    [
      'that completed for a workspace of ours, whose checkout was lost',
      { operation: null, session: { status: 'complete' } },
      failedWith('the journal has no checkout op-checkout-001, and its session completed'),
    ],
    [
      'that completed on another platform with the same account',
      { operation: null, subscription: null, session: { status: 'complete' } },
      skipped('no checkout of this platform made the session'),
    ],
    [
      'of another action',
      { operation: { action: 'suspend' } },
      skipped('no checkout of this platform made the session'),
    ],
    ['of no workspace', { subscription: null }, failedWith('the workspace of this checkout has no record')],
    [
      'of a workspace that is being deleted',
      { subscription: { deletion: { startedAt: new Date(0), operationId: 'op-delete-0001' } } },
      failedWith('the workspace is being deleted; the session is left to a person'),
    ],
    ['another than the one of the operation', { operation: { checkout: { sessionId: 'cs_other' } } }, notRecorded],
    [
      'another than the one of the workspace',
      { subscription: { checkout: { sessionId: 'cs_other', operationId: 'op-checkout-001' } } },
      notRecorded,
    ],
    ['whose workspace names none', { subscription: { checkout: undefined } as never }, notRecorded],
    ['whose workspace has no transition', { subscription: { transition: undefined } as never }, notRecorded],
    [
      'whose workspace is held by another operation',
      { subscription: { transition: { ...transition, operationId: 'op-other-00001' } } },
      notRecorded,
    ],
    [
      'whose workspace is held for another step',
      { subscription: { transition: { ...transition, kind: 'cancel' } } },
      notRecorded,
    ],
    [
      'whose workspace another callback has taken',
      { subscription: { transition: { ...transition, kind: 'change_plan' } } },
      busyWith('another callback is admitted for this session'),
    ],
  ])('%s, changes nothing', async (_case, found, outcome) => {
    expect(await read(found)).toEqual(ended(outcome));
  });

  it.each(['reconciliation_required', 'awaiting_receipts'])(
    'of a checkout that is %s and was never acknowledged, changes nothing',
    async (status) => {
      const why = `the checkout is ${status}: its session was never acknowledged here, or a person must resolve it`;
      expect(await read({ operation: { status, checkout: undefined } })).toEqual(ended(failedWith(why)));
    },
  );

  it('of no operation, is looked for in no record', async () => {
    const { ports, sessionId } = await open({ session: { metadata: {} } });
    const operations = { ...ports.operations, findById: () => Promise.reject(new Error('no operation is read')) };
    expect(await readCheckout({ ...ports, operations }, { object: { id: sessionId } })).toMatchObject({
      outcome: { outcome: 'skipped' },
    });
  });

  it('of a checkout whose completion is under way, changes nothing', async () => {
    const busy = ended(busyWith('the checkout is running: another callback is at work'));
    expect(await read({ operation: { status: 'running' } })).toEqual(busy);
    expect(await read({ operation: { status: 'running', checkout: undefined } })).toEqual(busy);
  });
});

describe('a session of a checkout that has ended', () => {
  const failed = (code: string) => ({ status: 'failed', error: { code, message: 'it ended' } });

  it.each<[string, Found, HandlerOutcome]>([
    [
      'expired, as it should',
      { session: { status: 'expired' }, operation: failed('retry_window_expired') },
      skipped('the checkout is failed already'),
    ],
    [
      'expired after another one was paid',
      { session: { status: 'expired' }, operation: { status: 'succeeded' } },
      skipped('the checkout is succeeded already'),
    ],
    ['was not paid', { operation: failed('payment_failed') }, skipped('the checkout is failed already')],
    ['had a trial before', { operation: failed('trial_refused') }, skipped('the checkout is failed already')],
    [
      'was paid although its checkout had failed',
      { operation: failed('retry_window_expired') },
      failedWith('the checkout is failed, and its session completed'),
    ],
    [
      'was paid besides the one of its checkout',
      { operation: { status: 'succeeded', error: { code: 'payment_failed' } } },
      failedWith('the checkout is succeeded, and its session completed'),
    ],
  ])('%s, is reported to people only when money may have been taken', async (_case, found, outcome) => {
    expect(await read({ session: { status: 'complete' }, ...found })).toEqual(ended(outcome));
  });
});

describe('a session that cannot be read', () => {
  it('is none when the event names none', async () => {
    expect(await readCheckout((await open()).ports, { object: {} })).toEqual(
      ended(failedWith('the event names no session')),
    );
  });

  it.each([
    ['cannot be found', { outcome: 'failed', message: 'no such session' }, 'no such session'],
    ['cannot be read', { outcome: 'unknown', reason: 'no answer' }, 'no answer'],
  ])('%s at the provider, and the event fails with the reason', async (what, answer, reason) => {
    const { ports, sessionId } = await open();
    const provider = { ...ports.provider, retrieveCheckoutSession: async () => answer as never };
    expect(await readCheckout({ ...ports, provider }, { object: { id: sessionId } })).toEqual(
      ended(failedWith(`the session ${what} at the provider: ${reason}`)),
    );
  });

  it('is not needed when its receipt exists', async () => {
    const { ports, sessionId } = await open();
    const retrieveCheckoutSession = () => Promise.reject(new Error('the session is not read'));
    const sale = { tenantId: 'acme', operationId: 'op-checkout-001', planId: 'pro', subscriptionId: 'sub_1' };
    await ports.receipts.insert({ _id: sessionId, ...sale, completedAt: new Date(0) });
    const provider = { ...ports.provider, retrieveCheckoutSession };
    expect(await readCheckout({ ...ports, provider }, { object: { id: sessionId } })).toEqual(ended(handled));
  });
});
