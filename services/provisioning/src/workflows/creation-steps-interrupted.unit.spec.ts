/**
 * A creation whose store does not answer one write, or whose marker or record another process changes meanwhile: it
 * stops where it is, and nothing after that step happens.
 */
import { losing, overtakenWrites } from '@platform/durable/testing';
import { creationOperationId } from '@platform/contracts-provisioning';
import { settle } from '@platform/testing';
import { billingProfilesCollection, markersCollection, tenantsCollection } from '../store/collections';
import {
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  freePlan,
  tenant,
  type ProvisioningWorld,
} from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import type { ProvisioningPorts } from './ports';

const sold = ['create_customer', 'attach_payment_method', 'set_default_payment_method', 'create_subscription'];
const paid = [...sold, 'pay_invoice'];

const steps = (world: ProvisioningWorld) => world.provider.ledger().map(({ step }) => step);
const rows = ({ store }: ProvisioningWorld) => ({
  tenants: store.collection(tenantsCollection).all(),
  billingProfiles: store.collection(billingProfilesCollection).all(),
});

async function play(
  change: (ports: ProvisioningPorts, world: ProvisioningWorld) => Partial<ProvisioningPorts>,
  request = creationRequest(),
  trialDays = 0,
) {
  const world = await createProvisioningWorld({ limits: { trialDays } });
  const { ports } = bootProvisioning(world);
  const answer = await createWorkspace({ ...ports, ...change(ports, world) }, request);
  await settle();
  return { world, answer };
}

/** The write of the marker into this state gets no answer. */
const markerUnanswered = (state: string) =>
  losing('markers', (next: { readonly provisioningState: string }) => next.provisioningState === state);

describe('a creation whose store does not answer', () => {
  it.each<[string, string[], number, Parameters<typeof play>]>([
    ['the marker', [], 0, [losing('markers')]],
    ['the reservation of capacity', [], 0, [losing('capacity'), creationRequest({ plan: freePlan })]],
    ['the reservation of a trial', [], 0, [losing('trials'), creationRequest(), 14]],
    ['the row of the tenant', sold, 0, [losing('tenants')]],
    ['the billing profile', sold, 0, [losing('billingProfiles')]],
    ['that the payment is awaited', sold, 1, [markerUnanswered('awaiting_payment')]],
    ['the commitment', paid, 1, [markerUnanswered('committed')]],
  ])('stops with everything kept: %s', async (_what, sent, heard, given) => {
    const { world, answer } = await play(...given);
    expect(answer).toMatchObject({ kind: 'unresolved', attempt: { status: 'reconciliation_required' } });
    expect(world.attempt()).toMatchObject({
      status: 'reconciliation_required',
      lastError: { code: 'persistence_unknown' },
    });
    expect(steps(world)).toEqual(sent);
    expect(world.heard).toHaveLength(heard);
    expect(world.published.map(({ subject }) => subject)).toEqual([
      'alert.reconciliation_required.provisioning.provisioning_attempt',
    ]);
  });
});

/** Another process changes the marker. */
type Meanwhile = (world: ProvisioningWorld) => void | Promise<unknown>;

const leaves =
  (fields: object): Meanwhile =>
  (world) =>
    world.store.collection(markersCollection).put({ ...world.marker(), ...fields, revision: 'of another process' });
const tombstone = leaves({ provisioningState: 'cancelled', cancelledAt: new Date(1) });
const committed = leaves({ provisioningState: 'committed', committedAt: new Date(1) });
const closed = leaves({ closedAt: new Date(1) });
const gone: Meanwhile = async (world) => {
  const markers = world.store.collection(markersCollection);
  const marker = await markers.findById(creationOperationId(tenant));
  return marker && markers.remove(marker);
};

/** The marker changes before the executor reads it while its attempt has this status. */
const beforeItsReading =
  (status: string, meanwhile: Meanwhile) =>
  ({ markers }: ProvisioningPorts, world: ProvisioningWorld): Partial<ProvisioningPorts> => ({
    markers: {
      ...markers,
      findById: async (id) => {
        if (world.attempt()?.status === status && world.marker()?.revision !== 'of another process')
          await meanwhile(world);
        return markers.findById(id);
      },
    },
  });

/** The marker changes between the executor's reading and its writing of this state. */
const beforeItsWriting = (state: string, meanwhile: Meanwhile) => {
  let changed = false;
  return ({ markers }: ProvisioningPorts, world: ProvisioningWorld): Partial<ProvisioningPorts> => ({
    markers: overtakenWrites(
      markers,
      (next) => next.provisioningState === state && !changed && (changed = true),
      () => meanwhile(world),
    ),
  });
};

const before =
  (meanwhile: Meanwhile) =>
  (_ports: ProvisioningPorts, world: ProvisioningWorld): Partial<ProvisioningPorts> => {
    void meanwhile(world);
    return {};
  };

describe('a creation whose marker another process changes', () => {
  const stamps = { _id: creationOperationId(tenant), tenantId: tenant, createdAt: new Date(1), updatedAt: new Date(1) };

  it.each<[string, string, string[], Parameters<typeof play>[0]]>([
    [
      'a tombstone that exists before it begins',
      'admission_closed',
      [],
      before(leaves({ ...stamps, provisioningState: 'cancelled', cancelledAt: new Date(1) })),
    ],
    ['no marker after its rows are written', 'admission_closed', sold, beforeItsReading('preparing', gone)],
    ['no marker when its payment is awaited', 'persistence_unknown', sold, beforeItsReading('awaiting_payment', gone)],
    [
      'a tombstone when its payment is awaited',
      'admission_closed',
      sold,
      beforeItsReading('awaiting_payment', tombstone),
    ],
    [
      'a tombstone that is faster than its write',
      'persistence_unknown',
      sold,
      beforeItsWriting('awaiting_payment', tombstone),
    ],
    [
      'a removal that is faster than its write',
      'persistence_unknown',
      sold,
      beforeItsWriting('awaiting_payment', gone),
    ],
    ['a closure that is faster than its commitment', 'admission_closed', paid, beforeItsWriting('committed', closed)],
  ])('stops for people and leaves the marker as it is: %s', async (_what, code, sent, change) => {
    const { world, answer } = await play(change);
    expect(answer).toMatchObject({ kind: 'unresolved' });
    expect(world.attempt()).toMatchObject({ status: 'reconciliation_required', lastError: { code } });
    expect(steps(world)).toEqual(sent);
    expect([undefined, 'of another process']).toContain(world.marker()?.revision);
  });

  it('keeps the rows when the marker is gone: no tombstone says that they may be erased', async () => {
    const { world } = await play(beforeItsReading('preparing', gone));
    expect(rows(world)).toMatchObject({
      tenants: [{ _id: tenant, status: 'provisioned' }],
      billingProfiles: [{ _id: tenant, profile: creationRequest().billingProfile }],
    });
    expect(world.heard).toEqual([]);
  });

  it.each<[string, Parameters<typeof play>[0]]>([
    ['before it reads the marker', beforeItsReading('awaiting_payment', committed)],
    ['before it writes the marker', beforeItsWriting('awaiting_payment', committed)],
  ])('accepts a commitment that is made %s, and charges nothing', async (_when, change) => {
    const { world, answer } = await play(change);
    expect(answer).toMatchObject({ kind: 'committed', attempt: { _id: tenant, status: 'committed' } });
    expect(world.attempt()).toMatchObject({
      status: 'committed',
      committedAt: new Date(1),
      provenBy: 'reconciliation',
      reservations: { state: 'settled' },
    });
    expect(world.marker()).toMatchObject({ provisioningState: 'committed', revision: 'of another process' });
    expect(steps(world)).toEqual(sold);
  });

  it('does not restore a row that was cancelled before the answer to its insertion arrived', async () => {
    const { world, answer } = await play(({ tenants }, playing) => ({
      tenants: {
        ...tenants,
        insert: async (draft) => {
          const inserted = await tenants.insert(draft);
          await tombstone(playing);
          if (inserted.outcome === 'applied')
            await tenants.mutate(inserted.record, { ...inserted.record, status: 'cancelled' });
          return { outcome: 'unknown', reason: 'the answer was lost' };
        },
      },
    }));
    expect(answer).toMatchObject({ kind: 'unresolved' });
    expect(world.attempt()).toMatchObject({ lastError: { code: 'admission_closed' } });
    expect(rows(world)).toMatchObject({ tenants: [{ status: 'cancelled' }], billingProfiles: [{ profile: null }] });
  });
});
