/** The attempt of a committed marker, while other processes write the same attempt. */
import { fromThe, losingWrites, overtakenWrites } from '@platform/durable/testing';
import { attemptSteps, type AwaitedConfirmation, type OpenAttempt, type Resolution } from '../domain/attempt';
import type { CommittedMarker } from '../domain/marker';
import { commit } from '../domain/progress';
import { committedInItsMarker, openAttempt } from '../testing/interrupted-creations';
import type { ProvisioningWorld } from '../testing/provisioning-world';
import { finishCommitted } from './commit-creation';
import type { ProvisioningPorts } from './ports';

async function committed() {
  const stage = await committedInItsMarker();
  const stored = openAttempt(stage.world);
  return { ...stage, stored, marker: stage.world.marker() as CommittedMarker };
}

/** The same ports; another process changes the attempt before each of the first `times` writes to it. */
function racing(
  world: ProvisioningWorld,
  { attempts, ...ports }: ProvisioningPorts,
  times: number,
  change: (attempt: OpenAttempt) => ReturnType<typeof attemptSteps.keep<OpenAttempt>>,
): ProvisioningPorts {
  let raced = 0;
  const overtaken = overtakenWrites(
    attempts,
    () => (raced += 1) <= times,
    () => attempts.mutate(openAttempt(world), change(openAttempt(world))),
  );
  return { ...ports, attempts: overtaken };
}

const same = (attempt: OpenAttempt) => attemptSteps.keep<OpenAttempt>(attempt, {});

describe('an attempt whose marker is committed', () => {
  it.each([
    [7, 'committed', ['committed']],
    [8, 'awaiting_payment', []],
  ] as const)('that loses %d races in a row is %s then', async (times, status, counted) => {
    const { world, ports, reached, stored, marker } = await committed();
    const busy = racing(world, ports, times, same);
    expect(await finishCommitted(busy, { stored, working: stored }, marker, 'executor')).toMatchObject({ status });
    expect(world.attempt()).toMatchObject({ status });
    expect(reached).toEqual(counted);
  });

  it('keeps what another process wrote meanwhile, with the answer that its own executor received', async () => {
    const { world, ports, stored, marker } = await committed();
    const confirmation: AwaitedConfirmation = { reason: 'payment_processing', since: new Date(0) };
    const busy = racing(world, ports, 1, (attempt) => attemptSteps.keep<OpenAttempt>(attempt, { confirmation }));
    const answered = stored.providerCalls.map((call) => ({ ...call, outcome: 'succeeded' as const }));
    expect(stored.providerCalls.at(-1)).not.toHaveProperty('outcome');
    const working = { ...stored, providerCalls: answered };
    await finishCommitted(busy, { stored, working }, marker, 'executor');
    expect(world.attempt()).toMatchObject({ status: 'committed', confirmation });
    expect(world.attempt()?.providerCalls.at(-1)).toMatchObject({ step: 'pay_invoice', outcome: 'succeeded' });
  });

  it('keeps everything that its executor learnt when no other process wrote', async () => {
    const { world, ports, stored, marker } = await committed();
    const handles = { ...stored.handles, currentPeriodEnd: new Date(0) };
    await finishCommitted(ports, { stored, working: { ...stored, handles } }, marker, 'executor');
    expect(world.attempt()).toMatchObject({ status: 'committed', handles });
  });

  it('is read again where the process has a copy from before the preparation', async () => {
    const { world, ports, stored, marker } = await committed();
    const { preparedAt: _later, ...early } = stored;
    const old: OpenAttempt = { ...early, status: 'preparing', revision: 'an earlier one' };
    const finished = await finishCommitted(ports, { stored: old, working: old }, marker, 'reconciliation');
    expect(finished).toMatchObject({ status: 'committed', provenBy: 'reconciliation' });
    expect(finished).toMatchObject({ _id: stored._id, preparedAt: world.attempt()?.preparedAt });
  });

  it('copies the resolution of its marker, with the time of the copy', async () => {
    const { world, ports, stored, marker } = await committed();
    const resolution: Resolution = {
      outcome: 'applied',
      executorStopped: 'its host was shut down',
      providerObject: 'in_1',
      by: 'ann@example.com',
      at: new Date(0),
    };
    await finishCommitted(ports, { stored, working: stored }, { ...marker, resolution }, 'executor');
    const copied = world.attempt()?.resolution;
    expect(copied).toEqual({ ...resolution, at: expect.any(Date) });
    expect(copied?.at).not.toEqual(resolution.at);
    expect(world.attempt()).toMatchObject({ status: 'committed', provenBy: 'resolution', committedAt: copied?.at });
  });
});

describe('an attempt that this process does not commit', () => {
  it('is not counted when another process was faster', async () => {
    const { world, ports, reached, stored, marker } = await committed();
    const attempts = overtakenWrites(ports.attempts, fromThe(1), () =>
      ports.attempts.mutate(stored, commit(stored, 'provider_event', marker.committedAt)),
    );
    const finished = await finishCommitted(
      { ...ports, attempts },
      { stored, working: stored },
      marker,
      'reconciliation',
    );
    expect(finished).toMatchObject({ status: 'committed', provenBy: 'provider_event' });
    expect(world.attempt()).toMatchObject({ provenBy: 'provider_event', reservations: { state: 'settled' } });
    expect(reached).toEqual([]);
  });

  it('is answered as it is stored while its write has no answer', async () => {
    const { world, ports, reached, stored, marker } = await committed();
    const attempts = losingWrites(ports.attempts);
    expect(await finishCommitted({ ...ports, attempts }, { stored, working: stored }, marker, 'executor')).toEqual(
      stored,
    );
    expect(world.attempt()).toEqual(stored);
    expect(reached).toEqual([]);
  });

  it('is answered as it was read when its record has disappeared', async () => {
    const { ports, stored, marker } = await committed();
    const attempts: ProvisioningPorts['attempts'] = {
      ...ports.attempts,
      mutate: () => Promise.resolve({ outcome: 'not_applied' }),
      findById: () => Promise.resolve(null),
    };
    expect(await finishCommitted({ ...ports, attempts }, { stored, working: stored }, marker, 'executor')).toEqual(
      stored,
    );
  });
});
