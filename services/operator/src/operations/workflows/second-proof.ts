/**
 * The second proof of an operation's resolution: what the provider shows of its calls, compared with what its action
 * requests. Read when a resolution is planned and again when it is recorded; changes nothing.
 */
import type { SecondProof } from '@platform/durable/investigation';
import { nameObject, type FoundObject } from '@platform/payment-provider';
import type { RevisionedCollection } from '@platform/mongo';
import type { Subscription } from '../../mirror/domain/subscription';
import { actionOf } from '../domain/actions';
import type { Operation } from '../domain/operation';
import { findAtProvider, questionOf, type FindingPorts } from './find-at-provider';

export interface SecondProofPorts extends FindingPorts {
  readonly subscriptions: RevisionedCollection<Subscription>;
}

/** The outcome that the person claims. */
interface Said {
  readonly outcome: 'applied' | 'not_applied';
  readonly providerObject: string | null;
}

/** Reads the second proof. Throws StoreUnavailableError; a missing answer of the provider is a finding. */
export async function readSecondProof(
  ports: SecondProofPorts,
  operation: Operation,
  { outcome, providerObject }: Said,
): Promise<SecondProof> {
  const subscription = await ports.subscriptions.findById(operation.tenantId);
  const question = questionOf(operation, subscription);
  const [{ evidence: findings }, invoice] = await Promise.all([
    findAtProvider(ports, question),
    invoiceOf(ports, operation, outcome),
  ]);
  const shown = findings.some(({ objects }) => objects.some(({ id }) => id === providerObject));
  const named =
    outcome === 'applied' && providerObject !== null && !shown
      ? await nameObject(ports.provider, providerObject, { operationId: operation._id, ...question.handles })
      : undefined;
  const answered = new Set(question.calls.filter((call) => call.outcome === 'succeeded').map(({ step }) => step));
  return {
    findings,
    makesWay: actionOf(operation.action).makesWay ?? [],
    misfit: (object) => misfitOf(operation, object),
    // An ended session sells nothing; a customer in the executor's answers can be used by the next checkout.
    harmless: ({ summary }, step) =>
      (step === 'create_session' && summary['status'] === 'expired') ||
      (step === 'create_customer' && answered.has(step)),
    contradiction: outcome === 'applied' ? neverDone(operation) : null,
    ...invoice,
    ...(named !== undefined && { named }),
  };
}

/**
 * What the invoice of a held change says of the outcome: paid, the change was made; void, it never is. The subscription
 * alone does not show it: it names a change that only waits, and its price may have been changed once more since.
 */
async function invoiceOf(
  { provider }: SecondProofPorts,
  { payment }: Operation,
  outcome: Said['outcome'],
): Promise<Pick<SecondProof, 'contradiction' | 'unread' | 'mayStillCome'>> {
  if (!payment) return {};
  const { invoiceId } = payment;
  const read = await provider.retrieveInvoice(invoiceId);
  if (read.outcome !== 'succeeded')
    return read.outcome === 'failed' && read.code === 'not_found'
      ? {}
      : {
          unread: `Its invoice ${invoiceId} could not be read. Try again when the provider answers; without it no outcome is recorded.`,
        };
  const { status } = read.value;
  if (outcome === 'applied')
    return status === 'paid'
      ? {}
      : {
          contradiction: `It cannot be recorded as applied: its invoice ${invoiceId} is ${status}, and the provider makes the change when it is paid.`,
        };
  if (status === 'paid')
    return {
      contradiction: `It cannot be recorded as not applied: its invoice ${invoiceId} is paid. Record it as applied. If the money was given back at the provider, two people record it as not applied.`,
    };
  return status === 'void'
    ? {}
    : {
        mayStillCome: `Its invoice ${invoiceId} is ${status} and can still be paid: give the upgrade up, or void the invoice at the provider.`,
      };
}

/** Evidence in the record itself that contradicts `applied`. */
function neverDone(operation: Operation): string | null {
  const { announces, effectsAfterReceipts } = actionOf(operation.action);
  const calls = operation.attempts.flatMap(({ providerCalls }) => providerCalls);
  if (effectsAfterReceipts && operation.lifecycle?.settledAt === undefined)
    return `It cannot be recorded as applied: it waits for the receipts of the message "${announces}", and not all of them are in. Record it as not applied, and ask for it again under a new id.`;
  if (calls.length > 0 || operation.checkout) return null;
  return 'It cannot be recorded as applied: no provider call of it is recorded, and a call is recorded before it is sent. Record it as not applied.';
}

/**
 * Compares the amount, currency and plan that the operation fixed with those of the object. A page that has sold a
 * subscription is not the subscription: the workspace would not get it, and its owner could buy another one.
 */
function misfitOf({ action, values, checkpoint = {} }: Operation, { kind, id, summary }: FoundObject): string | null {
  if (action === 'checkout' && kind === 'checkout_session' && summary['status'] === 'complete')
    return `${id} is the page of the payment. Name the subscription that it sold.`;
  if (kind === 'customer_balance_transaction') {
    const wanted = -Number(values['amountCents']);
    if (summary['amount'] !== wanted || summary['currency'] !== checkpoint['currency'])
      return `${id} is over ${summary['amount']} ${summary['currency']}, and the operation is over ${wanted} ${checkpoint['currency']}.`;
  }
  const { priceId } = checkpoint;
  if (kind === 'subscription' && priceId !== undefined && 'priceId' in summary && summary['priceId'] !== priceId)
    return `${id} has the price ${summary['priceId']}, and the operation is about ${priceId}.`;
  return null;
}
