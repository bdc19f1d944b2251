/**
 * The second proof of a creation's resolution. `applied` rests on the first invoice: the provider shows it as paid, or
 * the record proves that nothing had to be paid. `not_applied` is contradicted by a call whose answer was lost and
 * whose effect exists, by a paid invoice of more than zero, and by a subscription that charges. Objects in the
 * executor's record that charged nothing are a warning.
 */
import type { OutcomeProofs, SecondProof } from '@platform/durable/investigation';
import type { Clock } from '@platform/kernel';
import { gatherEvidence, nameObject, type ProviderReads, type RecordedCall } from '@platform/payment-provider';
import type { Attempt } from '../domain/attempt';

export interface SecondProofPorts {
  readonly provider: ProviderReads;
  readonly clock: Clock;
}

const takesBack = ['delete_customer', 'cancel_now', 'void_invoice'];
export const payment = 'pay_invoice';
/** A trial charges nothing yet; the warning to the investigator names its subscription. */
const charges: ReadonlySet<unknown> = new Set(['active', 'past_due', 'unpaid']);

/** Reads the proof; what the provider does not answer is a finding. */
export async function readSecondProof(
  { provider, clock }: SecondProofPorts,
  attempt: Attempt,
  { outcome, providerObject }: Pick<OutcomeProofs, 'outcome' | 'providerObject'>,
): Promise<SecondProof> {
  const { customerId, paymentMethodId, subscriptionId, invoiceId } = attempt.handles;
  const handles = {
    ...(customerId && { customerId }),
    ...(paymentMethodId && { paymentMethodId }),
    ...(subscriptionId && { subscriptionId }),
    ...(invoiceId && { invoiceId }),
  };
  const calls = attempt.providerCalls;
  // An invoice may be paid without a call of the platform: by its event, or by a person at the provider.
  const asked: readonly RecordedCall[] = invoiceId === undefined ? calls : [...calls, { step: payment }];
  const about = { operationId: attempt.tenantId, handles };
  const findings = await gatherEvidence(provider, { ...about, calls: asked }, clock);
  const shown = findings.some(({ objects }) => objects.some(({ id }) => id === providerObject));
  const named =
    outcome === 'applied' && providerObject !== null && !shown
      ? await nameObject(provider, providerObject, { ...about, ...(customerId && { customerId }) })
      : undefined;
  const answered = new Set(calls.filter((call) => call.outcome === 'succeeded').map(({ step }) => step));
  return {
    findings,
    makesWay: takesBack,
    bears: attempt.paymentFree ? [] : [payment],
    harmless: ({ summary: { status, total } }, step) => {
      if (step === payment) return total === 0;
      return answered.has(step as never) ? !charges.has(status) : isGone(status);
    },
    contradiction: outcome === 'applied' ? unpaid(attempt) : null,
    ...(named !== undefined && { named }),
  };
}

const isGone = (status: unknown): boolean => status === 'canceled' || status === 'incomplete_expired';

/** A paid plan that has no first invoice was never sold. */
function unpaid({ plan, paymentFree, handles }: Attempt): string | null {
  return plan.priceId !== undefined && !paymentFree && handles.invoiceId === undefined
    ? 'It cannot be recorded as applied: no first invoice is recorded, so nothing shows that this workspace was paid for.'
    : null;
}
