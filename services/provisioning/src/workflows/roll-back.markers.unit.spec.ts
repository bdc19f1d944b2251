/** A rollback decides on the marker that it closed, and loses to every other process that changed the marker. */
import { losingWrites, overtakenWrites } from '@platform/durable/testing';
import { creationOperationId } from '@platform/contracts-provisioning';
import { markerSteps, type CreationMarker, type OpenMarker } from '../domain/marker';
import { billingProfilesCollection, tenantsCollection } from '../store/collections';
import { awaitingItsPerson, openAttempt } from '../testing/interrupted-creations';
import { creationRequest, tenant, type ProvisioningWorld } from '../testing/provisioning-world';
import type { ProvisioningPorts } from './ports';
import { rollBack } from './roll-back';

const declined = { code: 'confirmation_expired', message: 'The payment was not confirmed in time.' };
const id = creationOperationId(tenant);
const at = new Date(0);

function takeBack(world: ProvisioningWorld, ports: ProvisioningPorts) {
  const attempt = openAttempt(world);
  return rollBack({ ports, stored: attempt, attempt }, declined);
}

/** What another process does with the marker. */
const changes = {
  commits: (marker: OpenMarker) => markerSteps.move(marker, 'committed', { committedAt: at }),
  buries: (marker: OpenMarker) => markerSteps.move(marker, 'cancelled', { cancelledAt: at }),
  'writes, and leaves open,': (marker: OpenMarker) => markerSteps.keep<OpenMarker>(marker, {}),
};
type Change = keyof typeof changes;

async function changed({ markers }: ProvisioningPorts, change: Change): Promise<void> {
  const marker = await markers.findById(id);
  await markers.mutate(marker as CreationMarker, changes[change](marker as OpenMarker));
}

/** The same ports; another process changes the marker just before this write to it. */
function beaten(ports: ProvisioningPorts, change: Change, write: 'closing' | 'tombstone'): ProvisioningPorts {
  const markers = overtakenWrites(
    ports.markers,
    ({ provisioningState }) => (provisioningState === 'cancelled') === (write === 'tombstone'),
    () => changed(ports, change),
  );
  return { ...ports, markers };
}

const without = (ports: ProvisioningPorts): ProvisioningPorts => ({
  ...ports,
  markers: { ...ports.markers, findById: () => Promise.resolve(null) },
});

/** The calls that remove something at the provider. */
const removed = (world: ProvisioningWorld) =>
  world.provider
    .sends()
    .map(({ step }) => step)
    .filter((step) => step === 'cancel_now' || step === 'delete_customer');

const told = (world: ProvisioningWorld) => world.heard.filter(({ event }) => event === 'TENANT_DELETED');

const rows = (world: ProvisioningWorld) => [
  world.store.collection(tenantsCollection).all()[0]?.status,
  world.store.collection(billingProfilesCollection).all()[0]?.profile,
];
const untouched = ['provisioned', creationRequest().billingProfile];

describe('a rollback that cannot close admission', () => {
  it.each<[string, (ports: ProvisioningPorts) => Promise<ProvisioningPorts>]>([
    ['finds no marker', async (ports) => without(ports)],
    ['finds a tombstone', (ports) => changed(ports, 'buries').then(() => ports)],
    ['gets no answer', async (ports) => ({ ...ports, markers: losingWrites(ports.markers) })],
    ['finds a tombstone when it writes', async (ports) => beaten(ports, 'buries', 'closing')],
    ['finds another write when it writes', async (ports) => beaten(ports, 'writes, and leaves open,', 'closing')],
  ])('because it %s stops, and removes nothing', async (_what, change) => {
    const { world, ports, reached } = await awaitingItsPerson();
    expect(await takeBack(world, await change(ports))).toMatchObject({ kind: 'unresolved', attempt: { _id: tenant } });
    expect(world.attempt()).toMatchObject({
      status: 'reconciliation_required',
      rollback: { code: declined.code },
      lastError: {
        code: 'closure_incomplete',
        message: 'The creation was declined, and its lifecycle admission could not be closed.',
      },
    });
    expect({ removed: removed(world), told: told(world), rows: rows(world) }).toEqual({
      removed: [],
      told: [],
      rows: untouched,
    });
    expect(reached).toEqual(['reconciliation_required']);
  });
});

describe('a rollback that is slower than the commitment', () => {
  it.each<[string, (ports: ProvisioningPorts) => Promise<ProvisioningPorts>]>([
    ['before it begins', (ports) => changed(ports, 'commits').then(() => ports)],
    ['before it closes admission', async (ports) => beaten(ports, 'commits', 'closing')],
  ])('ends as committed when the marker is committed %s', async (_when, change) => {
    const { world, ports, reached } = await awaitingItsPerson();
    const answer = await takeBack(world, await change(ports));
    expect(answer).toMatchObject({ kind: 'committed', attempt: { status: 'committed', provenBy: 'reconciliation' } });
    expect(world.attempt()).toMatchObject({ status: 'committed', reservations: { state: 'settled' } });
    expect({ removed: removed(world), told: told(world), rows: rows(world) }).toEqual({
      removed: [],
      told: [],
      rows: untouched,
    });
    expect(reached).toEqual(['committed']);
  });

  it('ends as committed when a resolution is faster than its tombstone', async () => {
    const { world, ports, announced } = await awaitingItsPerson();
    const answer = await takeBack(world, beaten(ports, 'commits', 'tombstone'));
    expect(answer).toMatchObject({ kind: 'committed', attempt: { status: 'committed', provenBy: 'reconciliation' } });
    expect(world.marker()).toMatchObject({ provisioningState: 'committed' });
    expect(rows(world)).toEqual(untouched);
    expect(announced).toEqual([]);
  });
});

describe('a rollback that cannot write its tombstone', () => {
  it.each<[string, (ports: ProvisioningPorts) => ProvisioningPorts]>([
    [
      'its write gets no answer',
      (ports) => ({
        ...ports,
        markers: losingWrites(ports.markers, ({ provisioningState }) => provisioningState === 'cancelled'),
      }),
    ],
    ['another process writes the marker', (ports) => beaten(ports, 'writes, and leaves open,', 'tombstone')],
  ])('because %s stops, and leaves the rows as they are', async (_why, change) => {
    const { world, ports, announced } = await awaitingItsPerson();
    expect(await takeBack(world, change(ports))).toMatchObject({ kind: 'unresolved' });
    expect(world.attempt()).toMatchObject({
      status: 'reconciliation_required',
      lastError: {
        code: 'closure_incomplete',
        message: 'The creation was declined and taken back at the provider, and its tombstone could not be written.',
      },
    });
    expect(world.marker()).toMatchObject({ provisioningState: 'awaiting_payment', closedAt: expect.any(Date) });
    expect(rows(world)).toEqual(untouched);
    expect(announced.map(({ source }) => source)).toEqual(['attempts']);
  });

  it('ends as cancelled when another process was faster with the tombstone', async () => {
    const { world, ports, announced } = await awaitingItsPerson();
    expect(await takeBack(world, beaten(ports, 'buries', 'tombstone'))).toMatchObject({
      kind: 'refused',
      code: declined.code,
    });
    expect(world.marker()).toMatchObject({ provisioningState: 'cancelled', cancelledAt: at });
    expect(rows(world)).toEqual(['cancelled', null]);
    expect(announced).toEqual([]);
  });
});
