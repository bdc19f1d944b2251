/** The end of an investigation of an event that provisioning admitted and left without an outcome. */
import type { ProviderEventMessage } from '@platform/contracts-provisioning';
import { plainRegister } from '@platform/durable/executors';
import { verifyTrail, keepTrail } from '@platform/durable/trail';
import { createManualClock, createSequentialIds, silentLog } from '@platform/kernel';
import { createFakeStore } from '@platform/mongo/testing';
import { createFakeProvider } from '@platform/payment-provider/testing';
import { admissionSteps, type EventAdmission, type PendingAdmission } from '../domain/event-admission';
import { eventTrail } from '../store/audit-blocks';
import { handleProviderEvent } from './handle-provider-event';
import { collectionsOf, type ProvisioningPorts } from './ports';
import type { AdmissionProofs, AdmissionReadingPorts } from './read-admission-resolution';
import { admissionInvestigation } from './resolve-event-admission';

const event = {
  eventId: 'evt_1',
  type: 'invoice.paid',
  created: '2026-01-01T00:00:00.000Z',
  object: { id: 'in_1' },
  admittedRevision: 'r-1',
} as ProviderEventMessage;
const proofs: AdmissionProofs = {
  id: 'evt_1',
  executorStopped: 'provisioning-1 is scaled down and its host is gone',
  outcome: 'applied',
  by: 'ann@example.com',
};

async function createWorld() {
  const clock = createManualClock();
  const store = createFakeStore({ clock, ids: createSequentialIds() });
  const { admissions, attempts } = collectionsOf(store);
  const executor = { service: 'provisioning', instance: 'provisioning-1', incarnation: 'boot-1' };
  const { eventId: _id, type, admittedRevision } = event;
  const inserted = await admissions.insert(
    admissionSteps.begin<PendingAdmission>({ _id, type, admittedRevision, executor, status: 'pending' }),
  );
  const stale = (inserted as { record: EventAdmission }).record as PendingAdmission;
  const provider = createFakeProvider({ clock, ids: createSequentialIds() });
  const ports: AdmissionReadingPorts = { admissions, attempts, provider, clock };
  return { clock, store, ports, admissions, stale, read: async () => (await admissions.findById('evt_1'))! };
}

describe('the resolution of an event admission', () => {
  it.each([
    ['applied', { kind: 'success' }],
    ['not_applied', { kind: 'skipped', error: 'Resolved as not applied by ann@example.com.' }],
  ] as const)('as %s completes it, with both words on record', async (outcome, judged) => {
    const { ports, read } = await createWorld();
    const planned = await admissionInvestigation.plan(ports, { ...proofs, outcome });
    if (!planned.ok) throw new Error(planned.error);
    expect(await read()).toMatchObject({ status: 'pending' });
    expect(await admissionInvestigation.record(ports, planned.value)).toMatchObject({ ok: true });
    expect(await read()).toMatchObject({
      status: 'completed',
      outcome: judged,
      resolution: { outcome, by: 'ann@example.com', executorStopped: proofs.executorStopped },
    });
  });

  it.each<[string, Partial<AdmissionProofs>, string]>([
    ['an event that was never admitted', { id: 'evt_9' }, 'no such event'],
    ['no proof that the handler is stopped', { executorStopped: 'gone' }, '--executor-stopped'],
    ['no person who answers for it', { by: 'ann' }, '--by'],
  ])('is refused for %s', async (_what, over, refusal) => {
    const { ports, read } = await createWorld();
    expect(await admissionInvestigation.plan(ports, { ...proofs, ...over })).toMatchObject({
      error: expect.stringContaining(refusal),
    });
    expect(await read()).toMatchObject({ status: 'pending' });
  });

  it('and an outcome of the handler at the same moment: one of them ends it, in both orders', async () => {
    for (const first of ['handler', 'person']) {
      const { ports, admissions, stale, read } = await createWorld();
      const planned = await admissionInvestigation.plan(ports, proofs);
      if (!planned.ok) throw new Error(planned.error);
      const complete = () =>
        admissions.mutate(
          stale,
          admissionSteps.move(stale, 'completed', { outcome: { kind: 'failed', error: 'late' } }),
        );
      const record = () => admissionInvestigation.record(ports, planned.value);
      const answers = { handler: complete, person: record };
      const second = first === 'handler' ? 'person' : 'handler';
      const firstAnswer = await answers[first as 'handler' | 'person']();
      const secondAnswer = await answers[second]();
      const [handled, resolved] = first === 'handler' ? [firstAnswer, secondAnswer] : [secondAnswer, firstAnswer];
      expect([(handled as { outcome: string }).outcome, (resolved as { ok: boolean }).ok]).toEqual(
        first === 'handler' ? ['applied', false] : ['not_applied', true],
      );
      expect(await read()).toMatchObject(
        first === 'handler' ? { outcome: { kind: 'failed' } } : { outcome: { kind: 'success' } },
      );
    }
  });

  it('is what the receiver hears when it sends the event again, and nothing is handled', async () => {
    const { ports, store, clock, read } = await createWorld();
    const planned = await admissionInvestigation.plan(ports, proofs);
    if (!planned.ok) throw new Error(planned.error);
    await admissionInvestigation.record(ports, planned.value);
    const announced: { body: object }[] = [];
    const retryPolicy = { tries: 1, pause: async () => {} };
    const handling = {
      ...collectionsOf(store),
      clock,
      executor: { instance: 'provisioning-2', incarnation: 'boot-9' },
      retryPolicy,
      work: plainRegister(retryPolicy, clock, silentLog),
      publishNow: (_source: string, _id: string, entries: readonly { body: object }[]) =>
        void announced.push(...entries),
    } as unknown as ProvisioningPorts;
    expect(await handleProviderEvent(handling, { ...event, admittedRevision: 'r-2' })).toBe('handled');
    expect(announced).toMatchObject([{ body: { eventId: 'evt_1', admittedRevision: 'r-2', outcome: 'success' } }]);
    expect(await read()).toMatchObject({ resolution: { by: 'ann@example.com' } });
  });

  it('is chained in a trail of its own, which a question of the receiver leaves whole and a forger does not', async () => {
    const { ports, store, clock, admissions, read } = await createWorld();
    const planned = await admissionInvestigation.plan(ports, proofs);
    if (!planned.ok) throw new Error(planned.error);
    await admissionInvestigation.record(ports, planned.value);
    clock.advance(120_000);
    const trail = eventTrail(store);
    expect(await keepTrail(trail, clock, () => false)).toBe(1);
    expect(await verifyTrail(trail)).toMatchObject({ rows: 1, faults: [] });
    const kept = (await read()) as Extract<EventAdmission, { status: 'completed' }>;
    const forged = { ...kept.resolution!, by: 'eve@example.com' };
    await admissions.mutate(kept, admissionSteps.keep(kept, { resolution: forged }));
    expect((await verifyTrail(trail)).faults).toHaveLength(1);
  });
});
