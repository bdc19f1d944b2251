/** The case file without the gateway: the provider and the broker are asked directly, and each may stay away. */
import { refused, silentLog, systemClock } from '@platform/kernel';
import { connectMessaging, platformTopology, type Messaging } from '@platform/messaging';
import { portBaseOf } from '@platform/durable/investigation';
import type { RevisionedCollection } from '@platform/mongo';
import type { PaymentProvider } from '@platform/payment-provider';
import type { Operation } from '../operations/domain/operation';
import type { Subscription } from '../mirror/domain/subscription';
import { collectEvidence, type CaseFile } from '../operations/workflows/collect-evidence';
import type { ReadPorts } from '../operations/workflows/read-operation';

const brokerWaitMs = 2_000;

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

/** Collects the case file; servers that the environment does not name are those of the local platform. */
export async function collectOffline(
  reads: ReadPorts & {
    readonly subscriptions: RevisionedCollection<Subscription>;
    readonly provider: PaymentProvider;
  },
  operation: Operation,
): Promise<CaseFile | null> {
  const { NATS_URL = `nats://127.0.0.1:${portBaseOf(process.env) + 22}` } = process.env;
  const messaging = await openRequester(NATS_URL);
  try {
    return await collectEvidence({ ...reads, messaging, clock: systemClock }, operation.tenantId, operation._id);
  } finally {
    await messaging.close();
  }
}
