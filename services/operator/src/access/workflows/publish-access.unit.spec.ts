import { onlyThe, overtakenWrites } from '@platform/durable/testing';
import { silentLog } from '@platform/kernel';
import { workspaceAccessBucket, type WorkspaceAccess } from '@platform/contracts-operator';
import { createManualClock } from '@platform/kernel';
import { createFakeBroker } from '@platform/messaging/testing';
import { withAccessRevision } from '../../mirror/domain/access';
import { post, setStage } from '../../testing/stage';
import { bootOperator } from '../../testing/operator-world';
import { announcingAccess } from './announce-access';
import { keepBucket, publishAccess } from './publish-access';
import { readAccess } from './read-access';

const open: WorkspaceAccess = { state: 'open', revision: 1 };
const closed: WorkspaceAccess = { state: 'closed', reason: 'suspended', revision: 2 };
const suspension = { operationId: 'op-suspend-0001' };

function connect() {
  const broker = createFakeBroker({ clock: createManualClock() });
  const messaging = broker.connect('operator');
  const standing = async () => (await messaging.readKey(workspaceAccessBucket, 'acme'))?.value;
  return { broker, messaging, standing };
}

describe('the publication of access', () => {
  it('never lets an older value replace a newer one, in whatever order they come', async () => {
    const { messaging, standing } = connect();
    expect(await publishAccess(messaging, 'acme', closed)).toBe('acknowledged');
    expect(await publishAccess(messaging, 'acme', open)).toBe('acknowledged');
    expect(await standing()).toEqual(closed);
  });

  it('of two writers that read the same value leaves the newer one, whichever writes first', async () => {
    for (const order of [
      [open, closed],
      [closed, open],
    ]) {
      const { messaging, standing } = connect();
      await publishAccess(messaging, 'acme', { state: 'open', revision: 0 });
      await Promise.all(order.map((access) => publishAccess(messaging, 'acme', access)));
      expect(await standing()).toEqual(closed);
    }
  });

  it('writes over what it cannot read, and leaves it to the sweep when the broker is unreachable', async () => {
    const { broker, messaging, standing } = connect();
    await messaging.writeKey(workspaceAccessBucket, 'acme', { state: 'ajar' }, 0);
    expect(await publishAccess(messaging, 'acme', open)).toBe('acknowledged');
    broker.disconnect('operator');
    expect(await publishAccess(messaging, 'acme', closed)).toBe('unknown');
    broker.reconnect('operator');
    expect(await standing()).toEqual(open);
  });
});

describe('a suspension', () => {
  const inBucket = ({ buckets }: Awaited<ReturnType<typeof setStage>>['world']) =>
    buckets.read(workspaceAccessBucket, 'acme')?.value;

  it('is in the bucket as soon as it is accepted, and its reactivation only after every receipt', async () => {
    const stage = await setStage();
    const { world, life } = stage;
    await post(stage, 'suspend', suspension, { prefer: 'wait=0' });
    await life.sweepOutbox();
    expect(inBucket(world)).toEqual({ state: 'closed', reason: 'suspended', revision: 1 });
  });

  it('is published by the next boot when the process dies right after the write', async () => {
    const { world } = await setStage();
    const lost = bootOperator(world, 2, {
      bucket: {
        readKey: () => Promise.reject(new Error('the broker is unreachable')),
        writeKey: async () => 'unknown',
      },
    });
    const current = world.subscription()!;
    const access = { state: 'closed', since: world.clock.now(), operationId: 'op' } as const;
    await lost.ports.subscriptions.mutate(current, withAccessRevision(current, { ...current, access }));
    expect(inBucket(world)).toBeUndefined();
    await bootOperator(world, 3).sweepOutbox();
    expect(inBucket(world)).toEqual({ state: 'closed', reason: 'suspended', revision: 1 });
    expect(await lost.ports.subscriptions.outbox.backlog()).toMatchObject({ count: 0 });
  });

  it('that may not have been written is not said before the sweep finds it in the record', async () => {
    const { world, life } = await setStage();
    const current = world.subscription()!;
    const said: string[] = [];
    const next = withAccessRevision(current, {
      ...current,
      access: { state: 'closed', since: world.clock.now(), operationId: 'op' },
    });
    for (const written of [
      { outcome: 'unknown', reason: 'the acknowledgement was lost' },
      { outcome: 'not_applied' },
    ] as const) {
      const records = announcingAccess(
        { ...life.ports.subscriptions, mutate: async () => written },
        { clock: world.clock, publishNow: (tenantId) => void said.push(tenantId) },
      );
      expect(await records.mutate(current, next)).toEqual(written);
    }
    expect(said).toEqual([]);
  });

  it('cannot be written by a build that forgets to number it', async () => {
    const { world, life } = await setStage();
    const current = world.subscription()!;
    const access = { state: 'closed', since: world.clock.now(), operationId: 'op' } as const;
    await expect(life.ports.subscriptions.mutate(current, { ...current, access })).rejects.toThrow(
      'access and its revision change together',
    );
  });

  it('wins the race against the self-service request that had read the record before', async () => {
    const stage = await setStage();
    const { life, gateway, world } = stage;
    const raced = life.ports.subscriptions;
    const access = { state: 'closed', since: world.clock.now(), operationId: 'op' } as const;
    const subscriptions = overtakenWrites(raced, onlyThe(1), (current) =>
      raced.mutate(current, withAccessRevision(current, { ...current, access })),
    );
    Object.assign(life.ports, { subscriptions });
    const answer = await gateway.request('PUT', '/api/saas/workspaces/acme/plan', {
      role: 'user',
      body: { operationId: 'op-later-0001', planId: 'pro' },
    });
    expect(answer.status).toBe(403);
    expect(answer.json()).toMatchObject({ code: 'workspace_closed', access: 'suspended' });
    expect(world.provider.ledger()).toEqual([]);
  });
});

describe('the bucket', () => {
  it('is filled from the records at start, and again when the broker lost it', async () => {
    const { life } = await setStage({ status: 'cancelled', accessRevision: 3 });
    const { broker, messaging, standing } = connect();
    const keep = keepBucket({ subscriptions: life.ports.subscriptions, messaging, log: silentLog });
    const wanted = { state: 'closed', reason: 'cancelled', revision: 3 };
    await keep();
    expect(await standing()).toEqual(wanted);
    broker.wipe();
    await keep();
    broker.applyTopology();
    await keep();
    expect(await standing()).toEqual(wanted);
  });
});

describe('the answer on access', () => {
  const asked = async (attempt: 'preparing' | 'awaiting_payment' | 'committed' | 'cancelled' | null) => {
    const { life } = await setStage();
    return readAccess({ subscriptions: life.ports.subscriptions, attemptStatus: async () => attempt }, 'newcomer');
  };

  it('comes from the record', async () => {
    const { life } = await setStage({ status: 'suspended' });
    const { subscriptions } = life.ports;
    expect(await readAccess({ subscriptions, attemptStatus: async () => null }, 'acme')).toEqual({
      state: 'closed',
      reason: 'suspended',
      revision: 0,
    });
  });

  it('is closed for a workspace without a record, and says what its creation is doing', async () => {
    expect(await asked('preparing')).toEqual({ state: 'closed', reason: 'preparing', revision: 0 });
    expect(await asked('awaiting_payment')).toMatchObject({ reason: 'unpaid' });
    expect(await asked('committed')).toMatchObject({ state: 'closed', reason: 'preparing' });
    expect(await asked('cancelled')).toMatchObject({ reason: 'deleted' });
    expect(await asked(null)).toEqual({ state: 'closed', reason: 'unknown', revision: 0 });
  });
});
