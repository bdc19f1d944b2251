/** An open attempt follows its marker: committed or buried, whatever the provider shows. */
import { losingWrites } from '@platform/durable/testing';
import type { Resolution } from '../domain/attempt';
import type { CreationMarker } from '../domain/marker';
import { billingProfilesCollection, markersCollection, tenantsCollection } from '../store/collections';
import {
  cancelledInItsMarker,
  committedInItsMarker,
  interruptedCreation,
  openAttempt,
} from '../testing/interrupted-creations';
import { freePlan, type ProvisioningWorld } from '../testing/provisioning-world';
import type { ProvisioningPorts } from './ports';
import { reconcileAttempt } from './reconcile';

const look = (ports: ProvisioningPorts, world: ProvisioningWorld) =>
  reconcileAttempt(ports, openAttempt(world), 'reconciliation');

const rows = (world: ProvisioningWorld) => [
  world.store.collection(tenantsCollection).all()[0]?.status,
  world.store.collection(billingProfilesCollection).all()[0]?.profile,
];

describe('an open attempt whose marker is committed', () => {
  it('is committed, and the provider is not asked', async () => {
    const { world, ports } = await committedInItsMarker();
    world.provider.setDown(true);
    expect(await look(ports, world)).toBe('committed');
    expect(world.attempt()).toMatchObject({ status: 'committed', provenBy: 'reconciliation' });
  });

  it('is unknown while its record takes no write', async () => {
    const { world, ports } = await committedInItsMarker();
    const attempts = losingWrites(ports.attempts);
    expect(await look({ ...ports, attempts }, world)).toBe('unknown');
    expect(world.attempt()).toMatchObject({ status: 'awaiting_payment' });
  });
});

describe('an open attempt whose tombstone exists', () => {
  it('is cancelled with its rows and reservations, and the provider is not asked', async () => {
    const { world, ports } = await interruptedCreation({
      change: { plan: freePlan },
      limits: { freeWorkspacesPerCard: 0 },
      attempts: ({ status }) => status === 'cancelled',
    });
    world.provider.setDown(true);
    expect(await look(ports, world)).toBe('cancelled');
    expect(world.attempt()).toMatchObject({
      status: 'cancelled',
      cancelledAt: expect.any(Date),
      reservations: { state: 'settled' },
    });
    expect(world.attempt()).not.toHaveProperty('resolution');
  });

  it('is cancelled also when it was prepared', async () => {
    const { world, ports } = await cancelledInItsMarker();
    world.provider.setDown(true);
    expect(await look(ports, world)).toBe('cancelled');
    expect(world.attempt()).toMatchObject({ status: 'cancelled', preparedAt: expect.any(Date) });
    expect(rows(world)).toEqual(['cancelled', null]);
  });

  it('copies the resolution of the tombstone, with the time of the copy', async () => {
    const { world, ports } = await cancelledInItsMarker();
    const resolution: Resolution = {
      outcome: 'not_applied',
      executorStopped: 'its host was shut down',
      providerObject: null,
      by: 'ann@example.com',
      at: new Date(0),
    };
    world.store.collection(markersCollection).put({ ...(world.marker() as CreationMarker), resolution });
    expect(await look(ports, world)).toBe('cancelled');
    const copied = world.attempt()?.resolution;
    expect(copied).toEqual({ ...resolution, at: expect.any(Date) });
    expect(copied?.at).not.toEqual(resolution.at);
    expect(world.attempt()).toMatchObject({ status: 'cancelled', cancelledAt: copied?.at });
  });

  it.each(['tenants', 'attempts'] as const)('is unknown while a write to its %s gets no answer', async (name) => {
    const { world, ports } = await cancelledInItsMarker();
    const tenants = world.store.collection(tenantsCollection);
    tenants.put({ ...tenants.all()[0], status: 'provisioned' });
    const attempt = openAttempt(world);
    const losing = {
      ...ports,
      [name]: losingWrites<ProvisioningPorts['tenants' | 'attempts']>(ports[name], () => true),
    };
    expect(await look(losing, world)).toBe('unknown');
    expect(world.attempt()).toEqual(attempt);
    expect(await look(ports, world)).toBe('cancelled');
  });
});
