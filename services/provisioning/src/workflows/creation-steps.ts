/** The steps of a creation, in the order of workflows §3; `create-workspace.ts` runs them. */
import { creationOperationId } from '@platform/contracts-provisioning';
import { assert, type Revisioned } from '@platform/kernel';
import { decide, writeFenced, type DecidedCollection, type Decision } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import type { Draft } from '@platform/mongo';
import type { CallIntent, PreparedCall } from '@platform/payment-provider';
import { markerSteps, type CommittedMarker, type CreationMarker, type PreparingMarker } from '../domain/marker';
import type { AttemptError } from '../domain/attempt';
import { awaitPayment } from '../domain/progress';
import { awaitItsConfirmation } from './await-confirmation';
import { callListeners } from './call-listeners';
import { commitCreation, finishCommitted } from './commit-creation';
import { coverRows } from './cover-rows';
import { takeCapacity, takeTrial } from './reserve';
import { rollBack } from './roll-back';
import { callProvider, save, stopRun, type CreationAnswer, type Run, type Step } from './run';

const persistenceUnknown = (what: string) => ({
  code: 'persistence_unknown',
  message: `It is not known whether ${what} was written down. Everything is kept.`,
});

/** An investigation ended this creation while its executor slept. */
function admissionClosed(run: Run, marker: CreationMarker | null): Promise<CreationAnswer> {
  return stopRun(run, {
    code: 'admission_closed',
    message: `The creation marker is ${marker?.provisioningState ?? 'gone'} already.`,
  });
}

/**
 * Step 2: before anything is reserved, sent or shown, so that the commit gate judges this creation from its beginning.
 */
const writeMarker: Step = async (run) => {
  const { tenantId } = run.attempt;
  const marker = markerSteps.begin<PreparingMarker>({
    _id: creationOperationId(tenantId),
    tenantId,
    provisioningState: 'preparing',
  });
  const { retryPolicy, markers } = run.ports;
  const insert = (read: CreationMarker | null): Decision<Checked<CreationMarker>, CreationMarker> =>
    read ? { answer: read } : { write: marker };
  const decided = await decide({ retryPolicy }, markers, marker._id, insert, null);
  if (decided.kind === 'unknown') return stopRun(run, persistenceUnknown('the creation marker'));
  const standing = decided.kind === 'written' ? decided.record : decided.answer;
  return standing.provisioningState === 'preparing' ? undefined : admissionClosed(run, standing);
};

/** Step 3: before any provider effect. A trial that is not granted does not refuse the creation. */
const reserve: Step = async (run) => {
  const { ports, attempt } = run;
  const { capacityKey, trialKeys } = attempt.reservations;
  if (capacityKey !== undefined) {
    const taken = await takeCapacity(ports, capacityKey, attempt.tenantId);
    if (taken === 'unknown') return stopRun(run, persistenceUnknown('the reservation of capacity'));
    if (taken === 'refused')
      return rollBack(run, {
        code: 'capacity_exhausted',
        message: 'This card holds as many free workspaces as it may.',
      });
  }
  const holder = { tenantId: attempt.tenantId, operationId: creationOperationId(attempt.tenantId) };
  const trial = trialKeys.length === 0 ? 'refused' : await takeTrial(ports, trialKeys, holder);
  if (trial === 'unknown') return stopRun(run, persistenceUnknown('the reservation of a trial'));
  run.attempt = { ...run.attempt, trialDays: trial === 'as_requested' ? ports.limits.trialDays : 0 };
  return undefined;
};

/** How often a call is sent when the provider provably did not execute it; the person who requested it waits. */
const providerTries = 4;

/** A call of the creation. Every proven refusal rolls the creation back, because the outcome is known. */
async function callStep<T>(
  run: Run,
  call: () => PreparedCall<T>,
  learn: (value: T) => void,
  refused: (error: AttemptError) => Promise<CreationAnswer | undefined> = (error) => rollBack(run, error),
): Promise<CreationAnswer | undefined> {
  const called = await callProvider(run, call, providerTries);
  if (called.kind === 'ended') return called.answer;
  if (called.kind === 'succeeded') {
    learn(called.value);
    return undefined;
  }
  return refused(called.error);
}

const intentOf = (run: Run): CallIntent => ({ operationId: run.attempt._id });

/** Step 4: each handle is recorded by the write that precedes the next call. */
const makeCustomer: Step = (run) => {
  const { user, billingProfile } = run.request;
  return callStep(
    run,
    () =>
      run.ports.provider.prepare(intentOf(run), {
        step: 'create_customer',
        email: user.email,
        name: billingProfile.name,
      }),
    ({ id }) => learnHandles(run, { customerId: id }),
  );
};

const attachCard: Step = (run) => {
  const customerId = run.attempt.handles.customerId!;
  return callStep(
    run,
    () =>
      run.ports.provider.prepare(intentOf(run), {
        step: 'attach_payment_method',
        customerId,
        paymentMethodId: run.request.paymentMethodId,
      }),
    ({ id }) => learnHandles(run, { paymentMethodId: id }),
  );
};

const makeCardDefault: Step = (run) => {
  const { customerId, paymentMethodId } = run.attempt.handles;
  return callStep(
    run,
    () =>
      run.ports.provider.prepare(intentOf(run), {
        step: 'set_default_payment_method',
        customerId: customerId!,
        paymentMethodId: paymentMethodId!,
      }),
    () => undefined,
  );
};

/** Step 5: the first invoice stays unpaid. A free plan has no subscription. */
const makeSubscription: Step = async (run) => {
  const { plan, handles, trialDays = 0 } = run.attempt;
  if (plan.priceId === undefined) {
    run.attempt = { ...run.attempt, paymentFree: true };
    return undefined;
  }
  const draft = {
    customerId: handles.customerId!,
    paymentMethodId: handles.paymentMethodId!,
    priceId: plan.priceId,
    trialDays,
  };
  return callStep(
    run,
    () => run.ports.provider.prepare(intentOf(run), { step: 'create_subscription', ...draft }),
    ({ id, itemId, status, currentPeriodEnd, firstInvoice }) => {
      learnHandles(run, {
        subscriptionId: id,
        itemId,
        ...(currentPeriodEnd && { currentPeriodEnd }),
        ...(firstInvoice && { invoiceId: firstInvoice.id }),
      });
      run.attempt = {
        ...run.attempt,
        paymentFree: firstInvoice === null || firstInvoice.status === 'paid' || status === 'trialing',
      };
    },
  );
};

function learnHandles(run: Run, learnt: Run['attempt']['handles']): void {
  run.attempt = { ...run.attempt, handles: { ...run.attempt.handles, ...learnt } };
}

/** Step 6: the handles are recorded before other services can see anything of the workspace. */
const writeRows: Step = async (run) => {
  const end = await save(run);
  if (end) return end;
  const { ports, request } = run;
  const { tenantId, userId, workspaceName } = run.attempt;
  const written =
    (await insertOnce(run, ports.tenants, {
      _id: tenantId,
      name: workspaceName,
      status: 'provisioned',
      owners: [userId],
    })) && (await insertOnce(run, ports.billingProfiles, { _id: tenantId, profile: request.billingProfile }));
  if (!written) return stopRun(run, persistenceUnknown('the tenant with its owner and billing profile'));
  const marker = await ports.markers.findById(creationOperationId(tenantId));
  if (marker?.provisioningState === 'preparing') return undefined;
  // The writer of the tombstone looked for the rows before they existed.
  if (marker?.provisioningState === 'cancelled') await coverRows(ports, tenantId);
  return admissionClosed(run, marker);
};

/** Only this executor uses the id, so a row that exists after a lost answer is its own. */
async function insertOnce<T extends Revisioned, Next extends Draft<T>>(
  { ports: { retryPolicy } }: Run,
  collection: DecidedCollection<T, Next>,
  draft: Next,
): Promise<boolean> {
  const insert = (read: T | null): Decision<Next, 'exists'> => (read ? { answer: 'exists' } : { write: draft });
  const decided = await decide({ retryPolicy }, collection, draft._id, insert, null);
  return decided.kind !== 'unknown';
}

/** Step 7: fail closed. */
const notifyListeners: Step = async (run) => {
  const heard = await callListeners(run, 'TENANT_BEING_PROVISIONED', run.request.extras);
  if (heard.kind === 'done') return undefined;
  return heard.kind === 'ended' ? heard.answer : stopRun(run, heard.error);
};

/** Step 8: the attempt first, because it proves that a paid invoice may commit. */
const awaitItsPayment: Step = async (run) => {
  const { ports, attempt } = run;
  assert(attempt.status === 'preparing', `attempt ${attempt._id} is ${attempt.status}, not preparing`);
  const end = await save(run, awaitPayment(attempt, ports.clock.now()));
  if (end) return end;
  ports.meter.attemptReached('awaiting_payment');
  const marker = await ports.markers.findById(creationOperationId(run.attempt.tenantId));
  if (!marker) return stopRun(run, persistenceUnknown('the creation marker'));
  // While this executor slept, the reconciliation may have committed it: a committed marker never changes back.
  if (marker.provisioningState === 'committed') return committedMeanwhile(run, marker);
  if (marker.provisioningState !== 'preparing') return admissionClosed(run, marker);
  const next = markerSteps.move(marker, 'awaiting_payment', { invoiceId: run.attempt.handles.invoiceId ?? null });
  const written = await writeFenced(ports.markers, marker, next, [], ports.retryPolicy);
  if (written.kind === 'written') return undefined;
  if (written.kind === 'lost' && written.record?.provisioningState === 'committed')
    return committedMeanwhile(run, written.record);
  return stopRun(run, persistenceUnknown('the creation marker'));
};

async function committedMeanwhile(run: Run, marker: CommittedMarker): Promise<CreationAnswer> {
  return {
    kind: 'committed',
    attempt: await finishCommitted(run.ports, { stored: run.stored, working: run.attempt }, marker, 'reconciliation'),
  };
}

/** Step 9: once, under the key that names the creation. */
const confirmPayment: Step = async (run) => {
  const { invoiceId } = run.attempt.handles;
  if (run.attempt.paymentFree || invoiceId === undefined) return undefined;
  const creationId = creationOperationId(run.attempt.tenantId);
  const payment = () => run.ports.provider.prepare(intentOf(run), { step: 'pay_invoice', invoiceId, creationId });
  let status = '';
  const learn = (invoice: { readonly status: string }) => {
    status = invoice.status;
  };
  // A refusal that is not a decline may mean that the invoice is already paid.
  const refused = (error: AttemptError) => {
    if (error.code === 'authentication_required') return awaitItsConfirmation(run, invoiceId, error.code);
    return error.code === 'provider_refused'
      ? stopRun(run, { code: error.code, message: `The payment of the first invoice: ${error.message}` })
      : rollBack(run, error);
  };
  const end = await callStep(run, payment, learn, refused);
  if (end || status === 'paid' || status === '') return end;
  if (status === 'open') return awaitItsConfirmation(run, invoiceId, 'payment_processing');
  return stopRun(run, {
    code: 'outcome_unknown',
    message: 'The payment provider accepted the payment of the first invoice, and the invoice is not paid.',
  });
};

/** Step 10. */
const commitIt: Step = async (run) => {
  const commitment = await commitCreation(run.ports, { stored: run.stored, working: run.attempt }, 'executor');
  if (commitment.kind === 'committed') return { kind: 'committed', attempt: commitment.attempt };
  if (commitment.kind === 'unknown')
    return stopRun(run, {
      code: 'persistence_unknown',
      message: `The payment is settled, and it is not known whether the commitment was written down (${commitment.reason}).`,
    });
  return stopRun(run, {
    code: 'admission_closed',
    message: 'The payment is settled, and lifecycle admission of this creation is closed.',
  });
};

export const creationSteps: readonly Step[] = [
  writeMarker,
  reserve,
  makeCustomer,
  attachCard,
  makeCardDefault,
  makeSubscription,
  writeRows,
  notifyListeners,
  awaitItsPayment,
  confirmPayment,
  commitIt,
];
