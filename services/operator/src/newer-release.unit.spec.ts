/** Records of a newer release, written by this one while services roll: what this build does not know stays in them. */
import { createManualClock, createSequentialIds } from '@platform/kernel';
import { createFakeStore } from '@platform/mongo/testing';
import { planMigrationsCollection } from './migrations/store/plan-migrations';
import { bootMigrations, createMigrationWorld, jobOf } from './migrations/testing/migration-world';
import { admitTransition } from './mirror/domain/subscription';
import { subscriptionsCollection } from './mirror/store/subscriptions';
import { runOperation } from './operations/workflows/run-operation';
import { beginCheckout, completed } from './checkout/testing/checkout-world';
import { plansCollection } from './catalogue/store/plans';
import { putPlan } from './catalogue/workflows/keep-plans';
import { exampleRequest } from './operations/testing/example-worlds';
import { judgeCreditLimit } from './operations/workflows/take-credit-part';
import { creditAllowancesCollection } from './operations/store/credit-allowances';
import { consoleSessionsCollection } from './sign-in/store/console-sessions';
import { beginSession, callerOfSession } from './sign-in/workflows/console-sessions';
import { handleProviderEvent } from './provider-events/workflows/handle-provider-event';
import { bootOperator, createOperatorWorld } from './testing/operator-world';

const newer = { ofNewerRelease: 'kept' };

describe('what a newer release keeps in a record', () => {
  it('stays in a plan that is changed here', async () => {
    const world = await createOperatorWorld();
    const plans = world.store.collection(plansCollection);
    const plan = plans.all().find(({ priceId }) => priceId !== undefined)!;
    await plans.mutate(plan, { ...plan, ...newer });
    const { amountCents, currency, priceId } = plan;
    const request = { name: 'Another name', amountCents, currency, priceId, offered: true };
    expect((await putPlan({ plans, provider: world.provider }, plan._id, request)).kind).toBe('written');
    expect(await plans.findById(plan._id)).toMatchObject({ ...request, ...newer });
  });

  it("stays in a person's credits of the day and in their parts", async () => {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1, { creditsPerDay: { support: 1_000 } });
    const allowances = world.store.collection(creditAllowancesCollection);
    const request = {
      ...exampleRequest('credit_customer'),
      values: { amountCents: 100, reason: 'outage' },
      actor: { id: 'sue', email: 'sue@platform.example' },
      role: 'support',
    } as const;
    await judgeCreditLimit(ports, request, 'starter', 1);
    const [first] = allowances.all();
    await allowances.mutate(first!, {
      ...first!,
      ...newer,
      parts: first!.parts.map((part) => ({ ...part, ...newer })),
    });
    await judgeCreditLimit(ports, request, 'starter', 2);
    expect(allowances.all()).toMatchObject([{ ...newer, parts: [{ attempt: 2, amountCents: 100, ...newer }] }]);
  });

  it('stays in a session that is used here', async () => {
    const clock = createManualClock();
    const sessions = createFakeStore({ clock, ids: createSequentialIds() }).collection(consoleSessionsCollection);
    const minuteMs = 60_000;
    const ports = { sessions, clock, limits: { lifeMs: 480 * minuteMs, idleMs: 60 * minuteMs }, revoked: () => false };
    const value = await beginSession(ports, { subject: 'mara', email: 'mara@example.com', role: 'finance' });
    const [begun] = sessions.all();
    await sessions.mutate(begun!, { ...begun!, ...newer });
    clock.advance(30 * minuteMs);
    expect(await callerOfSession(ports, value)).toMatchObject({ role: 'finance' });
    expect(sessions.all()).toMatchObject([{ usedAt: clock.now(), ...newer }]);
  });

  it("stays in the provider's part of a mirror whose subscription ends here", async () => {
    const world = await createOperatorWorld();
    const before = world.subscription()!;
    await world.store
      .collection(subscriptionsCollection)
      .mutate(before, { ...before, provider: { ...before.provider, ...newer } });
    const { kind } = await runOperation(bootOperator(world, 1).ports, exampleRequest('grant_free_access'));
    const { customerId } = before.provider;
    expect([kind, world.subscription()!.provider]).toEqual(['succeeded', { customerId, ...newer }]);
  });

  it('stays in the mirror and in the transition of a checkout that is completed here', async () => {
    const { world, events, sessionId } = await beginCheckout();
    const subscriptions = world.store.collection(subscriptionsCollection);
    const waiting = world.subscription()!;
    await subscriptions.mutate(waiting, {
      ...waiting,
      provider: { ...waiting.provider, ...newer },
      transition: { ...waiting.transition!, ...newer },
    });
    const { subscriptionId } = world.provider.completeCheckout(sessionId);
    const transitions: unknown[] = [];
    const mutate: typeof subscriptions.mutate = (read, next, ...rest) => {
      if (next.transition) transitions.push(next.transition);
      return subscriptions.mutate(read, next, ...rest);
    };
    await handleProviderEvent({ ...events, subscriptions: { ...subscriptions, mutate } }, completed(sessionId));
    expect(transitions).toContainEqual(expect.objectContaining({ kind: 'change_plan', ...newer }));
    expect(world.subscription()!.provider).toMatchObject({ subscriptionId, ...newer });
  });

  it('stays in a transition that a later attempt takes, and that of an investigation does not', async () => {
    const subscription = (await createOperatorWorld()).subscription()!;
    const taken = { operationId: 'op-1', kind: 'grant', requestedAt: new Date(0) } as const;
    const transition = { ...taken, attempt: 1, investigated: true, ...newer } as const;
    const admitted = admitTransition({ ...subscription, transition }, { ...taken, attempt: 2 }, {});
    expect(admitted.transition).toEqual({ ...taken, attempt: 2, ...newer });
  });

  it('stays in the tally of a migration that counts and ends here', async () => {
    const world = await createMigrationWorld(2);
    const migrations = world.store.collection(planMigrationsCollection);
    const life = bootMigrations(world, 1, {
      ports: {
        migrations: {
          ...migrations,
          insert: (draft) => migrations.insert({ ...draft, tally: { ...draft.tally, ...newer } }),
        },
      },
    });
    await life.submit();
    expect(jobOf(world)).toMatchObject({ status: 'completed', tally: { succeeded: 2, ...newer } });
  });
});
