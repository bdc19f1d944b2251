import fc from 'fast-check';
import type { EffectOf } from './effects';
import { wellFormed } from './effects/values';
import { answers, startScriptedServer } from './spec-support/scripted-server';
import { createStripeProvider } from './stripe/stripe-provider';

const credit = (description: string, amountCents: number): EffectOf<'balance_credit'> => ({
  step: 'balance_credit',
  customerId: 'cus_a',
  amountCents,
  currency: 'usd',
  description,
});

describe('the encoded body', () => {
  it('is byte for byte what the SDK writes, whatever the texts hold', async () => {
    const server = await startScriptedServer();
    server.script = answers.json(404, { error: { type: 'invalid_request_error' } });
    const provider = createStripeProvider({ secretKey: 'sk_test_x', apiBase: server.url, timeoutMs: 60_000 });
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
        async (successUrl, planId) => {
          const call = provider.prepare(
            { operationId: 'o' },
            {
              step: 'create_session',
              customerId: 'cus_a',
              priceId: 'price_a',
              tenantId: 'acme',
              planId: wellFormed(planId),
              trialDays: 0,
              successUrl: wellFormed(successUrl),
              cancelUrl: 'https://a.test',
            },
          );
          expect((await call.send()).outcome).toBe('failed');
        },
      ),
      { numRuns: 30 },
    );
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.integer(), async (description, amountCents) => {
        const call = provider.prepare({ operationId: 'o' }, credit(description, amountCents));
        expect((await call.send()).outcome).toBe('failed');
      }),
      { numRuns: 30 },
    );
    expect(server.requests).toHaveLength(60);
    provider.close();
    await server.close();
  });

  it('replaces half characters, which no request can carry', () => {
    const provider = createStripeProvider({ secretKey: 'sk_test_x', apiBase: 'http://127.0.0.1:1', timeoutMs: 10 });
    const digest = (description: string) =>
      provider.prepare({ operationId: 'o' }, credit(description, 1)).description.payloadDigest;
    expect(digest('a\ud800b')).toBe(digest('a\ufffdb'));
    expect(digest('a😀b')).not.toBe(digest('a\ufffdb'));
  });
});
