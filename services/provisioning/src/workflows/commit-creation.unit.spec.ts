/** The commitment of a creation whose payment is proven: the marker decides, and the attempt follows it. */
import { losingWrites } from '@platform/durable/testing';
import { creationOperationId } from '@platform/contracts-provisioning';
import { markerSteps, type OpenMarker } from '../domain/marker';
import {
  committedInItsMarker,
  interruptedCreation,
  openAttempt,
  paidWithoutAnswer,
} from '../testing/interrupted-creations';
import { freePlan, tenant, type ProvisioningWorld } from '../testing/provisioning-world';
import { commitCreation } from './commit-creation';
import type { ProvisioningPorts } from './ports';

const id = creationOperationId(tenant);

function heldBy(world: ProvisioningWorld) {
  const attempt = openAttempt(world);
  return { stored: attempt, working: attempt };
}

const messages = [{ subject: 'lifecycle.message.created' }, { subject: 'workspace.committed' }];

describe('the commitment of a creation', () => {
  it('writes the marker with its messages, then the attempt, and counts it once', async () => {
    const { world, ports, announced, reached } = await paidWithoutAnswer();
    const answer = await commitCreation(ports, heldBy(world), 'reconciliation');
    expect(answer).toMatchObject({ kind: 'committed', attempt: { _id: tenant, status: 'committed' } });
    expect(world.attempt()).toMatchObject({ status: 'committed', reservations: { state: 'settled' } });
    expect(world.marker()).toMatchObject({ provisioningState: 'committed', outbox: messages });
    expect(announced).toEqual([
      { source: 'lifecycle_outbox', recordId: id, entries: [expect.anything(), expect.anything()] },
    ]);
    expect(announced[0]?.entries).toMatchObject(messages);
    expect(reached).toEqual(['committed']);
  });

  it.each([
    ['the first invoice', {}, expect.stringMatching(/^in_/)],
    ['that there is no invoice', { change: { plan: freePlan } }, null],
  ])('names %s in a marker that did not reach the payment', async (_what, options, invoiceId) => {
    const { world, ports } = await interruptedCreation({
      ...options,
      markers: ({ provisioningState }) => provisioningState === 'awaiting_payment',
    });
    expect(world.marker()).toMatchObject({ provisioningState: 'preparing' });
    await commitCreation(ports, heldBy(world), 'reconciliation');
    expect(world.marker()).toMatchObject({ provisioningState: 'committed', invoiceId, committedAt: expect.any(Date) });
  });

  const closed: readonly [string, (ports: ProvisioningPorts, marker: OpenMarker) => Promise<ProvisioningPorts>][] = [
    [
      'has no marker',
      async (ports) => ({ ...ports, markers: { ...ports.markers, findById: () => Promise.resolve(null) } }),
    ],
    [
      'admits no payment any more',
      async (ports, marker) => {
        await ports.markers.mutate(marker, markerSteps.keep<OpenMarker>(marker, { closedAt: ports.clock.now() }));
        return ports;
      },
    ],
    [
      'has a tombstone',
      async (ports, marker) => {
        await ports.markers.mutate(marker, markerSteps.move(marker, 'cancelled', { cancelledAt: ports.clock.now() }));
        return ports;
      },
    ],
  ];

  it.each(closed)('is closed for a creation that %s: nothing is written or announced', async (_what, close) => {
    const { world, ports, announced } = await paidWithoutAnswer();
    const changed = await close(ports, world.marker() as OpenMarker);
    const [attempt, marker] = [world.attempt(), world.marker()];
    expect(await commitCreation(changed, heldBy(world), 'reconciliation')).toEqual({ kind: 'closed' });
    expect([world.attempt(), world.marker()]).toEqual([attempt, marker]);
    expect(announced).toEqual([]);
  });

  it('is unknown, with the reason, while the store does not answer', async () => {
    const { world, ports, announced } = await paidWithoutAnswer();
    const held = heldBy(world);
    world.store.setAvailable(false);
    const answer = await commitCreation(ports, held, 'reconciliation');
    expect(answer).toEqual({ kind: 'unknown', reason: expect.stringContaining('the store is unreachable') });
    expect(announced).toEqual([]);
  });

  it('is unknown while the marker takes no write', async () => {
    const { world, ports } = await paidWithoutAnswer();
    const markers = losingWrites(ports.markers);
    const answer = await commitCreation({ ...ports, markers }, heldBy(world), 'reconciliation');
    expect(answer).toEqual({ kind: 'unknown', reason: 'the answer was lost' });
    expect(world.marker()).toMatchObject({ provisioningState: 'awaiting_payment' });
  });

  it('finds a marker that is committed already, finishes the attempt and announces nothing again', async () => {
    const { world, ports, announced, reached } = await committedInItsMarker();
    const marker = world.marker();
    expect(await commitCreation(ports, heldBy(world), 'provider_event')).toMatchObject({
      kind: 'committed',
      attempt: { _id: tenant, status: 'committed' },
    });
    expect(world.attempt()).toMatchObject({ status: 'committed', provenBy: 'provider_event' });
    expect(world.marker()).toEqual(marker);
    expect({ announced, reached }).toEqual({ announced: [], reached: ['committed'] });
  });
});
