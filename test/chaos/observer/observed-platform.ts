/**
 * A platform with observers around it: proxies in front of gateway, provider and receiver, the store's log of changes,
 * and readers of the broker's alerts and lifecycle messages. The services are started as usual; only addresses differ.
 */
import { portOffsets } from '../../../infra/local/settings';
import { findPortBase } from '../../support/free-ports';
import { startPlatform, type StartOptions, type TestPlatform } from '../../support/platform';
import { collectFromBroker, type BrokerCollector } from '../alerts';
import { createClocks, type Clocks } from '../clock/set-clocks';
import { openChangeTail, type ChangeTail } from './change-tail';
import { readConsumerFiles, type Observed } from './outside-evidence';
import { openRecordingProxy, type RecordingProxy } from './recording-proxy';
import type { LedgerRow, RequestRow } from './seen';

export interface ObservedOptions extends Omit<StartOptions, 'localDir'> {
  readonly root: string;
  readonly localDir: string;
  /** The number of gateways that get a proxy. */
  readonly replicas?: number;
  /** Whether a delivery of an event is repeated at the same moment; the argument is the number of deliveries so far. */
  readonly repeatsEvent?: (count: number) => boolean;
}

export interface ObservedPlatform {
  readonly platform: TestPlatform;
  readonly clocks: Clocks;
  readonly collector: BrokerCollector;
  /** Addresses of the gateways' proxies. */
  readonly gatewayUrls: readonly string[];
  readonly tail: ChangeTail;
  /** Requests that have reached the provider so far. */
  readonly provider: RecordingProxy;
  /** Everything that was observed so far. */
  observed(more: Pick<Observed, 'atRest' | 'handlerRuns'>): Promise<Observed>;
  stop(): Promise<void>;
}

async function read<T>(url: string): Promise<T> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the twin answered ${response.status} to GET ${url}`);
  return (await response.json()) as T;
}

interface Proxies {
  readonly gateways: readonly RecordingProxy[];
  readonly provider: RecordingProxy;
  readonly receiver: RecordingProxy;
}

async function openProxies(portBase: number, { replicas = 1, repeatsEvent }: ObservedOptions): Promise<Proxies> {
  let deliveries = 0;
  const mutating = (method: string): boolean => method !== 'GET' && method !== 'HEAD';
  const gateways = await Promise.all(
    Array.from({ length: replicas }, (_each, replica) =>
      openRecordingProxy({
        target: portBase + portOffsets.operator + replica,
        records: (method, path) => mutating(method) && path.startsWith('/api/saas/'),
      }),
    ),
  );
  return {
    gateways,
    provider: await openRecordingProxy({
      target: portBase + portOffsets.providerTwin,
      records: (_method, path) => path.startsWith('/v1/'),
    }),
    receiver: await openRecordingProxy({
      target: portBase + portOffsets.billingWebhook,
      records: mutating,
      ...(repeatsEvent && { repeats: () => repeatsEvent((deliveries += 1)) }),
    }),
  };
}

/** A child process starts the platform, and gets its environment from this one. */
async function withEnvironment<T>(extra: Readonly<Record<string, string>>, work: () => Promise<T>): Promise<T> {
  const saved = Object.keys(extra).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, extra);
  try {
    return await work();
  } finally {
    for (const [name, value] of saved) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

/** If anything fails on the way, what was already opened is closed. */
export async function startObservedPlatform(options: ObservedOptions): Promise<ObservedPlatform> {
  const portBase = options.portBase ?? findPortBase();
  const closing: (() => Promise<void>)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of closing.splice(0).reverse()) await close().catch(() => undefined);
  };
  try {
    const clocks = createClocks(options.root, options.localDir);
    const proxies = await openProxies(portBase, options);
    const all = [...proxies.gateways, proxies.provider, proxies.receiver];
    closing.push(async () => void (await Promise.all(all.map((proxy) => proxy.close()))));
    const environment = {
      ...clocks.environment,
      DOCUMENT_STORE_KEEPS_CHANGES: '1',
      PROVIDER_PROXY: proxies.provider.url,
      WEBHOOK_RECEIVER: proxies.receiver.url,
    };
    const platform = await withEnvironment(environment, () => startPlatform({ ...options, portBase }));
    closing.push(() => platform.stop());
    const tail = await openChangeTail(platform.mongodbUrl);
    closing.push(() => tail.close());
    const collector = await collectFromBroker(platform.natsUrl);
    closing.push(() => collector.close());
    return {
      platform,
      clocks,
      collector,
      tail,
      gatewayUrls: proxies.gateways.map(({ url }) => url),
      provider: proxies.provider,
      observed: async (more) => {
        await tail.catchUp();
        const { entries } = await read<{ entries: LedgerRow[] }>(`${platform.twinUrl}/_twin/ledger`);
        const { requests } = await read<{ requests: RequestRow[] }>(`${platform.twinUrl}/_twin/requests`);
        return {
          ...more,
          changes: tail.changes,
          gateway: proxies.gateways.flatMap(({ exchanges }) => exchanges),
          provider: proxies.provider.exchanges,
          receiver: proxies.receiver.exchanges,
          alerts: collector.alerts,
          messages: collector.messages,
          ledger: entries,
          requests,
          consumerRuns: readConsumerFiles(platform.localDir),
          platformTime: clocks.at,
        };
      },
      stop: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}
