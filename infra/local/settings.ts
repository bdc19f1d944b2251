/**
 * The addresses and folder of the local platform: ports from one base, so that two platforms can run side by side, and
 * one folder for data, logs, process ids and the development secrets. Servers that the environment names are used
 * instead of own ones.
 */
import { join, resolve } from 'node:path';
import { Misuse } from '@platform/command-line';
import { findPages } from './page-project.cjs';
import { portBaseOf, portBaseRule } from './port-base.cjs';
import { readSecrets, type LocalSecrets } from './secrets';

/** Offsets from the base port. */
export const portOffsets = {
  operator: 10,
  operatorInner: 15,
  documentStore: 17,
  billingWebhook: 20,
  nats: 22,
  billingWebhookInner: 25,
  provisioning: 30,
  lifecycleDelivery: 40,
  queryBuilder: 50,
  queryBuilderInner: 55,
  providerTwin: 90,
} as const;

export type PortName = keyof typeof portOffsets;

export interface LocalSettings {
  readonly root: string;
  readonly localDir: string;
  readonly portBase: number;
  readonly ports: Readonly<Record<PortName, number>>;
  readonly secrets: LocalSecrets;
  readonly natsUrl: string;
  readonly mongodbUrl: string;
  /** Base address of the payment provider's API; absent: the real provider. */
  readonly providerUrl?: string;
  readonly gatewayUrl: string;
  /** The address at which the twin delivers events. */
  readonly webhookUrl: string;
  /** The served page project; `own`: a copy of the sample, which a fresh start makes again. */
  readonly pages: { readonly pagesDir: string; readonly own: boolean };
  /** Only a part that hangs takes this long, so a busy machine does not end a start. */
  readonly startTimeoutMs: number;
  /** The servers that the environment supplies, which are neither started nor stopped here. */
  readonly external: { readonly nats: boolean; readonly documentStore: boolean; readonly provider: boolean };
}

export const tokenIssuer = 'workspace-platform';
export const tokenAudience = 'workspace-platform';
/** The audience of tokens that pages and the builder accept. */
export const pagesAudience = 'workspace-pages';

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws `Misuse` when PORT_BASE is not a port that leaves room for the offsets. */
export function readSettings(environment: Environment, root: string): LocalSettings {
  const portBase = readPortBase(environment['PORT_BASE']);
  const localDir = resolve(root, environment['LOCAL_DIR'] ?? '.local');
  const ports = Object.fromEntries(
    Object.entries(portOffsets).map(([name, offset]) => [name, portBase + offset]),
  ) as Record<PortName, number>;
  const { NATS_URL: nats, MONGODB_URL: mongodb, STRIPE_SECRET_KEY: providerKey } = environment;
  return {
    root,
    localDir,
    portBase,
    ports,
    secrets: readSecrets(localDir, providerKey),
    natsUrl: nats || `nats://127.0.0.1:${ports.nats}`,
    mongodbUrl: mongodb || `mongodb://127.0.0.1:${ports.documentStore}`,
    ...(providerKey ? {} : { providerUrl: `http://127.0.0.1:${ports.providerTwin}` }),
    gatewayUrl: `http://127.0.0.1:${ports.operator}`,
    webhookUrl: `${environment['WEBHOOK_RECEIVER'] || `http://127.0.0.1:${ports.billingWebhook}`}/api/saas/webhooks/payment-provider`,
    pages: findPages(environment, localDir),
    startTimeoutMs: readStartTimeout(environment['START_TIMEOUT_SECONDS']) * 1_000,
    external: { nats: Boolean(nats), documentStore: Boolean(mongodb), provider: Boolean(providerKey) },
  };
}

function readPortBase(text: string | undefined): number {
  const base = portBaseOf(text);
  if (Number.isNaN(base)) throw new Misuse(`${portBaseRule}, not ${text}`);
  return base;
}

function readStartTimeout(text: string | undefined): number {
  const seconds = text ? Number(text) : 180;
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > 3_600)
    throw new Misuse(`START_TIMEOUT_SECONDS must be a whole number from 1 to 3600, not ${text}`);
  return seconds;
}

/** The repository's root, for code two folders below it, whether it runs from its source or from its bundle in `dist/`. */
export function findRoot(from: string = __dirname): string {
  const marker = from.lastIndexOf(join('/', 'dist', '/'));
  return marker >= 0 ? from.slice(0, marker) : resolve(from, '../..');
}
