/**
 * The crash sweep of checkout: start, completion and expiry, every port call with every fault. Afterwards the service
 * boots again, the event is delivered again, the caller repeats the request, and the invariants are checked. Builds
 * that break a law on purpose prove that the sweep detects violations.
 */
import { StoreUnavailableError, type Store } from '@platform/mongo';
import type { PaymentProvider } from '@platform/payment-provider';
import { misreadAnswers, providerFaults } from '@platform/payment-provider/testing';
import {
  assertCaught,
  assertNoViolations,
  checkHistory,
  combineFaults,
  formatSweep,
  formatViolations,
  instrument,
  investigationFaults,
  messagingFaults,
  providerSendFaults,
  runSweep,
  settle,
  storeFaults,
  type Evidence,
  type Scenario,
  type SweepResult,
} from '@platform/testing';
import type { OperationRequest } from '../../operations/domain/operation';
import { checkoutReceiptsCollection } from '../store/checkout-receipts';
import { providerEventAdmissionsCollection } from '../../provider-events/store/provider-event-admissions';
import { recordEnd } from '../../operations/testing/record-end';
import { submitOperation, unlessAway } from '../../operations/testing/submit-operation';
import { bootEvents, outcomesOf, providerEvent, type EventLife } from '../../provider-events/testing/event-world';
import { evidenceOf } from '../../testing/operator-history';
import { createOperatorWorld, tenant, type OperatorWorld } from '../../testing/operator-world';
import { finishClearing } from '../../operations/workflows/finish-clearing';
import { handleProviderEvent } from '../../provider-events/workflows/handle-provider-event';
import { refreshMirrors } from '../../mirror/workflows/refresh-mirrors';
import { endWaitingCheckouts } from './end-waiting-checkouts';
import { stopInterruptedEvents } from '../../provider-events/workflows/stop-interrupted-events';

const request: OperationRequest = {
  operationId: 'op-checkout-001',
  tenantId: tenant,
  action: 'checkout',
  values: { planId: 'pro', successUrl: 'https://app.test/done', cancelUrl: 'https://app.test/back' },
  actor: { id: 'owner', email: 'ann@example.com' },
};
/** What the person, the bank and the trial reservations do in each scenario. */
const ends = ['completed', 'expired', 'paid by a bank later', 'refused by a bank later', 'a second trial'] as const;
type End = (typeof ends)[number];
const bankAnswers: Partial<Record<End, 'succeeded' | 'failed'>> = {
  'paid by a bank later': 'succeeded',
  'refused by a bank later': 'failed',
};
const takenBack: ReadonlySet<End> = new Set<End>(['refused by a bank later', 'a second trial']);
interface Mutant {
  readonly ports?: (
    ports: { readonly store: Store; readonly provider: PaymentProvider },
    world: OperatorWorld,
  ) => { readonly store: Store; readonly provider: PaymentProvider };
}

/** What the person does on the provider's page, once per world, if there is a page. */
function play(world: OperatorWorld, end: End): string | undefined {
  const made = world.provider.ledger().find(({ step }) => step === 'create_session')?.objectId;
  if (made === undefined) return undefined;
  try {
    if (end === 'expired') world.provider.expireCheckout(made);
    else world.provider.completeCheckout(made, { bankAnswersLater: bankAnswers[end] !== undefined });
  } catch {
    // This world has played the scenario already.
  }
  return made;
}

async function deliver(life: EventLife, world: OperatorWorld, end: End): Promise<void> {
  const sessionId = play(world, end);
  if (sessionId === undefined) return;
  const bank = bankAnswers[end];
  const finished = end === 'expired' ? 'expired' : 'completed';
  const told = ['evt_1', 'evt_1', 'evt_2'].map((eventId) => ({ eventId, type: finished }));
  if (bank) told.push({ eventId: 'evt_3', type: `async_payment_${bank}` });
  for (const { eventId, type } of told) {
    if (eventId === 'evt_3') await letBankAnswer(world, sessionId, bank === 'succeeded');
    await unlessAway(
      handleProviderEvent(life.events, providerEvent(eventId, `checkout.session.${type}`, { id: sessionId }, 'rev-1')),
    );
    await settle();
  }
}

/** Once per world. */
async function letBankAnswer(world: OperatorWorld, sessionId: string, pays: boolean): Promise<void> {
  const session = await world.provider.retrieveCheckoutSession(sessionId);
  const id = session.outcome === 'succeeded' ? (session.value.invoiceId ?? '') : '';
  const invoice = await world.provider.retrieveInvoice(id);
  if (invoice.outcome !== 'succeeded' || invoice.value.status !== 'open') return;
  if (pays) world.provider.confirmPayment(id);
  else world.provider.expirePayment(id);
}

/**
 * Violations of two rules: a subscription is sold exactly when its checkout succeeded, and a paid subscription is never
 * taken back.
 */
async function soldWrongly(world: OperatorWorld, end: End): Promise<string[]> {
  const [operation] = world.operations();
  const made = world.provider.ledger().find(({ step }) => step === 'create_session')?.objectId ?? '';
  const session = await world.provider.retrieveCheckoutSession(made);
  if (session.outcome !== 'succeeded' || !session.value.subscriptionId || operation?.resolution) return [];
  const sold = await world.provider.retrieveSubscription(session.value.subscriptionId);
  const runs = sold.outcome === 'succeeded' && sold.value.status !== 'canceled';
  const decided = operation?.status === 'succeeded' || operation?.status === 'failed';
  return [
    ...(takenBack.has(end) && operation?.status === 'succeeded' ? [`${end}: and the checkout succeeded`] : []),
    ...(takenBack.has(end) && decided && runs ? [`${end}: and the subscription goes on`] : []),
    ...(!takenBack.has(end) && !runs ? ['a sale that remains was taken back'] : []),
  ];
}

async function checkEverything(world: OperatorWorld, end: End): Promise<string[]> {
  const [operation] = world.operations();
  const receipts = await world.store.collection(checkoutReceiptsCollection).find({}, { limit: 10 });
  const admissions = await world.store
    .collection(providerEventAdmissionsCollection)
    .find({ status: 'pending', 'executor.instance': 'operator-1' }, { limit: 10 });
  const outcomes = outcomesOf(world);
  const transition = world.subscription()?.transition;
  const evidence: Evidence = evidenceOf(world);
  const soldOnce = evidence.ledger.filter(({ step }) => step === 'create_session').length <= 1;
  return [
    ...formatViolations(checkHistory(evidence)),
    ...(soldOnce ? [] : ['two sessions were made for one operation']),
    ...(receipts.length > 0 &&
    operation?.resolution === undefined &&
    operation?.status !== 'succeeded' &&
    operation?.status !== 'running' &&
    operation?.status !== 'reconciliation_required'
      ? [`a receipt exists, and the operation is ${operation?.status}`]
      : []),
    ...(receipts.length > 0 && !evidence.ledger.some(({ step }) => step === 'set_default_payment_method')
      ? ['the receipt exists before the awaited effect']
      : []),
    ...(receipts.length > 0 && end === 'expired' ? ['an expired session has a receipt'] : []),
    ...(operation?.status === 'succeeded' && !operation.resolution && receipts.length !== 1
      ? ['the checkout succeeded without its receipt']
      : []),
    ...((operation?.status === 'succeeded' || operation?.status === 'failed') && transition
      ? [`the operation is ${operation.status}, and its transition still remains`]
      : []),
    ...(admissions.length > 0 ? ['an event is still pending after the restart'] : []),
    ...(operation?.status === 'awaiting_receipts' && outcomes['evt_1'] === 'success'
      ? operation.checkout?.waitsFor
        ? []
        : ['the event ended well, and the checkout still waits']
      : []),
    ...(await soldWrongly(world, end)),
  ];
}

function scenario(end: End, mutant: Mutant = {}): Scenario<OperatorWorld, EventLife> {
  return {
    name: `checkout, ${end}`,
    createWorld: () => createOperatorWorld({ planId: 'free', provider: { customerId: 'cus_acme' } }),
    boot: async (world, { tape, incarnation }) => {
      const honest = {
        store: instrument('store', world.watched, tape),
        provider: instrument('provider', world.provider as PaymentProvider, tape),
      };
      const life = bootEvents(world, incarnation, {
        ...(mutant.ports?.(honest, world) ?? honest),
        broker: instrument('messaging', world.broker, tape),
        trial: async ({ begun }) => ({
          kind: 'decided',
          days: end === 'a second trial' && !begun ? 14 : 0,
          held: end === 'a second trial' && begun === true,
        }),
      });
      if (incarnation > 1) await unlessAway(stopInterruptedEvents(life.events, async () => 'superseded'));
      return life;
    },
    act: async (life, world) => {
      await submitOperation(life, world, request);
      await deliver(life, world, end);
      await submitOperation(life, world, { ...request, values: { ...request.values, planId: 'starter' } });
    },
    recover: async (life, world) => {
      await unlessAway(stopInterruptedEvents(life.events, async () => 'superseded'));
      await unlessAway(finishClearing(life.ports));
      await unlessAway(life.sweepOutbox());
      await unlessAway(life.sweepEvents());
      await deliver(life, world, end);
      await submitOperation(life, world, request);
      await unlessAway(endWaitingCheckouts(life.events));
      await unlessAway(refreshMirrors(life.events));
      await unlessAway(finishClearing(life.ports));
      await unlessAway(life.sweepOutbox());
      await unlessAway(life.sweepEvents());
      await settle();
    },
    check: (world) => checkEverything(world, end),
    faultsFor: combineFaults(
      storeFaults({ port: 'store', unavailable: () => new StoreUnavailableError('simulated') }),
      messagingFaults({ port: 'messaging' }),
      providerSendFaults<OperatorWorld, (typeof providerFaults)[number]['kind']>({
        port: 'provider',
        kinds: providerFaults.map(({ kind }) => kind),
        arm: (world, kind) => world.provider.failNext(kind),
      }),
      investigationFaults({ record: (world, outcome) => recordEnd(world, request.operationId, outcome) }),
    ),
  };
}

describe('the crash sweep of checkout', () => {
  const results: SweepResult[] = [];
  afterAll(() => process.stdout.write(`${formatSweep(results)}\n`));

  it.each(ends)('finds no violation when the session ends like this, whatever fails wherever: %s', async (end) => {
    const result = await runSweep(scenario(end), { pairs: { seed: 11, sample: { lean: 10, full: 300 } } });
    results.push(result);
    assertNoViolations(result);
    expect(result.calls.length).toBeGreaterThan(10);
  });

  it('notices a build that takes an unknown card answer for done', async () => {
    const credulous: Mutant = {
      ports: ({ store, provider }, world) => ({
        store,
        provider: {
          ...world.provider,
          retrieveCheckoutSession: (id) => provider.retrieveCheckoutSession(id),
          prepare: misreadAnswers(provider, 'set_default_payment_method', (answer) =>
            answer.outcome === 'unknown'
              ? {
                  outcome: 'succeeded',
                  value: { id: 'cus_acme', deleted: false, currency: null, balance: 0, metadata: {} },
                  evidence: answer.evidence,
                }
              : answer,
          ),
        },
      }),
    };
    await assertCaught(scenario('completed', credulous), /I4|the receipt exists before the awaited effect/);
  });

  it('notices a build that completes what no bank has paid', async () => {
    const credulous: Mutant = {
      ports: ({ store, provider }) => ({
        store,
        provider: {
          ...provider,
          prepare: (intent, effect) => provider.prepare(intent, effect),
          retrieveSubscription: (id) => provider.retrieveSubscription(id),
          retrieveCheckoutSession: async (id) => {
            const read = await provider.retrieveCheckoutSession(id);
            return read.outcome === 'succeeded' ? { ...read, value: { ...read.value, paymentStatus: 'paid' } } : read;
          },
        },
      }),
    };
    await assertCaught(scenario('refused by a bank later', credulous), /and the checkout succeeded/);
  });

  it('notices a build whose events are admitted by every process', async () => {
    const open: Mutant = {
      ports: ({ store, provider }) => ({
        provider,
        store: {
          ...store,
          now: () => store.now(),
          collection: (declaration) => {
            const collection = store.collection(declaration);
            if (declaration.name !== 'checkout_receipts') return collection;
            return {
              ...collection,
              name: collection.name,
              outbox: collection.outbox,
              findById: async () => null,
              insert: async (draft) => ({ outcome: 'applied', record: draft as never }),
            };
          },
        },
      }),
    };
    await assertCaught(scenario('completed', open), /without its receipt/);
  });
});
