/**
 * An executor that sleeps before any of its writes while an investigation ends its attempt: when it resumes, it loses
 * all its writes.
 */
import type { Revisioned } from '@platform/kernel';
import type { RevisionedCollection } from '@platform/mongo';
import { createLatch, settle } from '@platform/testing';
import { billingProfilesCollection, tenantsCollection } from '../store/collections';
import {
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  tenant,
  type ProvisioningLife,
  type ProvisioningWorld,
} from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import type { ProvisioningPorts } from './ports';
import { reconcile } from './reconcile';
import { attemptInvestigation } from './resolve-attempt';
import type { OutcomeProofs } from '@platform/durable/investigation';

const proofs = {
  id: tenant,
  executorStopped: 'its host did not answer any more',
  by: 'ops@example.com',
  override: { reason: 'fences are needed whichever side is wrong', approvedBy: 'second@example.com' },
};
const declined = creationRequest({ paymentMethodId: 'pm_card_chargeCustomerFail' });

/** The same ports; `before` is called with the number of each write, which waits for it. */
function writingAfter(
  { ports }: ProvisioningLife,
  before: (write: number, collection: string) => Promise<void>,
): ProvisioningPorts {
  let writes = 0;
  const watched = <T extends Revisioned>(collection: RevisionedCollection<T>): RevisionedCollection<T> => ({
    ...collection,
    mutate: async (...given) => {
      writes += 1;
      await before(writes, collection.name);
      return collection.mutate(...given);
    },
  });
  return {
    ...ports,
    attempts: watched(ports.attempts),
    markers: watched(ports.markers),
    tenants: watched(ports.tenants),
    billingProfiles: watched(ports.billingProfiles),
  };
}

async function writesOfARollback(): Promise<number> {
  const world = await createProvisioningWorld();
  let count = 0;
  const ports = writingAfter(bootProvisioning(world, 1), async (write) => void (count = write));
  await createWorkspace(ports, declined);
  return count;
}

async function record(world: ProvisioningWorld, outcome: OutcomeProofs['outcome']) {
  const { ports } = bootProvisioning(world, 2);
  const planned = await attemptInvestigation.plan(ports, {
    ...proofs,
    outcome,
    providerObject: outcome === 'applied' ? 'in_1' : null,
  });
  return planned.ok ? attemptInvestigation.record(ports, planned.value) : planned;
}

const rowsOf = ({ store }: ProvisioningWorld) => ({
  tenant: store.collection(tenantsCollection).all()[0]?.status,
  billing: store.collection(billingProfilesCollection).all()[0]?.profile,
});

/**
 * A declined creation that sleeps before the write with this number; an investigator decides, then the executor wakes.
 */
async function judgedBefore(sleepsAt: number, outcome: OutcomeProofs['outcome']) {
  const world = await createProvisioningWorld();
  const life = bootProvisioning(world, 1);
  const latch = createLatch();
  const ports = writingAfter(life, async (write) => {
    if (write >= sleepsAt) await latch.wait();
  });
  const creating = createWorkspace(ports, declined);
  await latch.reached();
  const recorded = await record(world, outcome);
  const decided = world.marker();
  latch.open();
  const answer = await creating;
  await settle();
  await life.sweepOutbox();
  await reconcile(bootProvisioning(world, 3).ports);
  await life.sweepOutbox();
  return { world, recorded, decided, answer, said: world.published.map(({ subject }) => subject) };
}

describe('a creation that is taken back while an investigator judges it', () => {
  it('stays committed when that was recorded, wherever its executor slept', async () => {
    const writes = await writesOfARollback();
    let committed = 0;
    for (let write = 1; write <= writes; write += 1) {
      const { world, recorded, decided, answer, said } = await judgedBefore(write, 'applied');
      if (!recorded.ok) {
        expect([write, recorded.error]).toEqual([
          write,
          expect.stringMatching(/not prepared|tombstone exists|is cancelled/),
        ]);
        expect([write, world.marker()?.provisioningState, rowsOf(world)]).toEqual([
          write,
          'cancelled',
          { tenant: 'cancelled', billing: null },
        ]);
        continue;
      }
      committed += 1;
      expect([write, answer.kind]).toEqual([write, 'committed']);
      expect([write, world.marker()]).toEqual([write, { ...decided, outbox: world.marker()?.outbox }]);
      expect([write, world.attempt()]).toEqual([
        write,
        expect.objectContaining({ status: 'committed', provenBy: 'resolution', resolution: expect.anything() }),
      ]);
      expect([write, rowsOf(world)]).toEqual([write, { tenant: 'provisioned', billing: declined.billingProfile }]);
      expect([write, said.includes('workspace.committed'), said.includes('workspace.cancelled')]).toEqual([
        write,
        true,
        false,
      ]);
    }
    // The writes where the payment is recorded, sent and judged, where admission closes, at each rollback call, and at
    // the tombstone.
    expect(committed).toBeGreaterThan(6);
  });

  it('stays cancelled when that was recorded, and its rows go with the tombstone', async () => {
    const writes = await writesOfARollback();
    let recordings = 0;
    for (let write = 1; write <= writes; write += 1) {
      const { world, recorded, said } = await judgedBefore(write, 'not_applied');
      if (recorded.ok) recordings += 1;
      const marked = world.marker()?.provisioningState ?? 'cancelled';
      expect([write, world.attempt()?.status, marked]).toEqual([write, 'cancelled', 'cancelled']);
      expect([write, said.includes('workspace.committed')]).toEqual([write, false]);
      if (rowsOf(world).tenant) expect([write, rowsOf(world)]).toEqual([write, { tenant: 'cancelled', billing: null }]);
    }
    expect(recordings).toBeGreaterThan(10);
  });
});

describe('a creation that is judged before its marker exists', () => {
  it('is buried, though its executor writes the marker right after the judgement', async () => {
    const world = await createProvisioningWorld();
    const latch = createLatch();
    const life = bootProvisioning(world, 1);
    const insert = life.ports.markers.insert.bind(life.ports.markers);
    const sleepy = async (...given: Parameters<typeof insert>) => {
      await latch.wait();
      return insert(...given);
    };
    const markers = { ...life.ports.markers, insert: sleepy };
    const creating = createWorkspace({ ...life.ports, markers }, creationRequest());
    await latch.reached();
    const { ports } = bootProvisioning(world, 2);
    const planned = await attemptInvestigation.plan(ports, { ...proofs, outcome: 'not_applied', providerObject: null });
    if (!planned.ok) throw new Error(planned.error);
    const mutate = ports.attempts.mutate.bind(ports.attempts);
    const judged = async (...given: Parameters<typeof mutate>) => {
      const written = await mutate(...given);
      latch.open();
      await settle();
      return written;
    };
    const recorded = await attemptInvestigation.record(
      { ...ports, attempts: { ...ports.attempts, mutate: judged } },
      planned.value,
    );
    expect(recorded).toMatchObject({ ok: true });
    await creating;
    await settle();
    await reconcile(bootProvisioning(world, 3).ports);
    expect(world.attempt()).toMatchObject({ status: 'cancelled', reservations: { state: 'settled' } });
    expect(world.marker()).toMatchObject({ provisioningState: 'cancelled' });
  });
});

describe('a resolution that loses against the payment', () => {
  it('leaves the executor what it has learnt: the answer of the payment is in the record', async () => {
    const world = await createProvisioningWorld();
    const [paid, committed] = [createLatch(), createLatch()];
    const ports = writingAfter(bootProvisioning(world, 1), async (_write, collection) => {
      const ofAttempts = collection === 'attempts';
      const state = world.marker()?.provisioningState;
      const answered = world.provider.ledger().some(({ step }) => step === 'pay_invoice');
      if (!ofAttempts && state === 'awaiting_payment' && answered) await paid.wait();
      if (ofAttempts && state === 'committed') await committed.wait();
    });
    const creating = createWorkspace(ports, creationRequest());
    await paid.reached();
    const others = bootProvisioning(world, 2).ports;
    const planned = await attemptInvestigation.plan(others, {
      ...proofs,
      outcome: 'not_applied',
      providerObject: null,
    });
    if (!planned.ok) throw new Error(planned.error);
    paid.open();
    await committed.reached();
    expect(await attemptInvestigation.record(others, planned.value)).toMatchObject({ ok: false });
    committed.open();
    expect(await creating).toMatchObject({ kind: 'committed' });
    expect(world.attempt()).toMatchObject({ status: 'committed' });
    expect(world.attempt()?.providerCalls.at(-1)).toMatchObject({ step: 'pay_invoice', outcome: 'succeeded' });
    expect(world.attempt()).not.toHaveProperty('resolution');
  });
});
