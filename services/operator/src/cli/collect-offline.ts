/** The case file without the gateway: the provider and the broker are asked directly, and each may stay away. */
import { Misuse } from '@platform/command-line';
import { refused, silentLog, systemClock } from '@platform/kernel';
import { connectMessaging, platformTopology, type Messaging } from '@platform/messaging';
import type { RevisionedCollection } from '@platform/mongo';
import { createStripeProvider } from '@platform/payment-provider';
import type { Operation } from '../operations/domain/operation';
import type { Subscription } from '../mirror/domain/subscription';
import { collectEvidence, type CaseFile } from '../operations/workflows/collect-evidence';
import type { ReadPorts } from '../operations/workflows/read-operation';

const brokerWaitMs = 2_000;
const providerWaitMs = 10_000;

type Requester = Pick<Messaging, 'request'> & { close(): Promise<void> };

/** Asks nobody: the broker did not answer in time. */
const nobody: Requester = {
  request: async () => refused({ code: 'disconnected' as const, message: 'the broker does not answer' }),
  close: async () => {},
};

async function openRequester(url: string): Promise<Requester> {
  try {
    const { NATS_USER: user, NATS_PASSWORD: password } = process.env;
    return await connectMessaging({
      url,
      name: 'ops',
      topology: platformTopology(),
      log: silentLog,
      signal: AbortSignal.timeout(brokerWaitMs),
      ...(user && password && { credentials: { user, password } }),
    });
  } catch {
    return nobody;
  }
}

/** Collects the case file. A broker that the environment does not name is not asked; a provider must be named. Throws `Misuse`. */
export async function collectOffline(
  reads: ReadPorts & { readonly subscriptions: RevisionedCollection<Subscription> },
  operation: Operation,
): Promise<CaseFile | null> {
  const { NATS_URL: natsUrl, STRIPE_SECRET_KEY: secretKey, STRIPE_API_BASE: apiBase } = process.env;
  if (!secretKey) throw new Misuse('STRIPE_SECRET_KEY is not set: the case file asks the payment provider');
  const provider = createStripeProvider({ secretKey, ...(apiBase && { apiBase }), timeoutMs: providerWaitMs });
  const messaging = natsUrl ? await openRequester(natsUrl) : nobody;
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
