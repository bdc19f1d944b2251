/** The messages that every provider sends to the platform: signed events; part of the suite behind the port. */
import { newIntent, valueOf, type Opened } from './payment-provider.harness';
import { verifyWebhook } from './verify-webhook';

const toleranceSeconds = 300;

export function webhookFeatures(opened: Opened): void {
  it('announces a change with a signature that holds, and not for another secret or other bytes', async () => {
    const { provider, addWorkspace, nextEvent } = opened();
    const { subscriptionId } = await addWorkspace();
    const arrives = nextEvent!(
      'customer.subscription.updated',
      (object) => object['id'] === subscriptionId && object['cancel_at_period_end'] === true,
    );
    await valueOf(provider.prepare(newIntent(), { step: 'cancel_at_period_end', subscriptionId }));
    const { payload, signature, secret } = await arrives;
    const verify = (body: Buffer, key: string) => verifyWebhook(body, signature, [key], toleranceSeconds, new Date());
    expect(verify(payload, secret)).toMatchObject({
      ok: true,
      value: { type: 'customer.subscription.updated', object: { id: subscriptionId, cancel_at_period_end: true } },
    });
    expect(verify(payload, `${secret}x`)).toMatchObject({ ok: false, error: { code: 'no_matching_signature' } });
    expect(verify(Buffer.concat([payload, Buffer.from(' ')]), secret)).toMatchObject({
      ok: false,
      error: { code: 'no_matching_signature' },
    });
  });
}
