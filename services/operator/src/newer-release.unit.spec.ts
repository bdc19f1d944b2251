/** Records of a newer release, written by this one while services roll: what this build does not know stays in them. */
import { createManualClock, createSequentialIds } from '@platform/kernel';
import { createFakeStore } from '@platform/mongo/testing';
import { plansCollection } from './catalogue/store/plans';
import { putPlan } from './catalogue/workflows/keep-plans';
import { exampleRequest } from './operations/testing/example-worlds';
import { judgeCreditLimit } from './operations/workflows/take-credit-part';
import { creditAllowancesCollection } from './operations/store/credit-allowances';
import { consoleSessionsCollection } from './sign-in/store/console-sessions';
import { beginSession, callerOfSession } from './sign-in/workflows/console-sessions';
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
});
