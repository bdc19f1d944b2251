/** The table of the commit gate: every state of a marker, no marker, and a store that does not answer. */
import { forged } from '@platform/durable/testing';
import type { Draft } from '@platform/mongo';
import type { CreationMarker } from '../domain/marker';
import { creationOperationId } from '@platform/contracts-provisioning';
import { StoreUnavailableError } from '@platform/mongo';
import { markerSteps, type MarkerState } from '../domain/marker';
import { bootProvisioning, createProvisioningWorld, tenant } from '../testing/provisioning-world';
import { isProvisioningCommitted } from './is-provisioning-committed';

const answers: Readonly<Record<MarkerState, boolean>> = {
  committed: true,
  preparing: false,
  awaiting_payment: false,
  cancelled: false,
};

async function askWith(provisioningState: MarkerState | null) {
  const world = await createProvisioningWorld();
  const { ports } = bootProvisioning(world);
  if (provisioningState !== null)
    await ports.markers.insert(
      forged({ _id: creationOperationId(tenant), tenantId: tenant, provisioningState } as Draft<CreationMarker>),
    );
  return { world, ask: (tenantId = tenant) => isProvisioningCommitted(ports, tenantId) };
}

describe('the commit gate', () => {
  it('is open for a tenant without a marker: legacy, default or bootstrap', async () => {
    const { ask } = await askWith(null);
    await expect(ask()).resolves.toBe(true);
  });

  it.each(Object.keys(markerSteps.table) as MarkerState[])('answers for a creation that is %s', async (state) => {
    const { ask } = await askWith(state);
    await expect(ask()).resolves.toBe(answers[state]);
  });

  it('reads the marker of the tenant that is asked for, and no other', async () => {
    const { ask } = await askWith('cancelled');
    await expect(ask('tenant-2')).resolves.toBe(true);
  });

  it.each(['committed', null] as const)(
    'throws while the store is away, also where it would be open (%s)',
    async (state) => {
      const { world, ask } = await askWith(state);
      world.store.setAvailable(false);
      await expect(ask()).rejects.toThrow(StoreUnavailableError);
      world.store.setAvailable(true);
      await expect(ask()).resolves.toBe(true);
    },
  );
});
