import fc from 'fast-check';
import { answers, startScriptedServer } from './spec-support/scripted-server';
import { createStripeProvider } from './stripe/stripe-provider';

describe('the encoded body', () => {
  it('is byte for byte what the SDK writes, whatever the texts hold', async () => {
    const server = await startScriptedServer();
    server.script = answers.json(404, { error: { type: 'invalid_request_error' } });
    const provider = createStripeProvider({ secretKey: 'sk_test_x', apiBase: server.url, timeoutMs: 5_000 });
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }), fc.integer(), async (description, operationId, amount) => {
        const call = provider.createBalanceTransaction({ operationId, step: 's', idempotencyKey: 'k' }, { customerId: 'cus_a', amount, currency: 'usd', description });
        expect((await call.send()).outcome).toBe('failed');
      }),
      { numRuns: 60 },
    );
    expect(server.requests).toHaveLength(60);
    const others = [
      provider.pauseCollection({ operationId: 'o', step: 's' }, 'sub_a'),
      provider.resumeCollection({ operationId: 'o', step: 's' }, 'sub_a'),
      provider.changePrice({ operationId: 'o', step: 's' }, { subscriptionId: 'sub_a', itemId: 'si_a', priceId: 'price_a' }),
    ];
    for (const call of others) expect((await call.send()).outcome).toBe('failed');
    expect(server.requests.slice(60).map(({ body }) => decodeURIComponent(body))).toEqual([
      'pause_collection[behavior]=void&metadata[operationId]=o&metadata[step]=s',
      'pause_collection=&metadata[operationId]=o&metadata[step]=s',
      'items[0][id]=si_a&items[0][price]=price_a&proration_behavior=always_invoice&payment_behavior=error_if_incomplete&metadata[operationId]=o&metadata[step]=s',
    ]);
    provider.close();
    await server.close();
  });

  it('replaces half characters, which no request can carry', () => {
    const provider = createStripeProvider({ secretKey: 'sk_test_x', apiBase: 'http://127.0.0.1:1', timeoutMs: 10 });
    const digest = (description: string) => provider.createBalanceTransaction({ operationId: 'o', step: 's' }, { customerId: 'cus_a', amount: 1, currency: 'usd', description }).description.payloadDigest;
    expect(digest('a\ud800b')).toBe(digest('a\ufffdb'));
    expect(digest('a😀b')).not.toBe(digest('a\ufffdb'));
  });
});
