import { createManualClock, createSequentialIds } from '@platform/kernel';
import { classify } from '../outcome-taxonomy';
import { createFakeProvider } from './fake-provider';
import { providerFaults } from './provider-faults';

function open() {
  const clock = createManualClock();
  const provider = createFakeProvider({ clock, ids: createSequentialIds() });
  provider.seed({
    customers: [{ id: 'cus_a' }],
    subscriptions: [{ id: 'sub_a', customerId: 'cus_a' }],
    priceIds: ['price_pro'],
  });
  const credit = (operationId: string) =>
    provider.prepare(
      { operationId },
      { step: 'balance_credit', customerId: 'cus_a', amountCents: 500, currency: 'usd', description: 'goodwill' },
    );
  return { clock, provider, credit };
}

describe('the fake payment provider', () => {
  it.each(providerFaults.map((fault) => [fault.kind, fault] as const))(
    'answers %s as its row says and does the effect only when the row says so',
    async (kind, fault) => {
      const { provider, credit } = open();
      provider.failNext(kind);
      const answer = await credit('op-1').send();
      expect(classify(fault.exchange).id).toBe(fault.row);
      expect(answer.outcome).toBe(fault.outcome);
      if (answer.outcome === 'failed') expect(answer.code).toBe(fault.code);
      expect(answer.evidence.phase).toBe(fault.exchange.phase);
      expect(provider.ledger()).toHaveLength(fault.effect === 'done' ? 1 : 0);
    },
  );

  it.each(providerFaults.map((fault) => [fault.kind, fault] as const))(
    'never does an effect twice when the same call follows %s',
    async (kind) => {
      const { provider, credit } = open();
      provider.failNext(kind);
      await credit('op-1').send();
      await credit('op-1').send();
      await credit('op-1').send();
      expect(provider.ledger().length).toBeLessThanOrEqual(1);
    },
  );

  it('replays the first answer of a key, refusals of cards and server errors included', async () => {
    const { provider, credit } = open();
    for (const kind of ['card_declined', 'server_error'] as const) {
      provider.failNext(kind);
      const first = await credit(kind).send();
      expect(await credit(kind).send()).toEqual(first);
    }
    expect(provider.ledger()).toHaveLength(0);
  });

  it('forgets a key after 24 hours', async () => {
    const { clock, provider, credit } = open();
    await credit('op-1').send();
    clock.advance(24 * 60 * 60 * 1000);
    await credit('op-1').send();
    expect(provider.ledger()).toHaveLength(2);
  });

  it('uses faults up in order and only for the sends that they match', async () => {
    const { provider, credit } = open();
    provider.failNext('rate_limited', { operationId: 'op-2' });
    provider.failNext('server_error', { operationId: 'op-2' });
    expect((await credit('op-1').send()).outcome).toBe('succeeded');
    expect((await credit('op-2').send()).outcome).toBe('failed');
    expect((await credit('op-2').send()).outcome).toBe('unknown');
    expect(provider.sends().map((send) => send.fault)).toEqual([undefined, 'rate_limited', 'server_error']);
  });

  it('refuses connections and leaves reads unanswered while it is down', async () => {
    const { provider, credit } = open();
    provider.setDown(true);
    expect(await credit('op-1').send()).toMatchObject({
      outcome: 'failed',
      code: 'provider_unavailable',
      evidence: { phase: 'not_connected' },
    });
    expect((await provider.retrieveCustomer('cus_a')).outcome).toBe('unknown');
    provider.setDown(false);
    expect((await credit('op-1').send()).outcome).toBe('succeeded');
  });
});
