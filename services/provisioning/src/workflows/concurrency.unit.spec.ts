/**
 * Hundreds of creations at once (a thousand in the full form) on one card and one identity, with the mutexes of several
 * processes; and the canary value in the extras.
 */
import { playedText, proofSize, settle } from '@platform/testing';
import { bootProvisioning, createProvisioningWorld, creationRequest, freePlan } from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';

const sizes = { lean: 300, full: 1_000 };
const creations = proofSize(sizes);
/** Every second creation is of a free plan. */
const half = creations / 2;
// The duration of the creations is not checked.

describe(`${creations} concurrent creations on one card and one identity`, () => {
  it('commit exactly the allowed free ones and exactly one trial, and the reservations equal the ledger', async () => {
    const world = await createProvisioningWorld({
      limits: { trialDays: 14, creationsPerUser: 1_000, freeWorkspacesPerCard: 3 },
    });
    const processes = [1, 2].map((incarnation) => bootProvisioning(world, incarnation));
    const answers = await Promise.all(
      Array.from({ length: creations }, (_, at) => {
        const free = at % 2 === 0;
        return createWorkspace(
          processes[(at >> 1) % 2]!.ports,
          creationRequest({
            tenantId: `t-${at}`,
            user: { id: 'user-1', email: at % 4 < 2 ? 'ada@example.com' : `Ada+${at}@Example.com` },
            ...(free && { plan: freePlan }),
          }),
        );
      }),
    );
    await settle();
    const committed = world.attempts().filter(({ status }) => status === 'committed');
    const [free, paid] = [
      committed.filter(({ plan }) => plan.planId === 'free'),
      committed.filter(({ plan }) => plan.planId === 'starter'),
    ];
    expect([free.length, paid.length]).toEqual([3, half]);
    expect(answers.filter((answer) => answer.kind === 'refused' && answer.code === 'capacity_exhausted')).toHaveLength(
      half - 3,
    );
    expect(paid.filter(({ trialDays }) => trialDays === 14)).toHaveLength(1);
    expect(world.capacity()).toHaveLength(1);
    expect(
      world
        .capacity()[0]!
        .allocations.map(({ tenantId, state }) => [tenantId, state])
        .sort(),
    ).toEqual(free.map(({ tenantId }) => [tenantId, 'confirmed']).sort());
    expect(new Set(world.trials().map(({ tenantId }) => tenantId))).toEqual(
      new Set(paid.filter(({ trialDays }) => trialDays === 14).map(({ tenantId }) => tenantId)),
    );
    const ledger = world.provider.ledger();
    const made = (step: string) => ledger.filter((effect) => effect.step === step).length;
    expect([made('create_customer'), made('create_subscription'), made('pay_invoice')]).toEqual([
      half + 3,
      half,
      half - 1,
    ]);
    process.stdout.write(
      `${playedText(creations, sizes, 'concurrent creations')}: ${free.length} free and ${paid.length} paid committed, 1 trial, ${made('pay_invoice')} charges\n`,
    );
  });

  it('start as many as one account may, exactly', async () => {
    const world = await createProvisioningWorld({ limits: { creationsPerUser: 20 } });
    const processes = [1, 2].map((incarnation) => bootProvisioning(world, incarnation));
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, at) =>
        createWorkspace(processes[at % 2]!.ports, creationRequest({ tenantId: `t-${at}` })),
      ),
    );
    expect(answers.filter(({ kind }) => kind === 'committed')).toHaveLength(20);
    expect(answers.filter((answer) => answer.kind === 'refused' && answer.code === 'rate_limited')).toHaveLength(180);
  });
});

describe('extras', () => {
  it.each(['none', 'lost_answer_after_effect', 'card_declined'] as const)(
    'are in no record, message or log line when the payment meets %s',
    async (fault) => {
      const world = await createProvisioningWorld();
      const { ports } = bootProvisioning(world);
      if (fault !== 'none') world.provider.failNext(fault, { step: 'pay_invoice' });
      await createWorkspace(ports, creationRequest({ extras: { note: 'canary-4711' } }));
      await settle();
      expect(JSON.stringify(world.heard)).toContain('canary-4711');
      const records = (
        await Promise.all(
          [
            ports.attempts,
            ports.markers,
            ports.capacity,
            ports.trials,
            ports.windows,
            ports.tenants,
            ports.billingProfiles,
            ports.listeners,
            ports.admissions,
          ].map((collection) => collection.count({})),
        )
      ).reduce((sum, count) => sum + count, 0);
      expect(records).toBeGreaterThan(3);
      const everything = JSON.stringify([
        world.attempts(),
        world.marker(),
        world.capacity(),
        world.trials(),
        world.published,
        world.logged,
        world.provider.sends(),
        await ports.tenants.findById('tenant-1'),
        await ports.billingProfiles.findById('tenant-1'),
      ]);
      expect(everything).not.toContain('canary-4711');
    },
  );
});
