/** Prepared creations by their first payment: paid ones are committed, and nothing is charged. */
import { losingWrites } from '@platform/durable/testing';
import { attemptSteps, type OpenAttempt } from '../domain/attempt';
import { markerSteps, type OpenMarker } from '../domain/marker';
import { beginRollback, stop } from '../domain/progress';
import { attemptsCollection } from '../store/collections';
import {
  awaitingItsPerson,
  interruptedCreation,
  openAttempt,
  paidWithoutAnswer,
} from '../testing/interrupted-creations';
import { freePlan, tenant, type ProvisioningWorld } from '../testing/provisioning-world';
import type { ProvisioningPorts } from './ports';
import { reconcileAttempt } from './reconcile';

const look = (ports: ProvisioningPorts, world: ProvisioningWorld, attempt = openAttempt(world)) =>
  reconcileAttempt(ports, attempt, 'reconciliation');

describe('a creation that is not prepared', () => {
  it('is left to its executor, and the provider is not asked', async () => {
    const { world, ports } = await interruptedCreation({
      before: ({ provider }) => provider.failNext('lost_answer_before_effect', { step: 'create_subscription' }),
    });
    world.provider.setDown(true);
    const attempt = world.attempt();
    expect(await look(ports, world)).toBe('not_prepared');
    expect(world.attempt()).toEqual(attempt);
  });
});

describe('a prepared creation that owes nothing', () => {
  it.each([
    ['free plan', { change: { plan: freePlan } }],
    ['trial', { limits: { trialDays: 14 } }],
  ])('for a %s is committed without a question to the provider', async (_what, options) => {
    const { world, ports } = await interruptedCreation({
      ...options,
      markers: ({ provisioningState }) => provisioningState === 'committed',
    });
    world.provider.setDown(true);
    expect(await look(ports, world)).toBe('committed');
    expect(world.attempt()).toMatchObject({ status: 'committed', paymentFree: true });
  });

  it('because it has no first invoice is committed', async () => {
    const { world, ports } = await paidWithoutAnswer();
    const { paymentFree: _unknown, ...attempt } = openAttempt(world);
    const { invoiceId: _none, ...handles } = attempt.handles;
    world.store.collection(attemptsCollection).put({ ...attempt, handles });
    expect(await look(ports, world)).toBe('committed');
  });
});

describe('a prepared creation whose first invoice is paid', () => {
  it('is committed', async () => {
    const { world, ports } = await paidWithoutAnswer();
    expect(await look(ports, world)).toBe('committed');
    expect(world.marker()).toMatchObject({ provisioningState: 'committed' });
  });

  it('is unknown while the provider does not answer', async () => {
    const { world, ports } = await paidWithoutAnswer();
    world.provider.setDown(true);
    const attempt = world.attempt();
    expect(await look(ports, world)).toBe('unknown');
    expect(world.attempt()).toEqual(attempt);
  });

  it('is unknown while its marker takes no write', async () => {
    const { world, ports, announced } = await paidWithoutAnswer();
    const markers = losingWrites(ports.markers);
    const attempt = world.attempt();
    expect(await look({ ...ports, markers }, world)).toBe('unknown');
    expect(world.attempt()).toEqual(attempt);
    expect(announced).toEqual([]);
  });
});

const error = {
  code: 'paid_while_taken_back',
  message: 'Nothing is owed on the first invoice any more, and this creation is being taken back.',
};
const alert = {
  id: `alert:provisioning:provisioning_attempt:${tenant}:${error.code}`,
  subject: 'alert.reconciliation_required.provisioning.provisioning_attempt',
  body: {
    service: 'provisioning',
    kind: 'provisioning_attempt',
    id: tenant,
    tenantId: tenant,
    reason: error.message,
    at: expect.any(String),
  },
};

/** A declined creation whose rollback could not close admission; then its person paid the invoice at the provider. */
async function paidWhileTakenBack() {
  const stage = await interruptedCreation({
    change: { paymentMethodId: 'pm_card_chargeCustomerFail' },
    markers: ({ closedAt }) => closedAt !== undefined,
  });
  stage.world.provider.confirmPayment(openAttempt(stage.world).handles.invoiceId ?? '');
  return stage;
}

/** A creation whose payment arrives after its admission was closed; its attempt was read before the rollback began. */
async function closedMeanwhile() {
  const stage = await awaitingItsPerson();
  const read = openAttempt(stage.world);
  const marker = stage.world.marker() as OpenMarker;
  await stage.ports.markers.mutate(marker, markerSteps.keep<OpenMarker>(marker, { closedAt: new Date(0) }));
  stage.world.provider.confirmPayment(read.handles.invoiceId ?? '');
  return { ...stage, read };
}

describe('a creation that is paid while it is taken back', () => {
  it('is not committed: it stops and alerts people, once', async () => {
    const { world, ports, announced } = await paidWhileTakenBack();
    expect(world.attempt()).toMatchObject({ lastError: { code: 'closure_incomplete' } });
    expect(await look(ports, world)).toBe(error.code);
    const stopped = world.attempt();
    expect(stopped).toMatchObject({ status: 'reconciliation_required', lastError: error });
    expect(stopped?.outbox?.at(-1)).toMatchObject(alert);
    expect(announced).toMatchObject([{ source: 'attempts', recordId: tenant, entries: [alert] }]);
    expect(await look(ports, world)).toBe(error.code);
    expect(world.attempt()).toEqual(stopped);
    expect(announced).toHaveLength(1);
    expect(world.marker()).toMatchObject({ provisioningState: 'awaiting_payment' });
  });

  it('stops also when its rollback began after the attempt was read', async () => {
    const { world, ports, announced, read } = await closedMeanwhile();
    expect(await look(ports, world, read)).toBe(error.code);
    expect(world.attempt()).toMatchObject({ status: 'reconciliation_required', lastError: error });
    expect(announced).toMatchObject([{ source: 'attempts', entries: [alert] }]);
  });

  it('announces nothing when another process has written the attempt meanwhile', async () => {
    const { world, ports, announced, read } = await closedMeanwhile();
    const begun = beginRollback(read, ports.executor, { code: 'confirmation_expired', message: 'late' }, new Date(0));
    await ports.attempts.mutate(read, begun);
    const attempt = world.attempt();
    expect(await look(ports, world, read)).toBe(error.code);
    expect(world.attempt()).toEqual(attempt);
    expect(announced).toEqual([]);
  });

  it('does not stop where nothing had to be paid', async () => {
    const { world, ports, announced } = await interruptedCreation({
      change: { plan: freePlan },
      markers: ({ provisioningState }) => provisioningState === 'committed',
    });
    const attempt = openAttempt(world);
    await ports.attempts.mutate(
      attempt,
      beginRollback(attempt, ports.executor, attempt.lastError ?? error, new Date(0)),
    );
    const takenBack = world.attempt();
    expect(await look(ports, world)).toBe(error.code);
    expect(world.attempt()).toEqual(takenBack);
    expect(world.marker()).toMatchObject({ provisioningState: 'awaiting_payment' });
    expect(announced).toEqual([]);
  });
});

describe('a first payment that waits for its person', () => {
  it.each([
    [
      'is written down when the provider has made it',
      undefined,
      'https://invoice.test/new',
      'https://invoice.test/new',
    ],
    ['stays unknown while the provider has none', undefined, null, undefined],
    [
      'is not written a second time',
      'https://invoice.test/first',
      'https://invoice.test/new',
      'https://invoice.test/first',
    ],
  ])('has a page whose address %s', async (_what, known, shown, recorded) => {
    const { world, ports } = await awaitingItsPerson();
    const waiting = openAttempt(world);
    const since = new Date(0);
    const confirmation = { reason: 'authentication_required', since, ...(known && { url: known }) } as const;
    await ports.attempts.mutate(waiting, attemptSteps.keep<OpenAttempt>(waiting, { confirmation }));
    const before = world.attempt();
    const provider: ProvisioningPorts['provider'] = {
      ...ports.provider,
      retrieveInvoice: async (invoiceId) => {
        const read = await ports.provider.retrieveInvoice(invoiceId);
        return read.outcome === 'succeeded' ? { ...read, value: { ...read.value, hostedUrl: shown } } : read;
      },
    };
    expect(await look({ ...ports, provider }, world)).toBe('unpaid');
    expect(world.attempt()?.confirmation?.url).toBe(recorded);
    expect(world.attempt()?.revision === before?.revision).toBe(known === recorded);
  });

  it('is not taken back once people must look at its creation', async () => {
    const { world, ports } = await awaitingItsPerson();
    const waiting = openAttempt(world);
    await ports.attempts.mutate(waiting, stop(waiting, { code: 'outcome_unknown', message: 'a call has no answer' }));
    world.provider.expirePayment(waiting.handles.invoiceId ?? '');
    const [stopped, sends] = [world.attempt(), world.provider.sends().length];
    expect(await look(ports, world)).toBe('unpaid');
    expect(world.attempt()).toEqual(stopped);
    expect(world.provider.sends()).toHaveLength(sends);
  });
});
