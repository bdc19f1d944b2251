/**
 * What every provider keeps of a customer's contract when an effect changes something else; part of the suite behind
 * the port.
 */
import type { Effect } from './effects';
import { newIntent, valueOf, type Opened, type Workspace } from './payment-provider.harness';

const monthly = { interval: 'month', intervalCount: 1 } as const;

export function contractFeatures(opened: Opened): void {
  const signed = async () => {
    const { contracts, ...harness } = opened();
    const workspace = await contracts!.add();
    const terms = () => contracts!.terms(workspace.subscriptionId);
    return { ...harness, workspace, terms, before: await terms(), passDays: contracts!.passDays };
  };

  it('begins in its trial, with a quantity, a card of its own and metadata', async () => {
    const { before } = await signed();
    expect(before).toMatchObject({
      trialEnd: expect.any(Number) as number,
      quantity: 3,
      paymentMethodId: expect.stringMatching(/^pm_/) as string,
      metadata: { contract: 'C-1' },
    });
  });

  it.each<[string, (of: Workspace, pro: string) => readonly Effect[]]>([
    [
      'a pause of collection and its end',
      ({ subscriptionId }) => [
        { step: 'pause_collection', subscriptionId },
        { step: 'resume_collection', subscriptionId },
      ],
    ],
    [
      'another price at once',
      ({ subscriptionId, itemId }, pro) => [
        { step: 'change_price', subscriptionId, itemId, priceId: pro, quantity: 3 },
      ],
    ],
    ['an end at the end of the period', ({ subscriptionId }) => [{ step: 'cancel_at_period_end', subscriptionId }]],
  ])('keeps every term with %s', async (_what, effectsOf) => {
    const { provider, workspace, priceIds, terms, before } = await signed();
    for (const effect of effectsOf(workspace, priceIds.pro)) await valueOf(provider.prepare(newIntent(), effect));
    expect(await terms()).toEqual(before);
  });

  it('keeps every term with a price for later, and once that price is there', async () => {
    const { provider, workspace, priceIds, terms, before, passDays } = await signed();
    const { subscriptionId } = workspace;
    const made = await valueOf(provider.prepare(newIntent(), { step: 'create_schedule', subscriptionId }));
    await valueOf(
      provider.prepare(newIntent(), {
        step: 'schedule_price',
        scheduleId: made.id,
        current: made.phases[0]!,
        priceId: priceIds.pro,
        ...monthly,
      }),
    );
    expect(await terms()).toEqual(before);
    // The trial ends, and the phase with it.
    await passDays(workspace, 11);
    const { trialEnd: _past, ...kept } = before;
    expect(await terms()).toMatchObject(kept);
    expect(await provider.retrieveSubscription(subscriptionId)).toMatchObject({
      value: { priceId: priceIds.pro, status: 'active' },
    });
  });

  it('keeps every term with a price for later that is withdrawn', async () => {
    const { provider, workspace, terms, before } = await signed();
    const { subscriptionId } = workspace;
    const made = await valueOf(provider.prepare(newIntent(), { step: 'create_schedule', subscriptionId }));
    await valueOf(provider.prepare(newIntent(), { step: 'release_schedule', scheduleId: made.id }));
    expect(await terms()).toEqual(before);
  });
}
