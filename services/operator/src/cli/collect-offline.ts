/** The case file without the gateway: the provider and the broker are asked directly, and each may stay away. */
import { openOffLineRequester } from '@platform/durable/executors';
import { systemClock } from '@platform/kernel';
import type { RevisionedCollection } from '@platform/mongo';
import { createStripeProvider } from '@platform/payment-provider';
import type { Operation } from '../operations/domain/operation';
import type { Subscription } from '../mirror/domain/subscription';
import { collectEvidence, type CaseFile } from '../operations/workflows/collect-evidence';
import type { ReadPorts } from '../operations/workflows/read-operation';

const providerWaitMs = 10_000;

/** Collects the case file; servers that the environment does not name are those of the local platform. */
export async function collectOffline(
  reads: ReadPorts & { readonly subscriptions: RevisionedCollection<Subscription> },
  operation: Operation,
): Promise<CaseFile | null> {
  const base = Number(process.env['PORT_BASE'] ?? 7000);
  const { STRIPE_SECRET_KEY: key, STRIPE_API_BASE: apiBase } = process.env;
  const address = apiBase ?? (key ? undefined : `http://127.0.0.1:${base + 90}`);
  const provider = createStripeProvider({
    secretKey: key ?? 'sk_test_local_investigation',
    ...(address && { apiBase: address }),
    timeoutMs: providerWaitMs,
  });
  const messaging = await openOffLineRequester();
  try {
    return await collectEvidence(
      { ...reads, provider, messaging, clock: systemClock },
      operation.tenantId,
      operation._id,
    );
  } finally {
    provider.close();
    await messaging.close();
  }
}
