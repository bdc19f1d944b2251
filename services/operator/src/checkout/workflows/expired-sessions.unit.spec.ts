/** An expired session ends its checkout once, by the event, by the round or by the operator who ended the session. */
import { fromThe, losing, onlyThe, overtaken } from '@platform/durable/testing';
import { silentLog } from '@platform/kernel';
import { StoreUnavailableError } from '@platform/mongo';
import { busyWith, failedWith, handled, notKnown, skipped } from '../../operations/domain/event-outcome';
import type { SucceededOperation } from '../../operations/domain/operation';
import type { EventPorts } from '../../provider-events/workflows/event-ports';
import { beginCheckout, expired, receipts } from '../testing/checkout-world';
import { endCheckoutAtOnce } from './end-checkout-at-once';
import { endWaitingCheckouts } from './end-waiting-checkouts';
import { expireCheckout } from './expire-checkout';

type Change = (events: EventPorts) => Partial<EventPorts>;

/** A checkout whose session has expired at the provider, and reads of its records. */
async function open(expires = true) {
  const stage = await beginCheckout();
  const { world, events, sessionId } = stage;
  if (expires) world.provider.expireCheckout(sessionId);
  const expire = (change: Change = () => ({})) => expireCheckout({ ...events, ...change(events) }, expired(sessionId));
  return { ...stage, expire, operation: () => world.operations()[0]! };
}

describe('the event of an expired session', () => {
  it('ends the checkout, and tells a repeated event that it has ended', async () => {
    const { expire, operation } = await open();
    expect(await expire()).toEqual(handled);
    expect(operation()).toMatchObject({ status: 'failed', error: { code: 'retry_window_expired' } });
    expect(await expire()).toEqual(skipped('the checkout is failed already'));
  });

  it('ends nothing while the provider has the session open', async () => {
    const { expire, operation } = await open(false);
    const before = operation();
    expect(await expire()).toEqual(failedWith('the session is open at the provider'));
    expect(operation()).toEqual(before);
  });

  it.each<[string, Change, ReturnType<typeof failedWith>]>([
    [
      'this process is at work on the session',
      ({ work }) => ({ work: { ...work, find: (key) => ({ key, since: new Date(0) }) } }),
      busyWith('another callback is at work on this session'),
    ],
    [
      'another callback was admitted',
      overtaken('operations', onlyThe(1)),
      busyWith('another callback was admitted for this session'),
    ],
    [
      'its attempt may not be admitted',
      losing('operations'),
      notKnown('it is not known whether this callback was admitted (the answer was lost)'),
    ],
    [
      'its end could not be recorded',
      losing('operations', fromThe(2)),
      notKnown('the end of the checkout could not be recorded'),
    ],
  ])('leaves the hold on the workspace when %s', async (_case, change, outcome) => {
    const { expire, operation, world } = await open();
    expect(await expire(change)).toEqual(outcome);
    expect(operation().status).not.toBe('failed');
    expect(world.subscription()).toMatchObject({ transition: { kind: 'checkout' } });
  });
});

describe('the round of open checkouts', () => {
  it('reads no session before its date', async () => {
    const { world, events, expire } = await open(false);
    const provider = { ...world.provider, retrieveCheckoutSession: () => Promise.reject(new Error('it is not read')) };
    expect(await endWaitingCheckouts({ ...events, provider })).toBe(0);
    await expect(expire(() => ({ provider }))).rejects.toThrow('it is not read');
  });

  it('reads the session at the very instant of its date', async () => {
    const { world, events } = await open();
    const { checkout } = world.operations()[0] as { readonly checkout?: { readonly expiresAt: Date } };
    expect(await endWaitingCheckouts({ ...events, databaseNow: async () => checkout!.expiresAt })).toBe(1);
  });

  it('ends nothing once the process stops', async () => {
    const { world, events, operation } = await open();
    world.clock.advance(2 * 86_400_000);
    expect(await endWaitingCheckouts(events, () => true)).toBe(0);
    expect(operation()).toMatchObject({ status: 'awaiting_receipts' });
  });

  it('counts a checkout that it completed', async () => {
    const { world, events, sessionId } = await open(false);
    const unread = async () => ({ outcome: 'unknown', reason: 'no answer', phase: 'bytes_written' }) as const;
    world.provider.completeCheckout(sessionId);
    const { operations } = events;
    const [current] = world.operations();
    await operations.mutate(current!, {
      ...current!,
      checkout: { ...(current as { checkout: object }).checkout, waitsFor: 'provider' },
    } as never);
    expect(
      await endWaitingCheckouts({ ...events, provider: { ...world.provider, retrieveSubscription: unread } }),
    ).toBe(0);
    expect(await endWaitingCheckouts(events)).toBe(1);
    expect(await receipts(world)).toHaveLength(1);
    expect(await endWaitingCheckouts(events)).toBe(0);
  });

  it('reads no workspace without a checkout', async () => {
    const { world, events } = await open();
    world.clock.advance(2 * 86_400_000);
    const read: string[] = [];
    const find: EventPorts['subscriptions']['find'] = async (...query) => {
      const page = await events.subscriptions.find(...query);
      read.push(...page.map(({ _id }) => _id));
      return page;
    };
    const counted = { ...events, subscriptions: { ...events.subscriptions, find } };
    expect([await endWaitingCheckouts(counted), await endWaitingCheckouts(counted)]).toEqual([1, 0]);
    expect(read).toEqual(['acme']);
  });

  it('counts no checkout whose record is gone when it is read again', async () => {
    const { world, events } = await open();
    world.clock.advance(2 * 86_400_000);
    const found = [world.operations()[0]!];
    const operations = { ...events.operations, findById: async () => found.shift() ?? null };
    expect(await endWaitingCheckouts({ ...events, operations })).toBe(0);
    expect(world.store.quarantined()).toEqual([]);
  });

  it('passes over a workspace whose checkout has no record, or none that waits', async () => {
    const { world, events } = await open();
    world.clock.advance(2 * 86_400_000);
    for (const found of [
      null,
      { ...world.operations()[0]!, status: 'running' },
      { ...world.operations()[0]!, checkout: undefined },
    ]) {
      const operations = { ...events.operations, findById: async () => found as never };
      expect(await endWaitingCheckouts({ ...events, operations })).toBe(0);
    }
    expect(world.store.quarantined()).toEqual([]);
  });
});

describe('the end of a session by an operator', () => {
  const ended = { _id: 'op-expire-0001', tenantId: 'acme' };

  /** What follows the operation that ended the session, and what it says. */
  async function follow(change: Change = () => ({}), checkpoint?: Readonly<Record<string, string>>) {
    const stage = await open();
    const { events, sessionId } = stage;
    const said: [string, object][] = [];
    const log = {
      ...silentLog,
      info: (fields: object) => void said.push(['info', fields]),
      warn: (fields: object) => void said.push(['warn', fields]),
    };
    const operation = { ...ended, checkpoint: checkpoint ?? { sessionId } } as unknown as SucceededOperation;
    await endCheckoutAtOnce(events.receipts)({ ...events, log, ...change(events) }, operation);
    const about = { operationId: 'op-expire-0001', tenantId: 'acme', sessionId };
    return { ...stage, about, said: said.filter(([, fields]) => 'sessionId' in fields) };
  }

  it('ends the checkout at once, and the log has its outcome', async () => {
    const { operation, said, about } = await follow();
    expect(operation()).toMatchObject({ status: 'failed' });
    expect(said).toEqual([['info', { ...about, outcome: 'success' }]]);
  });

  it.each<Readonly<Record<string, string>>>([{}, { sessionId: 'cs_other' }])(
    'that is named %j ends no checkout and says nothing',
    async (checkpoint) => {
      const { operation, said } = await follow(undefined, checkpoint);
      expect(operation()).toMatchObject({ status: 'awaiting_receipts' });
      expect(said).toEqual([]);
    },
  );

  it.each<[string, Change]>([
    ['is gone', ({ subscriptions }) => ({ subscriptions: { ...subscriptions, findById: async () => null } })],
    ['has no checkout', without('checkout')],
    ['has no transition', without('transition')],
  ])('ends no checkout and says nothing when the workspace %s', async (_case, change) => {
    const { operation, said } = await follow(change);
    expect(operation()).toMatchObject({ status: 'awaiting_receipts' });
    expect(said).toEqual([]);
  });

  it('without a session says nothing about a workspace without a checkout', async () => {
    expect((await follow(without('checkout'), {})).said).toEqual([]);
  });

  it('leaves the checkout to the round when the store cannot be asked, and says so', async () => {
    const error = new StoreUnavailableError('away');
    const away: Change = ({ subscriptions }) => ({
      subscriptions: { ...subscriptions, findById: () => Promise.reject(error) },
    });
    const { operation, said, about } = await follow(away);
    expect(operation()).toMatchObject({ status: 'awaiting_receipts' });
    expect(said).toEqual([['warn', { ...about, err: error }]]);
  });
});

/** The workspace without one of its fields. */
function without(field: 'checkout' | 'transition'): Change {
  return ({ subscriptions }) => ({
    subscriptions: {
      ...subscriptions,
      findById: async (id) => {
        const { [field]: _gone, ...rest } = (await subscriptions.findById(id))!;
        return rest;
      },
    },
  });
}
