/** Taking, binding and settling reservations: the answers, the records, and what an answer that is lost leaves open. */
import { losingWrites } from '@platform/durable/testing';
import type { RevisionedCollection } from '@platform/mongo';
import type { Revisioned } from '@platform/kernel';
import { capacityKey } from '../domain/identity';
import {
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  freePlan,
  tenant,
  type ProvisioningWorld,
} from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import { bindTrial, settleReservations, takeTrial } from './reserve';

/** The same collection; no insertion, or no change of a record, gets an answer. */
function silent<T extends Revisioned>(
  collection: RevisionedCollection<T>,
  write: 'insert' | 'mutate',
): RevisionedCollection<T> {
  return { ...collection, [write]: async () => ({ outcome: 'unknown', reason: 'the answer was lost' }) };
}

const holders = (world: ProvisioningWorld) =>
  Object.fromEntries(world.trials().map(({ _id, tenantId }) => [_id, tenantId]));

async function boot() {
  const world = await createProvisioningWorld();
  const { ports } = bootProvisioning(world);
  return { world, ports };
}

const ada = { tenantId: 't-1', operationId: 'op-1' };
const bob = { tenantId: 't-2', operationId: 'op-2' };

describe('the trial of several identities', () => {
  it('is given to one holder, again when that holder asks again, and to no other', async () => {
    const { world, ports } = await boot();
    expect(await takeTrial(ports, ['email', 'card'], ada)).toBe('as_requested');
    expect(await takeTrial(ports, ['email', 'card'], ada)).toBe('as_requested');
    expect(await takeTrial(ports, ['card'], bob)).toBe('refused');
    expect(holders(world)).toEqual({ email: ada.tenantId, card: ada.tenantId });
  });

  it('that is refused for its last identity leaves the earlier ones free', async () => {
    const { world, ports } = await boot();
    await takeTrial(ports, ['card'], ada);
    expect(await takeTrial(ports, ['email', 'workspace', 'card'], bob)).toBe('refused');
    expect(holders(world)).toEqual({ card: ada.tenantId, email: null, workspace: null });
  });

  it('is not known when a reservation gets no answer, and the next identity is not tried', async () => {
    const { world, ports } = await boot();
    expect(await takeTrial({ ...ports, trials: silent(ports.trials, 'insert') }, ['email', 'card'], ada)).toBe(
      'unknown',
    );
    expect(holders(world)).toEqual({});
  });

  it('is not known when an identity that was taken in vain cannot be released', async () => {
    const { world, ports } = await boot();
    await takeTrial(ports, ['card'], ada);
    expect(await takeTrial({ ...ports, trials: silent(ports.trials, 'mutate') }, ['email', 'card'], bob)).toBe(
      'unknown',
    );
    expect(holders(world)).toEqual({ card: ada.tenantId, email: bob.tenantId });
  });
});

describe('the identities of a trial that a page has sold', () => {
  it('are bound where they are free, and stay with another holder where they are not', async () => {
    const { world, ports } = await boot();
    expect(await bindTrial(ports, ['card'], ada)).toBe('bound');
    expect(await bindTrial(ports, ['card', 'email'], bob)).toBe('held');
    expect(await bindTrial(ports, ['email'], bob)).toBe('bound');
    expect(holders(world)).toEqual({ card: ada.tenantId, email: bob.tenantId });
  });

  it('are not known to be bound when a reservation gets no answer', async () => {
    const { ports } = await boot();
    await bindTrial(ports, ['card'], ada);
    const trials = silent(ports.trials, 'insert');
    expect(await bindTrial({ ...ports, trials }, ['card', 'email'], bob)).toBe('unknown');
  });
});

describe('the reservations of a creation at its end', () => {
  /** A creation with its reservations held, and the attempt as an earlier process left it. */
  async function ended(status: 'committed' | 'cancelled', request = creationRequest({ plan: freePlan })) {
    const world = await createProvisioningWorld({ limits: { trialDays: 14 } });
    const { ports } = bootProvisioning(world);
    if (status === 'cancelled') world.provider.failNext('card_declined', { step: 'set_default_payment_method' });
    const holding = {
      ...ports,
      attempts: losingWrites(ports.attempts, ({ reservations }) => reservations.state === 'settled'),
      capacity: silent(ports.capacity, 'mutate'),
      trials: silent(ports.trials, 'mutate'),
    };
    await createWorkspace(holding, request);
    const attempt = await ports.attempts.findById(tenant);
    if (!attempt) throw new Error('no creation began');
    expect(attempt).toMatchObject({ status, reservations: { state: 'held' } });
    return { world, ports, attempt };
  }
  const state = (world: ProvisioningWorld) => world.attempt()?.reservations.state;

  it.each([
    ['committed', [{ tenantId: tenant, state: 'confirmed' }]],
    ['cancelled', []],
  ] as const)('are settled once for a creation that is %s', async (status, allocations) => {
    const { world, ports, attempt } = await ended(status);
    expect(world.capacity()).toMatchObject([{ allocations: [{ tenantId: tenant, state: 'reserved' }] }]);
    expect(await settleReservations(ports, attempt)).toBe(true);
    expect(world.capacity().map(({ allocations: left }) => left)).toEqual([allocations]);
    const settled = world.attempt();
    expect(settled).toMatchObject({ reservations: { state: 'settled' } });
    expect(settled && (await settleReservations(ports, settled))).toBe(true);
    expect(world.attempt()).toEqual(settled);
  });

  it('stay held when the capacity gets no answer, and must be settled again', async () => {
    const { world, ports, attempt } = await ended('committed');
    expect(await settleReservations({ ...ports, capacity: silent(ports.capacity, 'mutate') }, attempt)).toBe(false);
    expect(state(world)).toBe('held');
  });

  it('stay held when a trial gets no answer, and must be settled again', async () => {
    const { world, ports, attempt } = await ended('cancelled', creationRequest());
    expect(await settleReservations({ ...ports, trials: silent(ports.trials, 'mutate') }, attempt)).toBe(false);
    expect([state(world), Object.values(holders(world))]).toEqual(['held', [tenant, tenant]]);
    expect(await settleReservations(ports, attempt)).toBe(true);
    expect([state(world), Object.values(holders(world))]).toEqual(['settled', [null, null]]);
  });

  it('must be settled again when another process has written the record meanwhile', async () => {
    const { ports, attempt } = await ended('committed');
    expect(await settleReservations(ports, attempt)).toBe(true);
    expect(await settleReservations(ports, attempt)).toBe(false);
  });

  it('stay held while the creation is open', async () => {
    const { world, ports } = await boot();
    world.provider.failNext('lost_answer_before_effect', { step: 'attach_payment_method' });
    await createWorkspace(ports, creationRequest({ plan: freePlan }));
    const attempt = world.attempt();
    expect(attempt && (await settleReservations(ports, attempt))).toBe(false);
    expect(world.attempt()).toEqual(attempt);
    expect(world.capacity()).toMatchObject([
      { _id: capacityKey('fp_pm_card_visa'), allocations: [{ tenantId: tenant, state: 'reserved' }] },
    ]);
  });

  it('of a paid plan are settled without a reading of capacities', async () => {
    const { ports, attempt } = await ended('committed', creationRequest());
    let readings = 0;
    const capacity: typeof ports.capacity = {
      ...ports.capacity,
      findById: (key) => {
        readings += 1;
        return ports.capacity.findById(key);
      },
    };
    expect(await settleReservations({ ...ports, capacity }, attempt)).toBe(true);
    expect(readings).toBe(0);
  });
});
