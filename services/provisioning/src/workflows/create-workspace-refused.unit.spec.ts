/** A creation that does not begin, and one in whose midst a read fails; which reservations each plan needs. */
import { losing } from '@platform/durable/testing';
import { StoreUnavailableError } from '@platform/mongo';
import { settle } from '@platform/testing';
import {
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  freePlan,
  type ProvisioningWorld,
} from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import type { ProvisioningPorts } from './ports';

async function play(
  change: (ports: ProvisioningPorts, world: ProvisioningWorld) => Partial<ProvisioningPorts>,
  { trialDays = 0, request = creationRequest() } = {},
) {
  const world = await createProvisioningWorld({ limits: { trialDays } });
  const { ports } = bootProvisioning(world);
  const creating = createWorkspace({ ...ports, ...change(ports, world) }, request);
  return { world, creating };
}

describe('a creation that cannot begin', () => {
  it.each<[string, string, Parameters<typeof play>[0]]>([
    [
      'the provider does not answer',
      'provider_unavailable',
      (_ports, world) => {
        world.provider.setDown(true);
        return {};
      },
    ],
    ['the window of the account gets no answer', 'store_unavailable', losing('windows')],
    ['its intent gets no answer', 'store_unavailable', losing('attempts')],
  ])('is refused, and nothing is reserved or sent: %s', async (_why, code, change) => {
    const { world, creating } = await play(change, { trialDays: 14 });
    expect(await creating).toEqual({ kind: 'refused', code, message: expect.any(String) });
    expect([world.attempts(), world.marker(), world.trials(), world.provider.sends()]).toEqual([[], undefined, [], []]);
  });
});

describe('a creation whose request a frozen process gets when it goes on', () => {
  const asked = (secondsAgo: number) => {
    const now = new Date('2026-03-01T12:00:00.000Z');
    const request = creationRequest({ askedAt: new Date(now.getTime() - secondsAgo * 1_000).toISOString() });
    return play(() => ({ databaseNow: async () => now }), { request });
  };

  it('does not begin once its person may have asked again', async () => {
    const { world, creating } = await asked(51);
    expect(await creating).toMatchObject({ kind: 'refused' });
    expect([world.attempts(), world.marker(), world.provider.sends()]).toEqual([[], undefined, []]);
  });

  it('begins as long as its person waits for the answer', async () => {
    const { creating } = await asked(50);
    expect(await creating).toMatchObject({ kind: 'committed' });
  });
});

describe('a read that fails in the midst of a creation', () => {
  const listenersFail =
    (error: Error) =>
    ({ listeners }: ProvisioningPorts): Partial<ProvisioningPorts> => ({
      listeners: { ...listeners, find: () => Promise.reject(error) },
    });

  it('stops the creation for people when the store is unreachable', async () => {
    const { world, creating } = await play(listenersFail(new StoreUnavailableError('the store is unreachable')));
    expect(await creating).toMatchObject({ kind: 'unresolved', attempt: { status: 'reconciliation_required' } });
    expect(world.attempt()).toMatchObject({
      status: 'reconciliation_required',
      lastError: { code: 'store_unavailable' },
    });
    await settle();
    expect(world.published.map(({ subject }) => subject)).toEqual([
      'alert.reconciliation_required.provisioning.provisioning_attempt',
    ]);
  });

  it('reaches the caller when it is a defect, and the record is left to people as it is', async () => {
    const { world, creating } = await play(listenersFail(new TypeError('a defect')));
    await expect(creating).rejects.toThrow('a defect');
    expect(world.attempt()).toMatchObject({ status: 'preparing' });
    expect(world.attempt()).not.toHaveProperty('lastError');
  });
});

describe('the reservations of a creation', () => {
  it.each([
    ['a paid plan with a trial', creationRequest(), 14, { trials: 2, capacities: 0, days: 14 }],
    ['a paid plan without a trial', creationRequest(), 0, { trials: 0, capacities: 0, days: 0 }],
    ['a free plan', creationRequest({ plan: freePlan }), 14, { trials: 0, capacities: 1, days: 0 }],
  ])('of %s are exactly what it uses', async (_what, request, trialDays, { trials, capacities, days }) => {
    const { world, creating } = await play(() => ({}), { request, trialDays });
    expect(await creating).toMatchObject({ kind: 'committed' });
    expect([world.trials().length, world.capacity().length]).toEqual([trials, capacities]);
    const attempt = world.attempt();
    expect(attempt?.trialDays).toBe(days);
    expect(attempt?.reservations.trialKeys).toEqual(world.trials().map(({ _id }) => _id));
    expect(attempt?.reservations.capacityKey).toBe(world.capacity()[0]?._id);
  });
});
