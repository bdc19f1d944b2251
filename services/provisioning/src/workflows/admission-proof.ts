/**
 * The second proof of an admitted event's resolution: whether its creation is committed, and what the provider shows of
 * the first invoice. The only effect that `invoice.paid` can have is the commit of a prepared creation.
 */
import type { OutcomeProofs, SecondProof } from '@platform/durable/investigation';
import type { Clock } from '@platform/kernel';
import { gatherEvidence, type ProviderReads } from '@platform/payment-provider';
import { isOpen, type Attempt } from '../domain/attempt';
import type { EventAdmission } from '../domain/event-admission';
import { findAttempt } from './handle-provider-event';
import type { ProvisioningCollections } from './ports';

export interface AdmissionProofPorts extends Pick<ProvisioningCollections, 'attempts'> {
  readonly provider: ProviderReads;
  readonly clock: Clock;
}

type Outcome = OutcomeProofs['outcome'];

/** Reads the second proof. Throws StoreUnavailableError; a missing answer of the provider is a finding. */
export async function readAdmissionProof(
  { attempts, provider, clock }: AdmissionProofPorts,
  { about }: Pick<EventAdmission, 'about'>,
  outcome: Outcome,
): Promise<SecondProof> {
  const readAt = clock.now();
  if (!about)
    return { findings: [], statements: [{ text: 'The record does not say what the event is about.', readAt }] };
  const { invoiceId } = about;
  const attempt = await findAttempt({ attempts, provider }, about);
  if (attempt === 'unknown')
    return { findings: [], unread: 'The provider does not answer whose invoice it is. Try again when it does.' };
  const operationId = attempt?.tenantId ?? 'no creation';
  const findings =
    invoiceId === undefined
      ? []
      : await gatherEvidence(
          provider,
          { operationId, calls: [{ step: 'pay_invoice' }], handles: { invoiceId } },
          clock,
        );
  const paid = findings.some(({ objects }) => objects.length > 0);
  const text = attempt
    ? `The creation of ${attempt.tenantId} is ${attempt.status}.`
    : `No creation has the invoice ${invoiceId ?? 'that the event names'}.`;
  return {
    findings,
    statements: [{ text, readAt }],
    bears: [],
    // The event reports a paid invoice; handling the event does not cause the payment.
    harmless: () => true,
    contradiction: contradictionOf(attempt, paid, outcome, text),
  };
}

function contradictionOf(attempt: Attempt | null, paid: boolean, outcome: Outcome, text: string): string | null {
  if (outcome === 'not_applied')
    return attempt?.status === 'committed' ? `It cannot be recorded as not applied: ${text}` : null;
  if (!attempt || attempt.status === 'cancelled') return `It cannot be recorded as applied: ${text}`;
  return isOpen(attempt) && attempt.preparedAt && paid
    ? `It cannot be recorded as applied: ${text} Its first invoice is paid, and it is not committed.`
    : null;
}
