import { redactObject } from './redact-object';

describe('what is stored of an object of the provider', () => {
  it('are its ids and states, and no name, amount, address or card', () => {
    expect(
      redactObject({
        id: 'sub_1',
        object: 'subscription',
        status: 'active',
        customer: 'cus_1',
        subscription: 'sub_2',
        invoice: 'in_1',
        billing_reason: 'subscription_cycle',
        metadata: { tenantId: 'acme', operationId: 'op-1', provisioningAttempt: 'att:1', note: 'of a person' },
        amount_paid: 1_900,
        customer_email: 'ada@example.com',
        payment_method_details: { card: { last4: '4242' } },
      }),
    ).toStrictEqual({
      id: 'sub_1',
      object: 'subscription',
      status: 'active',
      customer: 'cus_1',
      subscription: 'sub_2',
      invoice: 'in_1',
      billing_reason: 'subscription_cycle',
      metadata: { tenantId: 'acme', operationId: 'op-1', provisioningAttempt: 'att:1' },
    });
  });

  it.each(['customer', 'subscription', 'invoice'])('is the id of a %s that the provider has expanded', (name) => {
    expect(redactObject({ [name]: { id: 'x_1', email: 'ada@example.com' } })).toStrictEqual({ [name]: 'x_1' });
  });

  it('is the subscription that an invoice names in its parent, with its metadata below those of the invoice', () => {
    const details = { subscription: 'sub_1', metadata: { tenantId: 'acme', operationId: 'op-1' } };
    const parent = { subscription_details: details };
    expect(redactObject({ parent, metadata: { operationId: 'op-2' } })).toStrictEqual({
      subscription: 'sub_1',
      metadata: { tenantId: 'acme', operationId: 'op-2' },
    });
    expect(redactObject({ parent, subscription: 'sub_2' })).toMatchObject({ subscription: 'sub_2' });
  });

  it.each([
    ['a number', 7],
    ['nothing', null],
    ['an empty text', ''],
    ['more than one word', 'ada lovelace'],
    ['a sign before the word', '<b'],
    ['a sign after the word', 'b>'],
    ['a list', ['cus_1']],
    ['more than 200 characters', 'x'.repeat(201)],
  ])('is no member that holds %s', (_what, value) => {
    expect(redactObject({ id: value, customer: value, metadata: { tenantId: value } })).toStrictEqual({});
    expect(redactObject({ metadata: value, parent: value, subscription: { id: value } })).toStrictEqual({});
  });

  it('is an id of up to 200 characters, and 100 of a state', () => {
    const long = 'x'.repeat(200);
    const short = 'x'.repeat(100);
    expect(redactObject({ id: long, object: long, status: long, billing_reason: long })).toStrictEqual({
      ...{ id: long, object: short, status: short, billing_reason: short },
    });
  });
});
