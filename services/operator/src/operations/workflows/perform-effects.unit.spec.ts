/** The effects of one attempt: what the admitting write has recorded, what an earlier attempt did, and what is skipped. */
import { forged } from '@platform/durable/testing';
import { bootOperator, createOperatorWorld, tenant } from '../../testing/operator-world';
import { actionOf, type EffectStep } from '../domain/actions';
import type { EffectAnswer } from '../domain/effects';
import { recordCall } from '../domain/journal';
import type { RunningOperation } from '../domain/operation';
import { operationsCollection } from '../store/operations';
import { attempt, running } from '../testing/action-fixtures';
import { firstEffect } from './perform-attempt';
import { performEffects, prepareRecorded } from './perform-effects';

const pause = { step: 'pause_collection', subscriptionId: 'sub_acme' } as const;
const credit = {
  step: 'balance_credit',
  customerId: 'cus_acme',
  currency: 'usd',
  amountCents: 500,
  description: 'sorry',
} as const;
const done = { step: 'pause_collection', idempotencyKey: 'k', sentAt: new Date(0), outcome: 'succeeded' } as const;

/** An operation in the store whose last attempt has just begun; `earlier` are the calls of an attempt before it. */
async function begun(earlier: Parameters<typeof attempt>[0] = {}) {
  const world = await createOperatorWorld();
  const { ports } = bootOperator(world, 1);
  const attempts = [...(earlier.providerCalls ? [attempt(earlier)] : []), attempt({ number: 2 })];
  const operation = running('suspend', { _id: 'op-effects-001', tenantId: tenant, attempts });
  const store = (record: RunningOperation) => {
    world.store.collection(operationsCollection).put(record as never);
    return world.operations()[0] as RunningOperation;
  };
  const perform = async (steps: readonly EffectStep[], first: ReturnType<typeof prepareRecorded> = null) => {
    const stored = store(
      first ? ({ ...operation, ...recordCall(operation, first.record) } as RunningOperation) : operation,
    );
    const performed = await performEffects(ports, stored, steps, first);
    if (performed.kind !== 'done') throw new Error('the attempt has ended');
    const calls = performed.hold.working.attempts.at(-1)!.providerCalls;
    return { calls, answers: performed.answers, sends: world.provider.sends().map(({ step }) => step) };
  };
  return { world, ports, operation, perform };
}

describe('the call that the admitting write records', () => {
  const first = async (effects: readonly EffectStep[]) => {
    const { ports, operation, world } = await begun();
    const action = { ...actionOf('credit_customer'), effects: () => effects };
    return firstEffect(ports, action, world.subscription()!, forged<RunningOperation>(operation));
  };

  it('is that of the first step', async () => {
    expect(await first([credit, pause])).toMatchObject({
      call: { send: expect.any(Function) as unknown },
      record: { step: 'balance_credit', idempotencyKey: 'op-effects-001:balance_credit' },
    });
  });

  it.each<[string, readonly EffectStep[]]>([
    ['does nothing at the provider', []],
    ['makes its first step from answers', [{ step: 'balance_credit', from: () => credit }]],
    ['skips its first step', [{ step: 'pause_collection', skipped: 'it is free' }, credit]],
  ])('is none for an action that %s', async (_what, effects) => {
    expect(await first(effects)).toBeNull();
  });
});

describe('the effects of an attempt', () => {
  it('begin with the call that the admitting write has recorded, and go on with others', async () => {
    const { ports, operation, perform } = await begun();
    const first = prepareRecorded(ports, operation._id, credit);
    const { calls, answers, sends } = await perform([credit, pause], first);
    expect(sends).toEqual(['balance_credit', 'pause_collection']);
    expect(calls.map(({ step, outcome }) => [step, outcome])).toEqual([
      ['balance_credit', 'succeeded'],
      ['pause_collection', 'succeeded'],
    ]);
    expect(answers.map(({ step }) => step)).toEqual(['balance_credit', 'pause_collection']);
  });

  it('send a recorded call although an earlier attempt has done its step', async () => {
    const { ports, operation, perform } = await begun({ providerCalls: [done] });
    const { calls, sends } = await perform([pause], prepareRecorded(ports, operation._id, pause));
    expect(sends).toEqual(['pause_collection']);
    expect(calls).toMatchObject([{ step: 'pause_collection', outcome: 'succeeded' }]);
  });

  it.each([
    ['with its object', { ...done, objectId: 'sub_acme' }, { step: 'pause_collection', objectId: 'sub_acme' }],
    ['without one', done, { step: 'pause_collection' }],
  ])('give later steps the answer of an earlier attempt %s, and send nothing for it', async (_how, call, answer) => {
    const { perform } = await begun({ providerCalls: [call] });
    const given: (readonly EffectAnswer[])[] = [];
    const later = {
      step: 'balance_credit',
      from: (answers: readonly EffectAnswer[]) => (given.push([...answers]), null),
    };
    const { calls, answers, sends } = await perform([pause, later as EffectStep]);
    expect([given, answers, sends]).toStrictEqual([[[answer]], [answer], []]);
    expect(calls).toEqual([{ step: 'pause_collection', skipped: 'an earlier attempt has done it' }]);
  });

  it('end with a refusal that is not about an absent object, also with one that has no details', async () => {
    const { world, ports, perform } = await begun();
    world.provider.failNext('card_declined', { step: 'pause_collection' });
    const step = { ...pause, unlessAbsent: true } as const;
    await expect(perform([step, credit])).rejects.toThrow('the attempt has ended');
    const refused = ports.provider.prepare({ operationId: 'op-effects-001' }, pause);
    const call = {
      description: refused.description,
      send: async () => ({ outcome: 'failed', code: 'declined', message: 'no', evidence: {} }) as never,
    };
    const first = { call, record: prepareRecorded(ports, 'op-effects-001', pause)!.record };
    await expect(perform([step, credit], first)).rejects.toThrow('the attempt has ended');
    expect(world.provider.sends().map((send) => send.step)).not.toContain('balance_credit');
  });

  it('are not sent by an executor that has lost the record, which learns what the record says', async () => {
    const { world, ports, operation } = await begun();
    const put = (record: object) => world.store.collection(operationsCollection).put(record as never);
    put(operation);
    const read = world.operations()[0] as RunningOperation;
    put({ ...read, revision: 'another', status: 'failed', error: { code: 'c', message: 'm' } });
    expect(await performEffects(ports, read, [pause])).toMatchObject({
      kind: 'ended',
      answer: { kind: 'failed', operation: { error: { code: 'c' } } },
    });
    expect(world.provider.sends()).toEqual([]);
  });

  it('note a step that does not apply by its own reason, and take no answer for it', async () => {
    const { perform } = await begun({ providerCalls: [done] });
    const { calls, answers, sends } = await perform([{ step: 'pause_collection', skipped: 'it is free' }]);
    expect([answers, sends]).toEqual([[], []]);
    expect(calls).toEqual([{ step: 'pause_collection', skipped: 'it is free' }]);
  });
});
