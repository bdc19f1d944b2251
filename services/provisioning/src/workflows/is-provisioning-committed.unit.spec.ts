/** The table of the commit gate: every state of a marker, no marker, and a store that does not answer. */
import type { CreateWorkspace } from '@platform/contracts-provisioning';
import { forged } from '@platform/durable/testing';
import type { Draft, RevisionedCollection } from '@platform/mongo';
import type { CreationMarker } from '../domain/marker';
import { creationOperationId } from '@platform/contracts-provisioning';
import { refused, type Revisioned } from '@platform/kernel';
import { StoreUnavailableError } from '@platform/mongo';
import { createLatch } from '@platform/testing';
import type { Attempt } from '../domain/attempt';
import { markerSteps, type MarkerState } from '../domain/marker';
import {
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  freePlan,
  tenant,
  type ProvisioningWorld,
} from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import { isProvisioningCommitted } from './is-provisioning-committed';
import type { ProvisioningLimits, ProvisioningPorts } from './ports';
import { reconcile } from './reconcile';
import { attemptInvestigation } from './resolve-attempt';

const answers: Readonly<Record<MarkerState, boolean>> = {
  committed: true,
  preparing: false,
  awaiting_payment: false,
  cancelled: false,
};

async function resolveNotApplied(ports: ProvisioningPorts): Promise<void> {
  const planned = await attemptInvestigation.plan(ports, {
    id: tenant,
    outcome: 'not_applied',
    executorStopped: 'its host was reinstalled',
    providerObject: null,
    by: 'ops@example.com',
    override: { reason: 'the answer was lost on purpose', approvedBy: 'second@example.com' },
  });
  if (!planned.ok) throw new Error(String(planned.error));
  await attemptInvestigation.record(ports, planned.value);
}

async function askWith(provisioningState: MarkerState | null) {
  const world = await createProvisioningWorld();
  const { ports } = bootProvisioning(world);
  if (provisioningState !== null)
    await ports.markers.insert(
      forged({ _id: creationOperationId(tenant), tenantId: tenant, provisioningState } as Draft<CreationMarker>),
    );
  return { world, ask: (tenantId = tenant) => isProvisioningCommitted(ports, tenantId) };
}

const stopAt =
  (
    step:
      | 'create_customer'
      | 'attach_payment_method'
      | 'set_default_payment_method'
      | 'create_subscription'
      | 'pay_invoice',
  ) =>
  (world: ProvisioningWorld) =>
    world.provider.failNext('lost_answer_before_effect', { step });

/** Creations with every possible end, and the status of the attempt after it. */
const creations: readonly {
  readonly name: string;
  readonly ends: Attempt['status'];
  readonly change?: Partial<CreateWorkspace>;
  readonly limits?: Partial<ProvisioningLimits>;
  readonly before?: (world: ProvisioningWorld) => void;
}[] = [
  { name: 'a paid plan', ends: 'committed' },
  { name: 'a free plan', ends: 'committed', change: { plan: freePlan } },
  { name: 'a trial', ends: 'committed', limits: { trialDays: 14 } },
  { name: 'no capacity left', ends: 'cancelled', change: { plan: freePlan }, limits: { freeWorkspacesPerCard: 0 } },
  {
    name: 'a card declined when it is attached',
    ends: 'cancelled',
    before: (world) => world.provider.failNext('card_declined', { step: 'attach_payment_method' }),
  },
  {
    name: 'a card declined at payment',
    ends: 'cancelled',
    change: { paymentMethodId: 'pm_card_chargeCustomerFail' },
  },
  ...(
    [
      'create_customer',
      'attach_payment_method',
      'set_default_payment_method',
      'create_subscription',
      'pay_invoice',
    ] as const
  ).map((step) => ({
    name: `an unknown answer at ${step}`,
    ends: 'reconciliation_required' as const,
    before: stopAt(step),
  })),
  {
    name: 'a listener that fails',
    ends: 'reconciliation_required',
    before: (world) =>
      world.listenerAnswers.set('storage', () => refused({ code: 'refused', message: 'the listener did not succeed' })),
  },
];

interface Asked {
  readonly answer: boolean;
  readonly marker: string | undefined;
}

/** The ports of one executor; the gate is asked after each write that they apply and each request to the provider. */
function watchGate(world: ProvisioningWorld, asked: Asked[], instead: object = {}): ProvisioningPorts {
  const { ports } = bootProvisioning(world);
  const ask = async (): Promise<void> => {
    const answer = await isProvisioningCommitted({ ...ports, ...instead }, tenant);
    asked.push({ answer, marker: world.marker()?.provisioningState });
  };
  const watch = <T extends Revisioned>(collection: RevisionedCollection<T>): RevisionedCollection<T> => ({
    ...collection,
    insert: async (...given) => collection.insert(...given).finally(ask),
    mutate: async (...given) => collection.mutate(...given).finally(ask),
  });
  return {
    ...ports,
    attempts: watch(ports.attempts),
    markers: watch(ports.markers),
    capacity: watch(ports.capacity),
    trials: watch(ports.trials),
    tenants: watch(ports.tenants),
    billingProfiles: watch(ports.billingProfiles),
    messaging: { ...ports.messaging, request: (...given) => ports.messaging.request(...given).finally(ask) },
  };
}

describe('the commit gate during a creation', () => {
  it.each(creations.map((each) => [each.name, each] as const))(
    'is closed from the first write on until the marker is committed: %s',
    async (_name, { ends, change, limits = {}, before }) => {
      const world = await createProvisioningWorld({ limits });
      before?.(world);
      const asked: Asked[] = [];
      await createWorkspace(watchGate(world, asked), creationRequest(change));
      expect(world.attempt()).toMatchObject({ status: ends });
      expect(asked.length).toBeGreaterThan(3);
      expect(asked.filter(({ answer, marker }) => answer !== (marker === 'committed'))).toEqual([]);
      expect(await isProvisioningCommitted(bootProvisioning(world).ports, tenant)).toBe(ends === 'committed');
    },
  );

  it('would not be closed in a build that asks the marker alone', async () => {
    const world = await createProvisioningWorld();
    const asked: Asked[] = [];
    const forgetful = { attempts: { findById: () => Promise.resolve(null) } };
    await createWorkspace(watchGate(world, asked, forgetful), creationRequest());
    expect(asked.some(({ answer, marker }) => answer && marker === undefined)).toBe(true);
  });

  it.each(creations.filter(({ ends }) => ends === 'cancelled').map((each) => [each.name, each] as const))(
    'leaves a tombstone: %s',
    async (_name, { change, limits = {}, before }) => {
      const world = await createProvisioningWorld({ limits });
      before?.(world);
      await createWorkspace(bootProvisioning(world).ports, creationRequest(change));
      expect(world.marker()).toMatchObject({ provisioningState: 'cancelled' });
    },
  );

  it.each(['create_customer', 'create_subscription', 'pay_invoice'] as const)(
    'stays closed when a creation that stopped at %s is resolved as not applied',
    async (step) => {
      const world = await createProvisioningWorld();
      stopAt(step)(world);
      const { ports } = bootProvisioning(world);
      await createWorkspace(ports, creationRequest());
      await resolveNotApplied(ports);
      expect(world.attempt()).toMatchObject({ status: 'cancelled' });
      expect(world.marker()).toMatchObject({ provisioningState: 'cancelled', resolution: { outcome: 'not_applied' } });
      expect(await isProvisioningCommitted(ports, tenant)).toBe(false);
    },
  );
});

describe('a creation whose executor disappeared before its marker', () => {
  /** The executor sleeps before the write of its marker. */
  async function beforeTheMarker() {
    const world = await createProvisioningWorld();
    const { ports } = bootProvisioning(world);
    const latch = createLatch();
    const insert: typeof ports.markers.insert = async (...given) => {
      await latch.wait();
      return ports.markers.insert(...given);
    };
    const creating = createWorkspace({ ...ports, markers: { ...ports.markers, insert } }, creationRequest());
    await latch.reached();
    return { world, ports, creating, latch };
  }

  it('answers false, and leaves a tombstone by the reconciliation after it is resolved', async () => {
    const { world, ports } = await beforeTheMarker();
    expect(world.marker()).toBeUndefined();
    expect(await isProvisioningCommitted(ports, tenant)).toBe(false);
    await resolveNotApplied(ports);
    expect(world.attempt()).toMatchObject({ status: 'cancelled' });
    expect(await isProvisioningCommitted(ports, tenant)).toBe(false);
    await reconcile(bootProvisioning(world, 2).ports);
    expect(world.attempt()).toMatchObject({ reservations: { state: 'settled' } });
    expect(world.marker()).toMatchObject({ provisioningState: 'cancelled', resolution: { outcome: 'not_applied' } });
    expect(await isProvisioningCommitted(ports, tenant)).toBe(false);
  });

  it('is not gone on with when the executor wakes after that: nothing is reserved, sent or shown', async () => {
    const { world, ports, creating, latch } = await beforeTheMarker();
    await resolveNotApplied(ports);
    await reconcile(bootProvisioning(world, 2).ports);
    const [attempt, marker] = [world.attempt(), world.marker()];
    latch.open();
    expect(await creating).toMatchObject({ kind: 'refused' });
    expect([world.attempt(), world.marker()]).toEqual([attempt, marker]);
    expect(world.provider.sends()).toEqual([]);
    expect(await ports.tenants.findById(tenant)).toBeNull();
  });

  it('is buried with its marker when the executor wakes before the reconciliation', async () => {
    const { world, ports, creating, latch } = await beforeTheMarker();
    await resolveNotApplied(ports);
    latch.open();
    expect(await creating).toMatchObject({ kind: 'refused' });
    expect(world.marker()).toMatchObject({ provisioningState: 'preparing' });
    await reconcile(bootProvisioning(world, 2).ports);
    expect(world.marker()).toMatchObject({ provisioningState: 'cancelled', resolution: { outcome: 'not_applied' } });
    expect(world.attempt()).toMatchObject({ reservations: { state: 'settled' } });
    expect(world.provider.sends()).toEqual([]);
  });
});

describe('rows that an executor writes after its creation was resolved', () => {
  it('say that the creation is cancelled', async () => {
    const world = await createProvisioningWorld();
    const { ports } = bootProvisioning(world);
    const latch = createLatch();
    const insert: typeof ports.tenants.insert = async (...given) => {
      await latch.wait();
      return ports.tenants.insert(...given);
    };
    const creating = createWorkspace({ ...ports, tenants: { ...ports.tenants, insert } }, creationRequest());
    await latch.reached();
    await resolveNotApplied(ports);
    latch.open();
    await creating;
    expect(await ports.tenants.findById(tenant)).toMatchObject({ status: 'cancelled' });
    expect(await ports.billingProfiles.findById(tenant)).toMatchObject({ profile: null });
  });
});

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
    'throws while the store is unreachable, also where it would be open (%s)',
    async (state) => {
      const { world, ask } = await askWith(state);
      world.store.setAvailable(false);
      await expect(ask()).rejects.toThrow(StoreUnavailableError);
      world.store.setAvailable(true);
      await expect(ask()).resolves.toBe(true);
    },
  );
});
