/** The case file without the gateway: the provider and the broker are asked directly, and either may be unreachable. */
import { openOffLineRequester } from '@platform/durable/executors';
import { systemClock } from '@platform/kernel';
import type { RevisionedCollection } from '@platform/mongo';
import type { PaymentProvider } from '@platform/payment-provider';
import type { Operation } from '../operations/domain/operation';
import type { Subscription } from '../mirror/domain/subscription';
import { collectEvidence, type CaseFile } from '../operations/workflows/collect-evidence';
import type { ReadPorts } from '../operations/workflows/read-operation';

/** Collects the case file. A broker that the environment does not name is not asked; a provider must be named. Throws `Misuse`. */
export async function collectOffline(
  reads: ReadPorts & {
    readonly subscriptions: RevisionedCollection<Subscription>;
    readonly provider: PaymentProvider;
  },
  operation: Operation,
): Promise<CaseFile | null> {
  const messaging = await openOffLineRequester();
  try {
    return await collectEvidence({ ...reads, messaging, clock: systemClock }, operation.tenantId, operation._id);
  } finally {
    await messaging.close();
  }
}
