/** The services of the platform and the consumers of other teams, each with exactly the environment that it reads. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { brokerCredentials, teamCredentials } from './broker-users';
import type { Part } from './part';
import { pagesAudience, tokenAudience, tokenIssuer, type LocalSettings, type PortName } from './settings';
import { readPublicKeys } from './token-key';

interface ServiceRow {
  readonly name: string;
  readonly bundle: string;
  readonly portName: PortName;
  /** For a service that outside clients reach: the port of its probes and metrics. */
  readonly innerPortName?: PortName;
  readonly after: readonly string[];
  /** Does the service talk to the payment provider? */
  readonly provider?: boolean;
  readonly heapMegabytes?: number;
  /** The service keeps its own files on this machine, so it runs as one process only. */
  readonly single?: boolean;
  readonly semiSpaceMegabytes?: number;
}

interface ConsumerRow {
  readonly name: string;
  /** The part's name as a lifecycle consumer, and thus its broker user. */
  readonly user: string;
}

const services: readonly ServiceRow[] = [
  {
    name: 'lifecycle-delivery',
    bundle: 'dist/services/lifecycle-delivery/main.js',
    portName: 'lifecycleDelivery',
    after: ['topology', 'document-store'],
  },
  {
    name: 'operator',
    bundle: 'dist/services/operator/main.js',
    portName: 'operator',
    innerPortName: 'operatorInner',
    after: ['topology', 'document-store', 'provider-twin'],
    provider: true,
    semiSpaceMegabytes: 8,
  },
  {
    name: 'provisioning',
    bundle: 'dist/services/provisioning/main.js',
    portName: 'provisioning',
    after: ['topology', 'document-store', 'provider-twin'],
    provider: true,
  },
  {
    name: 'billing-webhook',
    bundle: 'dist/services/billing-webhook/main.js',
    portName: 'billingWebhook',
    innerPortName: 'billingWebhookInner',
    after: ['topology', 'document-store'],
  },
  {
    name: 'query-builder',
    bundle: 'dist/services/query-builder/main.js',
    portName: 'queryBuilder',
    innerPortName: 'queryBuilderInner',
    single: true,
    heapMegabytes: 160,
    after: ['topology', 'document-store'],
  },
];

/** Consumer services of other teams: the only part that they can reach is the broker. */
const consumers: readonly ConsumerRow[] = [
  { name: 'storage-consumer', user: 'storage' },
  { name: 'search-index-consumer', user: 'search-index' },
];

export function serviceParts(settings: LocalSettings): Part[] {
  return services.flatMap((row) => replicasOf(row).map((replica) => servicePart(row, replica, settings)));
}

export function consumerParts(settings: LocalSettings): Part[] {
  return consumers.map((row) => consumerPart(row, settings));
}

/** `REPLICAS=2` runs every service twice, each with its own instance name and ports. */
function replicasOf({ single = false }: ServiceRow): readonly number[] {
  const wanted = Number(process.env['REPLICAS'] ?? 1);
  const most = replicaOffsets.length;
  return Array.from({ length: single ? 1 : Math.min(Math.max(wanted, 1), most) }, (_each, at) => at + 1);
}

/** Added to a service's ports for its first to fourth replica; the store and the broker have the ports between. */
export const replicaOffsets: readonly number[] = [0, 1, 3, 4];

function servicePart(row: ServiceRow, replica: number, settings: LocalSettings): Part {
  const portOf = (name: PortName): number => settings.ports[name] + replicaOffsets[replica - 1]!;
  const port = portOf(row.portName);
  const inner = row.innerPortName && portOf(row.innerPortName);
  return {
    name: replica === 1 ? row.name : `${row.name}-${replica}`,
    kind: 'program',
    title: row.name,
    after: row.after,
    command: [row.bundle],
    environment: {
      ...serviceEnvironment(row, settings),
      PORT: String(port),
      ...(inner !== undefined && { INNER_PORT: String(inner) }),
      INSTANCE: `${row.name}-${replica}`,
    },
    heapMegabytes: row.heapMegabytes ?? 96,
    ...(row.semiSpaceMegabytes === undefined ? { mostlyWaits: true } : { semiSpaceMegabytes: row.semiSpaceMegabytes }),
    readiness: { kind: 'http', url: `http://127.0.0.1:${inner ?? port}/readyz` },
    ports: inner === undefined ? [port] : [port, inner],
  };
}

function consumerPart({ name, user }: ConsumerRow, settings: LocalSettings): Part {
  const { natsUrl, localDir } = settings;
  return {
    name,
    kind: 'program',
    title: name,
    after: ['topology'],
    command: [`dist/examples/${name}/main.js`],
    environment: {
      NATS_URL: natsUrl,
      ...teamCredentials(settings, user),
      INSTANCE: `${name}-1`,
      DATA_FILE: join(localDir, 'consumers', `${name}.jsonl`),
    },
    heapMegabytes: 64,
    mostlyWaits: true,
    readiness: { kind: 'line' },
  };
}

function serviceEnvironment(row: ServiceRow, settings: LocalSettings): Record<string, string> {
  const { secrets, providerUrl } = settings;
  return {
    HOST: '127.0.0.1',
    MONGODB_URL: settings.mongodbUrl,
    MONGODB_DATABASE: row.name.replaceAll('-', '_'),
    NATS_URL: settings.natsUrl,
    ...brokerCredentials(settings, row.name),
    JWT_PUBLIC_KEYS: readPublicKeys(settings.localDir),
    JWT_ISSUER: tokenIssuer,
    JWT_AUDIENCE: row.name === 'query-builder' ? pagesAudience : tokenAudience,
    PLATFORM_MODE: 'local',
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'info',
    // As in a deployment: the log lines of all services about one request name its trace.
    TRACE_CONTEXT: process.env['TRACE_CONTEXT'] ?? 'carried',
    ...handedOn(
      'TOKENS_REVOKED_FILE',
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'OTEL_TRACES_SAMPLER_ARG',
      'MIGRATION_WRITES_PER_SECOND',
      'MIGRATION_LANES',
    ),
    ...(row.provider
      ? {
          STRIPE_SECRET_KEY: secrets.providerKey,
          // An observer between the services and the twin.
          ...(providerUrl ? { STRIPE_API_BASE: process.env['PROVIDER_PROXY'] || providerUrl } : {}),
        }
      : {}),
    ...(row.name === 'query-builder' ? { PAGE_PROJECT_DIR: settings.pages.pagesDir } : {}),
    ...(row.name === 'operator'
      ? {
          CASE_SIGNING_KEY: process.env['CASE_SIGNING_KEY'] ?? caseSigningKey(secrets.localSecret),
          ...handedOn('OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_REDIRECT_URL', 'OIDC_ROLES'),
          ...handedOn('OIDC_CONSUMERS', 'OWNER_OIDC_ISSUER', 'OWNER_OIDC_CLIENT_ID', 'OWNER_OIDC_CLIENT_SECRET'),
          ...handedOn('OWNER_OIDC_REDIRECT_URL', 'OWNER_OIDC_SCOPES', 'OWNER_OIDC_WORKSPACES_CLAIM'),
          ...handedOn('OIDC_SCOPES', 'OIDC_ROLES_CLAIM', 'SESSION_MINUTES', 'SESSION_IDLE_MINUTES'),
        }
      : {}),
    ...(row.name === 'lifecycle-delivery'
      ? {
          HTTP_DELIVERY_DIR: join(settings.localDir, 'http-delivery'),
          HTTP_DELIVERY_ALLOWED_HOSTS: '127.0.0.1,localhost',
        }
      : {}),
    ...(row.name === 'billing-webhook'
      ? { WEBHOOK_SECRETS: process.env['WEBHOOK_SECRETS'] ?? secrets.webhookSecret }
      : {}),
  };
}

/**
 * Settings of rotation, telemetry and the rate of migrations, which can be set for all services when the platform is
 * started.
 */
function handedOn(...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** Signs exported cases on a local platform; `ops.mjs` derives the same key for `npm run ops -- verify case`. */
function caseSigningKey(localSecret: string): string {
  return createHash('sha256').update(`case signing key of ${localSecret}`).digest('hex');
}
