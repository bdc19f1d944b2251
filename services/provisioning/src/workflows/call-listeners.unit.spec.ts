import { listenerSubjects } from '@platform/contracts-provisioning';
import { ok, refused, type Result } from '@platform/kernel';
import type { RequestRefusal } from '@platform/messaging';
import { attemptSteps, type PreparingAttempt } from '../domain/attempt';
import { newAttempt } from '../domain/progress';
import { listenersCollection } from '../store/collections';
import {
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  tenant,
  type WorldOptions,
} from '../testing/provisioning-world';
import { askListener, callListeners, registeredFor } from './call-listeners';
import type { Run } from './run';

const event = 'TENANT_BEING_PROVISIONED';
const plainNotice = {
  ...({ event, tenantId: tenant, attemptId: tenant, workspaceName: 'Ada Works' } as const),
  ...{ ownerUserId: 'user-1', planId: 'starter' },
};
const called = (listener: string, outcome?: 'done' | 'failed') => ({
  ...{ listener, event, calledAt: expect.any(Date) as unknown },
  ...(outcome && { outcome }),
});

/** The run of a creation that has only its record. */
async function started(options: WorldOptions) {
  const world = await createProvisioningWorld(options);
  const { ports } = bootProvisioning(world);
  const insertion = await ports.attempts.insert(newAttempt(creationRequest(), ports.executor, { trialKeys: [] }));
  if (insertion.outcome !== 'applied') throw new Error('not inserted');
  const attempt = insertion.record as PreparingAttempt;
  const run: Run = { ports, stored: attempt, attempt };
  return { world, ports, run, attempt };
}

describe('the calls of the listeners', () => {
  it('are recorded before they are made, one after another, and carry the extras', async () => {
    const { world, run } = await started({ listeners: ['storage', 'search'] });
    const recorded: unknown[] = [];
    for (const listener of ['storage', 'search'])
      world.listenerAnswers.set(listener, () => {
        recorded.push(world.attempt()?.listenerCalls);
        return ok({ done: true });
      });
    const extras = { note: 'hello' };
    expect(await callListeners(run, event, extras)).toEqual({ kind: 'done' });
    expect(world.heard).toEqual(
      ['storage', 'search'].map((listener) => ({ listener, event, notice: { ...plainNotice, extras } })),
    );
    expect(recorded).toEqual([[called('storage')], [called('storage', 'done'), called('search')]]);
    expect(run.attempt.listenerCalls).toEqual([called('storage', 'done'), called('search', 'done')]);
  });

  it('are not made while the registration of a listener cannot be read', async () => {
    const { world, run } = await started({ listeners: ['storage', 'search'] });
    const rows = world.store.collection(listenersCollection);
    const [, search] = rows.all();
    rows.put({ ...search!, status: 'of a newer release' });
    expect(await callListeners(run, event)).toMatchObject({ kind: 'failed', error: { code: 'listeners_unreadable' } });
    expect([world.heard, run.attempt.listenerCalls]).toEqual([[], []]);
  });

  it('carry no extras where the creation has none', async () => {
    const { world, run } = await started({});
    await callListeners(run, event);
    expect(world.heard.map(({ notice }) => notice)).toStrictEqual([plainNotice]);
  });

  it.each([
    [{ code: 'timeout' }, 'timeout', 'What it did is not known.'],
    [{ code: 'disconnected' }, 'disconnected', 'What it did is not known.'],
    [{ code: 'refused', serverCode: 'no_responders' }, 'no_responders', 'What it did is not known.'],
    [{ code: 'no_responders' }, 'no_responders', 'No process received the call, so it has done nothing.'],
    [{ code: 'not_connected' }, 'not_connected', 'No process received the call, so it has done nothing.'],
  ] as const)(
    'end with the first that does not succeed (%j), and what is known of it is recorded',
    async (refusal, failure, known) => {
      const { world, run } = await started({ listeners: ['storage', 'search'] });
      world.listenerAnswers.set('storage', () => refused({ ...refusal, message: 'no answer' }));
      expect(await callListeners(run, event)).toEqual({
        kind: 'failed',
        error: {
          code: 'listener_failed',
          message: `Listener storage of ${event} did not succeed (${failure}). ${known}`,
        },
      });
      expect(world.heard.map(({ listener }) => listener)).toEqual(['storage']);
      expect(run.attempt.listenerCalls).toEqual([called('storage', 'failed')]);
    },
  );

  it('are not made by an executor whose record another one has changed', async () => {
    const { world, ports, run, attempt } = await started({});
    const lastError = { code: 'stopped', message: 'by another' };
    await ports.attempts.mutate(attempt, attemptSteps.move(attempt, 'reconciliation_required', { lastError }));
    expect(await callListeners(run, event)).toMatchObject({
      kind: 'ended',
      answer: { kind: 'unresolved', attempt: { lastError } },
    });
    expect(world.heard).toEqual([]);
  });

  it('reach every registered listener, however many names were removed', async () => {
    const { world, ports } = await started({ listeners: ['storage'] });
    const listeners = world.store.collection(listenersCollection);
    const storage = listeners.all()[0]!;
    for (let at = 0; at < 1_000; at += 1)
      listeners.put({ ...storage, _id: `removed-${at}`, status: 'unregistered', registeredBy: 'gone' });
    expect(await registeredFor(ports, event)).toMatchObject({ ok: true, value: [{ _id: 'storage' }] });
  });
});

describe('the answer of a listener', () => {
  const refusal = (change: Partial<RequestRefusal>) =>
    refused({ code: 'refused' as const, message: 'Ada lives in London', ...change });

  it.each<[string, Result<unknown, RequestRefusal>, string | null]>([
    ['success', ok({ done: true }), null],
    ['something else', ok({ done: false }), 'answer_not_understood'],
    ['no answer', refusal({ code: 'timeout' }), 'timeout'],
    ['a refusal with a code', refusal({ serverCode: 'quota_exceeded' }), 'quota_exceeded'],
    ['a refusal without one', refusal({}), 'refused'],
    ['a refusal whose code is a text', refusal({ serverCode: 'Ada lives in London' }), 'refused'],
  ])('that is %s is taken as a code, never as its text', async (_what, answer, expected) => {
    const asked: unknown[] = [];
    const request = async (...given: unknown[]) => {
      asked.push(given);
      return answer;
    };
    const { messaging, limits } = bootProvisioning(await createProvisioningWorld()).ports;
    const error = await askListener({ messaging: { ...messaging, request }, limits }, 'storage', plainNotice);
    const message = `Listener storage of ${event} did not succeed (${expected}). What it did is not known.`;
    expect(error).toEqual(expected === null ? null : { code: 'listener_failed', message });
    expect(asked).toEqual([[listenerSubjects[event]('storage'), plainNotice, limits.listenerTimeoutMs]]);
  });
});
