import fc from 'fast-check';
import type { PreparedCall } from './port';
import { answers, startScriptedServer } from './spec-support/scripted-server';
import { createStripeProvider } from './stripe/stripe-provider';

describe('the encoded body', () => {
  it('is byte for byte what the SDK writes, whatever the texts hold', async () => {
    const server = await startScriptedServer();
    server.script = answers.json(404, { error: { type: 'invalid_request_error' } });
    const provider = createStripeProvider({ secretKey: 'sk_test_x', apiBase: server.url, timeoutMs: 5_000 });
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
        fc.integer(),
        async (description, operationId, amount) => {
          const call = provider.createBalanceTransaction(
            { operationId, step: 's', idempotencyKey: 'k' },
            { customerId: 'cus_a', amount, currency: 'usd', description },
          );
          expect((await call.send()).outcome).toBe('failed');
        },
      ),
      { numRuns: 60 },
    );
    expect(server.requests).toHaveLength(60);
    const intent = { operationId: 'o', step: 's' };
    const phase = { startDate: new Date(1_000_000), endDate: new Date(2_000_000), priceId: 'price_a' };
    const others: readonly (readonly [PreparedCall<unknown>, string])[] = [
      [
        provider.pauseCollection(intent, 'sub_a'),
        'pause_collection[behavior]=void&metadata[operationId]=o&metadata[step]=s',
      ],
      [provider.resumeCollection(intent, 'sub_a'), 'pause_collection=&metadata[operationId]=o&metadata[step]=s'],
      [
        provider.changePrice(intent, { subscriptionId: 'sub_a', itemId: 'si_a', priceId: 'price_a' }),
        'items[0][id]=si_a&items[0][price]=price_a&proration_behavior=always_invoice&payment_behavior=error_if_incomplete&metadata[operationId]=o&metadata[step]=s',
      ],
      [
        provider.cancelAtPeriodEnd(intent, 'sub_a'),
        'cancel_at_period_end=true&metadata[operationId]=o&metadata[step]=s',
      ],
      [provider.cancelNow(intent, 'sub_a'), ''],
      [provider.createSchedule(intent, 'sub_a'), 'from_subscription=sub_a'],
      [
        provider.schedulePrice(intent, { scheduleId: 'sub_sched_a', current: phase, priceId: 'price_b' }),
        'end_behavior=release&proration_behavior=none&phases[0][items][0][price]=price_a&phases[0][items][0][quantity]=1&phases[0][start_date]=1000&phases[0][end_date]=2000&phases[1][items][0][price]=price_b&phases[1][items][0][quantity]=1&phases[1][duration][interval]=month&phases[1][duration][interval_count]=1&phases[1][proration_behavior]=none&metadata[operationId]=o&metadata[step]=s',
      ],
      [provider.releaseSchedule(intent, 'sub_sched_a'), ''],
    ];
    for (const [call, body] of others) {
      expect((await call.send()).outcome).toBe('failed');
      const { method, path, body: written } = server.requests.at(-1)!;
      expect({ method, path, body: decodeURIComponent(written) }).toEqual({
        method: call.description.method,
        path: call.description.path,
        body,
      });
    }
    expect(server.requests).toHaveLength(60 + others.length);
    provider.close();
    await server.close();
  });

  it('replaces half characters, which no request can carry', () => {
    const provider = createStripeProvider({ secretKey: 'sk_test_x', apiBase: 'http://127.0.0.1:1', timeoutMs: 10 });
    const digest = (description: string) =>
      provider.createBalanceTransaction(
        { operationId: 'o', step: 's' },
        { customerId: 'cus_a', amount: 1, currency: 'usd', description },
      ).description.payloadDigest;
    expect(digest('a\ud800b')).toBe(digest('a\ufffdb'));
    expect(digest('a😀b')).not.toBe(digest('a\ufffdb'));
  });
});
