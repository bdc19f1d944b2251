/**
 * What the services of a history use: the document store with its engine in memory, the simulated broker, the
 * provider's twin, and the observers around them. All are servers on the simulated network, and none of them fails:
 * faults happen between them and the services.
 */
import { createMemoryEngine, startDocumentStore } from '@platform/embedded-mongo';
import { publicKeySet } from '@platform/http-server';
import { ensureTopology, type platformTopology } from '@platform/messaging';
import { startProviderTwin, type RunningTwin } from '@platform/provider-twin';
import { collectFromBroker, type BrokerCollector } from '../../chaos/alerts';
import { openRecordingProxy, type RecordingProxy } from '../../chaos/observer/recording-proxy';
import type { ServiceName } from '../world/world';
import { startSimulatedBroker, type SimulatedBroker } from './broker/server';
import type { Network } from './network';
import { ports } from './ports';

interface Address {
  readonly port: number;
  readonly innerPort?: number;
}

/** Where an instance of a service listens; the second replica has the next ports. */
export function addressOf(service: ServiceName, replica: number): Address {
  const bases: Readonly<Record<ServiceName, Address>> = {
    operator: { port: 7010, innerPort: 7110 },
    'billing-webhook': { port: 7020, innerPort: 7120 },
    provisioning: { port: 7030 },
    'lifecycle-delivery': { port: 7040 },
  };
  const { port, innerPort } = bases[service];
  return { port: port + replica - 1, ...(innerPort !== undefined && { innerPort: innerPort + replica - 1 }) };
}

/** Keys of a world that ends with its history. They are fixed, because a seed determines everything. */
export const signingKey = Buffer.alloc(32, 7).toString('base64url');
const secrets = { provider: 'sk_test_simulation', webhook: 'whsec_simulation_0001', cases: 's'.repeat(32) };
export const issuer = 'simulation';
export const audience = 'workspace-platform';

export interface Infrastructure {
  readonly store: Awaited<ReturnType<typeof startDocumentStore>>;
  readonly broker: SimulatedBroker;
  readonly twin: RunningTwin;
  readonly collector: BrokerCollector;
  readonly proxies: {
    /** By replica of the gateway. */
    readonly gateways: readonly RecordingProxy[];
    readonly provider: RecordingProxy;
    readonly receiver: RecordingProxy;
  };
  readonly natsUrl: string;
  /** The environment of one instance. */
  environmentOf(service: ServiceName, instance: string, replica: number): Readonly<Record<string, string>>;
}

export const replicasMax = 2;
const mutating = (method: string): boolean => method !== 'GET' && method !== 'HEAD';

async function openProxies(repeatsEvent: () => boolean): Promise<Infrastructure['proxies']> {
  const gateways: RecordingProxy[] = [];
  for (let replica = 1; replica <= replicasMax; replica += 1)
    gateways.push(
      await openRecordingProxy({
        target: addressOf('operator', replica).port,
        records: (method, path) => mutating(method) && path.startsWith('/api/saas/'),
      }),
    );
  return {
    gateways,
    provider: await openRecordingProxy({ target: ports.twin, records: (_method, path) => path.startsWith('/v1/') }),
    receiver: await openRecordingProxy({
      target: addressOf('billing-webhook', 1).port,
      records: mutating,
      repeats: repeatsEvent,
    }),
  };
}

export async function openInfrastructure(
  network: Network,
  choose: {
    readonly pick: (count: number) => number;
    readonly topology: ReturnType<typeof platformTopology>;
    readonly repeatsEvent: () => boolean;
    readonly report: (error: unknown) => void;
  },
): Promise<Infrastructure> {
  for (const [name, port] of Object.entries(ports)) network.name(port, name);
  const store = await startDocumentStore({
    port: ports.store,
    dataDir: createMemoryEngine(),
    keepsChanges: true,
    onFault: choose.report,
  });
  const broker = await startSimulatedBroker(ports.broker, choose.pick);
  const natsUrl = `nats://127.0.0.1:${ports.broker}`;
  await ensureTopology({ url: natsUrl, topology: choose.topology });
  const twin = await startProviderTwin({ port: ports.twin });
  const proxies = await openProxies(choose.repeatsEvent);
  const collector = await collectFromBroker(natsUrl);
  const paying = { STRIPE_SECRET_KEY: secrets.provider, STRIPE_API_BASE: proxies.provider.url };
  const own: Readonly<Record<ServiceName, Readonly<Record<string, string>>>> = {
    operator: {
      ...paying,
      JWT_PUBLIC_KEYS: publicKeySet(signingKey),
      JWT_ISSUER: issuer,
      JWT_AUDIENCE: audience,
      CASE_SIGNING_KEY: secrets.cases,
    },
    // One free workspace for a card, so that creations compete for it.
    provisioning: { ...paying, FREE_WORKSPACES_PER_CARD: '1' },
    'lifecycle-delivery': {},
    'billing-webhook': { WEBHOOK_SECRETS: secrets.webhook },
  };
  return {
    ...{ store, broker, twin, collector, proxies, natsUrl },
    environmentOf(service, instance, replica) {
      const { port, innerPort } = addressOf(service, replica);
      return {
        ...own[service],
        PLATFORM_MODE: 'local',
        LOG_LEVEL: 'info',
        INSTANCE: instance,
        PORT: String(port),
        ...(innerPort !== undefined && { INNER_PORT: String(innerPort) }),
        MONGODB_URL: store.url,
        MONGODB_DATABASE: service.replaceAll('-', '_'),
        NATS_URL: natsUrl,
      };
    },
  };
}

export const webhookEndpoint = (receiver: RecordingProxy) => ({
  url: `${receiver.url}/api/saas/webhooks/payment-provider`,
  secret: secrets.webhook,
});
export const providerKey = secrets.provider;
