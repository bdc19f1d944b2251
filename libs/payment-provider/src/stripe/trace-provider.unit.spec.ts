import { createManualClock, createSequentialIds, noTracing, type Tracing } from '@platform/kernel';
import { createFakeProvider } from '../testing';
import { traceProvider } from './trace-provider';

describe('a traced provider', () => {
  const open = () => {
    const noted: [string, unknown][] = [];
    const tracing: Tracing = {
      ...noTracing,
      recording: true,
      step: (step, work) =>
        work({ traceparent: undefined, note: (attributes) => void noted.push([step.name, attributes]) }),
    };
    const fake = createFakeProvider({ clock: createManualClock(), ids: createSequentialIds() });
    fake.seed({ priceIds: [], customers: [{ id: 'cus_acme', currency: 'usd' }], subscriptions: [] });
    const provider = traceProvider({ ...fake, close: () => undefined }, tracing);
    return { provider, noted };
  };

  it('makes a step of a call when it is sent, not when it is prepared, and answers the same', async () => {
    const { provider, noted } = open();
    const call = provider.prepare(
      { operationId: 'op-1' },
      { step: 'balance_credit', customerId: 'cus_acme', amountCents: 100, currency: 'usd', description: 'Goodwill' },
    );
    expect(noted).toEqual([]);
    expect(await call.send()).toMatchObject({ outcome: 'succeeded', value: { amount: -100 } });
    expect(noted).toEqual([
      [
        'provider balance_credit',
        expect.objectContaining({ 'platform.outcome': 'succeeded', 'platform.step': 'balance_credit' }),
      ],
    ]);
  });

  it('makes a step of a read', async () => {
    const { provider, noted } = open();
    expect(await provider.retrieveCustomer('cus_absent')).toMatchObject({ outcome: 'failed', code: 'not_found' });
    expect(noted).toEqual([['provider retrieveCustomer', { 'platform.outcome': 'failed' }]]);
  });

  it('makes a step of a preview, which changes nothing either', async () => {
    const { provider, noted } = open();
    const change = { subscriptionId: 'sub_absent', itemId: 'si_absent', priceId: 'price_pro' };
    expect(await provider.previewPriceChange(change)).toMatchObject({ outcome: 'failed', code: 'not_found' });
    expect(noted).toEqual([['provider previewPriceChange', { 'platform.outcome': 'failed' }]]);
  });
});
