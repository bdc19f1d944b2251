import { emailDigest } from '../email-digest';
import {
  decodeBalanceTransaction,
  decodeCustomer,
  decodeError,
  decodeEvent,
  decodeListedCustomer,
  decodePage,
  decodeSubscription,
} from './provider-objects';

const seconds = 1_772_366_400;
const instant = new Date('2026-03-01T12:00:00.000Z');

describe('a subscription', () => {
  const bare = {
    id: 'sub_a',
    customer: 'cus_a',
    status: 'active',
    cancel_at_period_end: false,
    items: { data: [{ id: 'si_a', price: { id: 'price_pro' } }] },
  };
  const read = {
    id: 'sub_a',
    customerId: 'cus_a',
    status: 'active',
    collectionPaused: false,
    cancelAtPeriodEnd: false,
    itemId: 'si_a',
    priceId: 'price_pro',
    quantity: 1,
    currentPeriodEnd: null,
    scheduleId: null,
    metadata: {},
  };
  const pending = { expires_at: seconds, subscription_items: [{ price: { id: 'price_max' } }] };

  it('has one unit, and neither a schedule, a waiting change nor metadata, where the provider names none', () => {
    expect(decodeSubscription(bare)).toEqual(read);
    expect(decodeSubscription({ ...bare, pause_collection: null, schedule: null, pending_update: null })).toEqual(read);
  });

  it('ends on a date where the provider names one', () => {
    expect(decodeSubscription({ ...bare, cancel_at: null })).toEqual(read);
    expect(decodeSubscription({ ...bare, cancel_at: seconds })).toEqual({ ...read, cancelsAt: instant });
  });

  it('is read with everything that the provider names', () => {
    expect(
      decodeSubscription({
        ...bare,
        customer: { id: 'cus_a', object: 'customer' },
        status: 'past_due',
        pause_collection: { behavior: 'void' },
        cancel_at_period_end: true,
        schedule: { id: 'sub_sched_a' },
        items: {
          data: [
            { id: 'si_a', price: { id: 'price_pro' }, quantity: 3, current_period_end: seconds },
            { id: 'si_b', price: { id: 'price_extra' } },
          ],
        },
        pending_update: pending,
        metadata: { operationId: 'op-1' },
      }),
    ).toEqual({
      ...read,
      status: 'past_due',
      collectionPaused: true,
      cancelAtPeriodEnd: true,
      quantity: 3,
      currentPeriodEnd: instant,
      otherItems: [{ itemId: 'si_b', priceId: 'price_extra', quantity: 1, currentPeriodEnd: null }],
      scheduleId: 'sub_sched_a',
      pendingUpdate: { priceId: 'price_max', expiresAt: instant },
      metadata: { operationId: 'op-1' },
    });
  });

  it.each([
    ['names no items', null],
    ['has no items', []],
  ])('waits for a change of unknown price when the change %s', (_name, items) => {
    expect(decodeSubscription({ ...bare, pending_update: { ...pending, subscription_items: items } })).toEqual({
      ...read,
      pendingUpdate: { priceId: null, expiresAt: instant },
    });
  });

  it.each([
    ['has no item', { ...bare, items: { data: [] } }],
    ['has a status that the platform does not know', { ...bare, status: 'resting' }],
    ['has an empty id', { ...bare, id: '' }],
    ['does not say whether it ends', { ...bare, cancel_at_period_end: undefined }],
    ['is null', null],
  ])('is not what %s', (_name, answer) => {
    expect(decodeSubscription(answer)).toBeUndefined();
  });
});

describe('a customer', () => {
  const found = { id: 'cus_a', currency: 'usd', balance: -500, metadata: { operationId: 'op-1' }, email: 'a@b.test' };
  const { email, ...plain } = found;
  const read = { ...plain, deleted: false, emailDigest: emailDigest(email) };

  it('is read with its balance and its metadata, and with a digest of its address', () => {
    expect(decodeCustomer(found)).toEqual(read);
    expect(decodeCustomer({ ...found, email: ' A@b.Test' })).toEqual(read);
    expect(JSON.stringify(read)).not.toContain('b.test');
  });

  it('has no currency before its first invoice', () => {
    expect(decodeCustomer({ id: 'cus_a', balance: 0 })).toEqual({
      id: 'cus_a',
      deleted: false,
      currency: null,
      balance: 0,
      metadata: {},
    });
    expect(decodeCustomer({ ...found, currency: null })).toEqual({ ...read, currency: null });
  });

  it('is read as deleted, without what it had', () => {
    expect(decodeCustomer({ id: 'cus_a', object: 'customer', deleted: true })).toEqual({
      id: 'cus_a',
      deleted: true,
      currency: null,
      balance: 0,
      metadata: {},
    });
  });

  it('has the time of its creation in a list, and is no entry of one without it', () => {
    expect(decodeListedCustomer({ ...found, created: seconds })).toEqual({ ...read, createdAt: instant });
    expect(decodeListedCustomer(found)).toBeUndefined();
    expect(decodeListedCustomer({ id: 'cus_a', created: seconds })).toBeUndefined();
  });
});

describe('a balance transaction', () => {
  const answer = {
    id: 'cbtxn_1',
    customer: 'cus_a',
    amount: -500,
    currency: 'usd',
    ending_balance: -700,
    created: seconds,
    type: 'applied_to_invoice',
    metadata: { operationId: 'op-1' },
  };
  const read = {
    id: 'cbtxn_1',
    customerId: 'cus_a',
    amount: -500,
    currency: 'usd',
    endingBalance: -700,
    createdAt: instant,
    type: 'applied_to_invoice',
    metadata: { operationId: 'op-1' },
  };

  it('is read with amount, balance, time and type', () => {
    expect(decodeBalanceTransaction(answer)).toEqual(read);
  });

  it('is an adjustment where the provider names no type', () => {
    expect(decodeBalanceTransaction({ ...answer, type: undefined })).toEqual({ ...read, type: 'adjustment' });
  });

  it('is not what has no amount', () => {
    expect(decodeBalanceTransaction({ ...answer, amount: undefined })).toBeUndefined();
  });
});

describe('an event', () => {
  const about = (object: Record<string, unknown>) => ({ id: 'evt_1', type: 'x', created: seconds, data: { object } });
  const read = { id: 'evt_1', type: 'x', createdAt: instant };

  it.each([
    ['is', { id: 'cus_a', object: 'customer', customer: 'cus_other' }, 'cus_a'],
    ['belongs to', { id: 'sub_a', object: 'subscription', customer: 'cus_a' }, 'cus_a'],
    ['belongs to, when it is expanded', { object: 'invoice', customer: { id: 'cus_a' } }, 'cus_a'],
    ['does not name', { id: 'price_a', object: 'price' }, null],
    ['is not named as, without an id', { object: 'customer' }, null],
  ])('names the customer that its object %s', (_name, object, customerId) => {
    expect(decodeEvent(about(object))).toEqual({ ...read, customerId });
  });

  it('is not what has no object', () => {
    expect(decodeEvent({ id: 'evt_1', type: 'x', created: seconds, data: {} })).toBeUndefined();
  });
});

describe('a page of a list', () => {
  const decodeEntry = (entry: unknown) => (typeof entry === 'number' ? entry * 10 : undefined);

  it('has its entries in their order, and says whether more follow', () => {
    expect(decodePage({ data: [1, 2], has_more: true }, decodeEntry)).toEqual({ entries: [10, 20], more: true });
    expect(decodePage({ data: [], has_more: false }, decodeEntry)).toEqual({ entries: [], more: false });
  });

  it.each([
    ['holds an entry of another kind', { data: [1, 'two'], has_more: false }],
    ['does not say whether more follow', { data: [1] }],
    ['is no list', { id: 'cus_a' }],
  ])('is none when it %s', (_name, answer) => {
    expect(decodePage(answer, decodeEntry)).toBeUndefined();
  });
});

describe('an error of the provider', () => {
  const body = (error: unknown) => JSON.stringify({ error });
  const refused = { type: 'card_error', code: 'card_declined', decline_code: 'lost_card', param: 'items[0][price]' };

  it('is its type, codes and parameter, without its texts', () => {
    expect(decodeError(body({ ...refused, message: 'card 4000056655665556' }))).toEqual({
      type: 'card_error',
      code: 'card_declined',
      declineCode: 'lost_card',
      param: 'items[0][price]',
    });
  });

  it('has no more than its type where the provider names no more', () => {
    expect(decodeError(body({ type: 'api_error' }))).toStrictEqual({ type: 'api_error' });
    expect(decodeError(body({ type: 'api_error', code: null, decline_code: null, param: null }))).toStrictEqual({
      type: 'api_error',
    });
  });

  it('keeps no word that may be a text, at neither end', () => {
    const texts = { code: 'see the card', decline_code: ' lost', param: 'x'.repeat(65) };
    expect(decodeError(body({ ...refused, ...texts }))).toStrictEqual({ type: 'card_error' });
    expect(decodeError(body({ ...refused, decline_code: 'lost ' }))).not.toHaveProperty('declineCode');
    expect(decodeError(body({ ...refused, param: 'x'.repeat(64) }))).toMatchObject({ param: 'x'.repeat(64) });
  });

  it.each([
    ['whose type may be a text', body({ type: 'a card error' })],
    ['without a type', body({ code: 'card_declined' })],
    ['that is no object', body('card_error')],
    ['of an object', JSON.stringify({ id: 'cus_a' })],
    ['that is no JSON', '<html>'],
    ['that was not read', undefined],
  ])('is none in a body %s', (_name, text) => {
    expect(decodeError(text)).toBeUndefined();
  });
});
