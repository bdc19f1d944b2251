/** What the provider says about an object that a person named and no search found. Reads only. */
import type { Outcome } from '@platform/kernel';
import type { ProviderReads } from './port';

interface Named {
  readonly id: string;
  readonly customerId?: string | null;
  readonly metadata?: Readonly<Record<string, string>>;
}

const readers: readonly (readonly [
  RegExp,
  (reads: ProviderReads, id: string, customerId?: string) => Promise<Outcome<Named | undefined>> | undefined,
])[] = [
  [/^cus_/, (reads, id) => reads.retrieveCustomer(id)],
  [/^sub_sched_/, (reads, id, of) => (of === undefined ? undefined : within(reads.listSchedules(of), id))],
  [/^sub_/, (reads, id) => reads.retrieveSubscription(id)],
  [/^in_/, (reads, id) => reads.retrieveInvoice(id)],
  [/^pm_/, (reads, id) => reads.retrievePaymentMethod(id)],
  [/^cs_/, (reads, id) => reads.retrieveCheckoutSession(id)],
  [/^cbtxn_/, (reads, id, of) => (of === undefined ? undefined : within(reads.listBalanceTransactions(of), id))],
];

async function within(list: Promise<Outcome<readonly Named[]>>, id: string): Promise<Outcome<Named | undefined>> {
  const answer = await list;
  return answer.outcome === 'succeeded'
    ? { outcome: 'succeeded', value: answer.value.find((each) => each.id === id) }
    : answer;
}

/**
 * In a sentence: it does not exist, belongs to another customer, or names another operation. Undefined when the
 * provider does not say.
 */
export async function nameObject(
  reads: ProviderReads,
  id: string,
  about: { readonly operationId: string; readonly customerId?: string },
): Promise<string | undefined> {
  const reader = readers.find(([pattern]) => pattern.test(id))?.[1];
  if (!/^[\w-]{1,128}$/.test(id) || !reader) return `${id} is no id of an object that this could have made.`;
  const answer = await reader(reads, id, about.customerId);
  if (answer === undefined) return undefined;
  if (answer.outcome === 'unknown') return undefined;
  if (answer.outcome === 'failed' || answer.value === undefined)
    return `${id} does not exist${about.customerId && /^(cbtxn_|sub_sched_)/.test(id) ? ` with the customer ${about.customerId}` : ' at the provider'}.`;
  const { customerId, metadata = {} } = answer.value;
  if (
    about.customerId !== undefined &&
    customerId !== undefined &&
    customerId !== null &&
    customerId !== about.customerId
  )
    return `${id} belongs to the customer ${customerId}, and this is about ${about.customerId}.`;
  const other = metadata['operationId'] ?? metadata['provisioningAttempt'];
  return other !== undefined && other !== about.operationId
    ? `${id} names ${other} as its operation, and this is ${about.operationId}.`
    : `${id} exists, and does not show this effect.`;
}
