/** The answer to the caller of a creation, and what an executor does that loses its record or cannot write it. */
import { fromThe, overtakenWrites } from '@platform/durable/testing';
import { settle } from '@platform/testing';
import { attemptSteps, type Attempt, type OpenAttempt } from '../domain/attempt';
import { attemptsCollection, tenantsCollection } from '../store/collections';
import {
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  tenant,
  type ProvisioningWorld,
} from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import type { ProvisioningPorts } from './ports';
import { answerOf } from './run';

type Mutate = ProvisioningPorts['attempts']['mutate'];

/** Everything that a step of a creation changes outside its own record. */
const effectsOf = (world: ProvisioningWorld) => ({
  sends: world.provider.sends().length,
  heard: world.heard.length,
  tenants: world.store.collection(tenantsCollection).all(),
  marker: { ...world.marker(), outbox: [] },
});

/** A creation whose write of its attempt with this number, counted from 1, meets another process. */
async function meetsAt(write: number, meets: (mutate: Mutate) => Mutate) {
  const world = await createProvisioningWorld();
  const { ports } = bootProvisioning(world);
  const { mutate } = ports.attempts;
  const met = meets(mutate);
  let writes = 0;
  let then: ReturnType<typeof effectsOf> | undefined;
  const attempts: typeof ports.attempts = {
    ...ports.attempts,
    mutate: (...given) => {
      writes += 1;
      if (writes < write) return mutate(...given);
      then ??= effectsOf(world);
      return met(...given);
    },
  };
  const answer = await createWorkspace({ ...ports, attempts }, creationRequest());
  await settle();
  return { world, answer, then };
}

const writesOfACreation = async () => {
  let writes = 0;
  await meetsAt(1, (mutate) => (...given) => {
    writes += 1;
    return mutate(...given);
  });
  return writes;
};

const takenOver =
  (mutate: Mutate): Mutate =>
  async (current, ...given) => {
    const executor = { ...current.executor, incarnation: 'of another process' };
    await mutate(current, attemptSteps.keep<OpenAttempt>(current as OpenAttempt, { executor }));
    return mutate(current, ...given);
  };
const unanswered = () => (): ReturnType<Mutate> =>
  Promise.resolve({ outcome: 'unknown', reason: 'the store did not answer' });

describe('an executor of a creation', () => {
  it.each<[string, (mutate: Mutate) => Mutate, object]>([
    ['another process takes the record over', takenOver, { kind: 'unresolved' }],
    ['the store does not answer any more', unanswered, { kind: 'unresolved', attempt: { _id: tenant } }],
  ])('does nothing after a write of its record when %s', async (_what, meets, refusal) => {
    const writes = await writesOfACreation();
    let before = 0;
    for (let write = 1; write <= writes; write += 1) {
      const { world, answer, then } = await meetsAt(write, meets);
      if (world.marker()?.provisioningState === 'committed') {
        // The marker decides: the record follows it, now or by the reconciliation.
        expect({ write, answer }).toMatchObject({ write, answer: { kind: 'committed' } });
        continue;
      }
      before += 1;
      expect({ write, answer }).toMatchObject({ write, answer: refusal });
      expect({ write, effects: effectsOf(world) }).toEqual({ write, effects: then });
    }
    expect(before).toBeGreaterThan(6);
    expect(before).toBeLessThan(writes);
  });

  it('answers with the record of the process that has taken over', async () => {
    const { world, answer } = await meetsAt(2, takenOver);
    expect(answer).toEqual({ kind: 'unresolved', attempt: world.attempt() });
    expect(world.attempt()).toMatchObject({ status: 'preparing', executor: { incarnation: 'of another process' } });
  });

  it('answers that the creation is open when the record has disappeared', async () => {
    const world = await createProvisioningWorld();
    const { ports } = bootProvisioning(world);
    const attempts = overtakenWrites(ports.attempts, fromThe(1), (current) => ports.attempts.remove(current));
    expect(await createWorkspace({ ...ports, attempts }, creationRequest())).toMatchObject({
      kind: 'unresolved',
      attempt: { _id: tenant },
    });
    expect(world.provider.sends()).toEqual([]);
  });

  it('alerts people at once when it stops, and confirms the alert in the record', async () => {
    const world = await createProvisioningWorld();
    const { ports } = bootProvisioning(world);
    world.provider.failNext('lost_answer_before_effect', { step: 'create_customer' });
    await createWorkspace(ports, creationRequest());
    await settle();
    expect(world.published).toMatchObject([
      {
        // A stop for another reason is another alert.
        id: `alert:provisioning:provisioning_attempt:${tenant}:outcome_unknown`,
        subject: 'alert.reconciliation_required.provisioning.provisioning_attempt',
        body: {
          kind: 'provisioning_attempt',
          id: tenant,
          tenantId: tenant,
          reason: world.attempt()?.lastError?.message,
        },
      },
    ]);
    expect(await world.store.collection(attemptsCollection).outbox.pending(10)).toEqual([]);
  });
});

describe('the answer to the caller of a creation that has been taken back', () => {
  const cancelled = async (lastError: Attempt['lastError']) => {
    const world = await createProvisioningWorld();
    world.provider.failNext('card_declined', { step: 'attach_payment_method' });
    await createWorkspace(bootProvisioning(world).ports, creationRequest());
    const { lastError: _declined, ...attempt } = world.attempt() as Extract<Attempt, { status: 'cancelled' }>;
    return { ...attempt, ...(lastError && { lastError }) };
  };

  it.each([
    ['its code', { code: 'capacity_exhausted', message: 'full' }, 'capacity_exhausted', 'full'],
    [
      'a general code for one of the service itself',
      { code: 'closure_incomplete', message: 'late' },
      'provider_refused',
      'late',
    ],
    ['a general code when the record names none', undefined, 'provider_refused', expect.any(String)],
  ])('has %s', async (_what, lastError, code, message) => {
    expect(answerOf(await cancelled(lastError))).toEqual({ kind: 'refused', code, message });
  });
});
