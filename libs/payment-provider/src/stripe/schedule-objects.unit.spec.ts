import { decodePrice, decodeSchedule } from './schedule-objects';

const [start, end] = [1_772_366_400, 1_775_044_800];
const [startDate, endDate] = [new Date('2026-03-01T12:00:00.000Z'), new Date('2026-04-01T12:00:00.000Z')];

const scheduleOf = (phase: Record<string, unknown>) => ({
  id: 'sub_sched_a',
  status: 'active',
  subscription: 'sub_a',
  phases: [{ start_date: start, end_date: end, ...phase }],
});
const settingsOf = (phase: Record<string, unknown>): unknown => decodeSchedule(scheduleOf(phase))?.phases[0]?.settings;

describe('a schedule', () => {
  const answer = scheduleOf({ items: [{ price: 'price_pro' }] });
  const read = {
    id: 'sub_sched_a',
    status: 'active',
    subscriptionId: 'sub_a',
    phases: [{ startDate, endDate, priceId: 'price_pro', settings: { items: [{ price: 'price_pro' }] } }],
    runningSince: null,
    metadata: {},
  };

  it('is read with its phases, its running phase and the operation that it names', () => {
    expect(
      decodeSchedule({ ...answer, current_phase: { start_date: start }, metadata: { operationId: 'op-1' } }),
    ).toEqual({ ...read, runningSince: startDate, metadata: { operationId: 'op-1' } });
  });

  it('has no subscription once released, and no running phase before it begins', () => {
    const released = { ...answer, status: 'released', subscription: null, current_phase: null, metadata: null };
    expect(decodeSchedule(released)).toEqual({ ...read, status: 'released', subscriptionId: null });
    expect(decodeSchedule({ ...answer, status: 'not_started' })).toEqual({ ...read, status: 'not_started' });
  });

  it.each([
    ['has a phase without a price', scheduleOf({ items: [] })],
    ['has a phase that does not end', scheduleOf({ items: [{ price: 'price_pro' }], end_date: null })],
    ['is null', null],
  ])('is not what %s', (_name, other) => {
    expect(decodeSchedule(other)).toBeUndefined();
  });
});

describe('a phase of a schedule', () => {
  it('is read in the notation of a request with everything that it has', () => {
    const items = [
      {
        price: 'price_pro',
        quantity: 3,
        tax_rates: ['txr_item'],
        discounts: [{ discount: 'di_item' }],
        metadata: { seats: 'team' },
        billing_thresholds: { usage_gte: 5 },
      },
      { price: 'price_extra', quantity: 0 },
    ];
    const settings = {
      application_fee_percent: 2.5,
      automatic_tax: { enabled: false, liability: { type: 'account', account: 'acct_a' } },
      billing_cycle_anchor: 'phase_start',
      billing_thresholds: { amount_gte: 9_000, reset_billing_cycle_anchor: false },
      collection_method: 'send_invoice',
      default_payment_method: 'pm_a',
      default_tax_rates: ['txr_a'],
      description: 'first year',
      discounts: [{ coupon: 'co_a' }],
      invoice_settings: {
        account_tax_ids: ['txi_a'],
        custom_fields: [{ name: 'order', value: 'A-1' }],
        days_until_due: 0,
        description: 'thanks',
        footer: 'bye',
        issuer: { type: 'account', account: 'acct_a' },
      },
      metadata: { contract: 'C-1' },
      on_behalf_of: 'acct_a',
      proration_behavior: 'none',
      transfer_data: { amount_percent: 10, destination: 'acct_b' },
      trial_end: end,
    };
    expect(settingsOf({ items, ...settings })).toStrictEqual({ items, ...settings });
  });

  it('is read without what the provider shows as empty, which a request leaves out', () => {
    const emptyItem = {
      price: { id: 'price_pro', object: 'price' },
      quantity: null,
      tax_rates: null,
      discounts: [],
      metadata: {},
      billing_thresholds: null,
    };
    const none = {
      application_fee_percent: null,
      automatic_tax: null,
      billing_cycle_anchor: null,
      billing_thresholds: null,
      collection_method: null,
      default_payment_method: null,
      default_tax_rates: [],
      description: null,
      discounts: null,
      invoice_settings: null,
      metadata: null,
      on_behalf_of: null,
      proration_behavior: null,
      transfer_data: null,
      trial_end: null,
    };
    expect(settingsOf({ items: [emptyItem], ...none })).toStrictEqual({ items: [{ price: 'price_pro' }] });
  });

  it('is read without what is empty inside of its settings', () => {
    const inside = {
      automatic_tax: { enabled: true },
      billing_thresholds: { amount_gte: 9_000, reset_billing_cycle_anchor: null },
      invoice_settings: { account_tax_ids: null, custom_fields: [], days_until_due: 14, footer: null, issuer: null },
      transfer_data: { amount_percent: null, destination: { id: 'acct_b' } },
    };
    expect(settingsOf({ items: [{ price: 'price_pro' }], ...inside })).toStrictEqual({
      items: [{ price: 'price_pro' }],
      automatic_tax: { enabled: true },
      billing_thresholds: { amount_gte: 9_000 },
      invoice_settings: { days_until_due: 14 },
      transfer_data: { destination: 'acct_b' },
    });
    const self = { type: 'self', account: null };
    expect(
      settingsOf({
        items: [{ price: 'price_pro' }],
        automatic_tax: { enabled: true, liability: self },
        invoice_settings: { issuer: self },
      }),
    ).toStrictEqual({
      items: [{ price: 'price_pro' }],
      automatic_tax: { enabled: true, liability: { type: 'self' } },
      invoice_settings: { issuer: { type: 'self' } },
    });
  });

  it('has an existing discount as itself, so that its coupon is not redeemed again', () => {
    const discounts = [
      { coupon: 'co_a', discount: { id: 'di_a' }, promotion_code: 'promo_a' },
      { coupon: 'co_a', discount: null, promotion_code: 'promo_a' },
      { coupon: { id: 'co_a' }, discount: null, promotion_code: null },
      { coupon: null },
    ];
    expect(settingsOf({ items: [{ price: 'price_pro' }], discounts })).toStrictEqual({
      items: [{ price: 'price_pro' }],
      discounts: [{ discount: 'di_a' }, { promotion_code: 'promo_a' }, { coupon: 'co_a' }, { coupon: '' }],
    });
  });
});

describe('a recurring price', () => {
  const answer = {
    id: 'price_pro',
    currency: 'usd',
    unit_amount: 4_900,
    active: true,
    recurring: { interval: 'month', interval_count: 3 },
  };
  const interval = { interval: 'month', intervalCount: 3 };
  const read = { id: 'price_pro', unitAmount: 4_900, currency: 'usd', ...interval, active: true };

  it('is read with its amount, and without one where it has no single amount', () => {
    expect(decodePrice(answer)).toEqual(read);
    expect(decodePrice({ ...answer, unit_amount: 0 })).toEqual({ ...read, unitAmount: 0 });
    expect(decodePrice({ ...answer, unit_amount: null })).toEqual({ ...read, unitAmount: null });
  });

  it('is not one that is paid once', () => {
    expect(decodePrice({ ...answer, recurring: null })).toBeUndefined();
  });
});
