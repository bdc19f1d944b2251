/** How every payment provider handles a price that is scheduled for later; part of the suite behind the port. */
import { newIntent, valueOf, type Opened } from './payment-provider.harness';

const monthly = { interval: 'month', intervalCount: 1 } as const;

export function scheduleFeatures(opened: Opened): void {
  it('schedules another price for the end of the period, and lets it go again', async () => {
    const { provider, addWorkspace, priceIds } = opened();
    const { subscriptionId, customerId } = await addWorkspace();
    const made = await valueOf(provider.prepare(newIntent(), { step: 'create_schedule', subscriptionId }));
    expect(made).toMatchObject({ status: 'active', subscriptionId, phases: [{ priceId: priceIds.starter }] });
    const intent = newIntent();
    const scheduled = await valueOf(
      provider.prepare(intent, {
        step: 'schedule_price',
        scheduleId: made.id,
        current: made.phases[0]!,
        priceId: priceIds.pro,
        ...monthly,
      }),
    );
    expect(scheduled).toMatchObject({
      id: made.id,
      metadata: { ...intent, step: 'schedule_price' },
      phases: [
        { priceId: priceIds.starter, endDate: made.phases[0]!.endDate },
        { priceId: priceIds.pro, startDate: made.phases[0]!.endDate },
      ],
    });
    expect(await provider.retrieveSubscription(subscriptionId)).toMatchObject({
      value: { scheduleId: made.id, priceId: priceIds.starter },
    });
    expect(await provider.listSchedules(customerId)).toMatchObject({ outcome: 'succeeded', value: [{ id: made.id }] });
    expect(
      await valueOf(provider.prepare(newIntent(), { step: 'release_schedule', scheduleId: made.id })),
    ).toMatchObject({
      status: 'released',
      subscriptionId: null,
    });
    expect(await provider.retrieveSubscription(subscriptionId)).toMatchObject({
      value: { scheduleId: null, priceId: priceIds.starter },
    });
  });

  it('refuses a second schedule, an unknown price, and a direct end of a managed subscription', async () => {
    const { provider, addWorkspace } = opened();
    const { subscriptionId } = await addWorkspace();
    const made = await valueOf(provider.prepare(newIntent(), { step: 'create_schedule', subscriptionId }));
    const refused = { outcome: 'failed', code: 'provider_refused' };
    expect(await provider.prepare(newIntent(), { step: 'create_schedule', subscriptionId }).send()).toMatchObject(
      refused,
    );
    expect(
      await provider
        .prepare(newIntent(), {
          step: 'schedule_price',
          scheduleId: made.id,
          current: made.phases[0]!,
          priceId: 'price_absent',
          ...monthly,
        })
        .send(),
    ).toMatchObject(refused);
    expect(await provider.prepare(newIntent(), { step: 'cancel_at_period_end', subscriptionId }).send()).toMatchObject(
      refused,
    );
    await valueOf(provider.prepare(newIntent(), { step: 'release_schedule', scheduleId: made.id }));
    expect(await provider.prepare(newIntent(), { step: 'release_schedule', scheduleId: made.id }).send()).toMatchObject(
      refused,
    );
  });
}
