/**
 * The table of parts: what runs, with which environment, when it counts as ready and what must be ready before it.
 * A part whose entry is not in the repository is left out, with everything that names it as a must.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { brokerCredentials, unrestrictedUser } from './broker-users';
import { tokenAudience, tokenIssuer, type LocalSettings, type PortName } from './settings';

export type Readiness =
  | { readonly kind: 'http'; readonly url: string }
  | { readonly kind: 'tcp'; readonly port: number }
  /** Writes a line that begins with `ready`, for parts that serve no port. */
  | { readonly kind: 'line' };

export interface Part {
  readonly name: string;
  /** `program`: a bundle run by Node; `once`: the same, awaited to its end; `nats`: the broker's own binary. */
  readonly kind: 'program' | 'once' | 'nats';
  readonly title: string;
  readonly after: readonly string[];
  /** Bundle below the root and its arguments. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly heapMegabytes: number;
  /** Half of the young generation; small unless the part answers under load. */
  readonly semiSpaceMegabytes?: number;
  readonly readiness?: Readiness;
  /** Ports that must be free before this part starts. */
  readonly port?: number;
}

interface ServiceRow {
  readonly name: string;
  readonly bundle: string;
  readonly portName: PortName;
  readonly after: readonly string[];
  /** Does the service talk to the payment provider? */
  readonly provider?: boolean;
  readonly heapMegabytes?: number;
  /** Keeps files of its own on this machine: one process only. */
  readonly single?: boolean;
  readonly semiSpaceMegabytes?: number;
}

interface ConsumerRow {
  readonly name: string;
  /** Its name as a lifecycle consumer, and so at the broker. */
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
    after: ['topology', 'document-store'],
  },
  {
    name: 'query-builder',
    bundle: 'dist/services/query-builder/main.js',
    portName: 'queryBuilder',
    single: true,
    heapMegabytes: 160,
    after: ['topology', 'document-store'],
  },
];

/** Consumer services of other teams: they know the broker alone. */
const consumers: readonly ConsumerRow[] = [
  { name: 'storage-consumer', user: 'storage' },
  { name: 'search-index-consumer', user: 'search-index' },
];

/** Made by the seed when its work is done; a fresh start forgets it. */
export const seededMarker = 'seeded.json';

/** Parts to start here, in an order that respects `after`; names of `after` that are not started are dropped. */
export function listParts(settings: LocalSettings): Part[] {
  const parts = [
    ...infrastructure(settings),
    ...services.flatMap((row) => replicasOf(row).map((replica) => servicePart(row, replica, settings))),
    ...consumers.map((row) => consumerPart(row, settings)),
  ];
  const present = parts.filter(
    (part) => part.kind === 'nats' || existsSync(join(settings.root, part.command[0] ?? '')),
  );
  const names = new Set(present.map(({ name }) => name));
  return present.map((part) => ({ ...part, after: part.after.filter((name) => names.has(name)) }));
}

function infrastructure(settings: LocalSettings): Part[] {
  const { external, ports, portBase, localDir, natsUrl, mongodbUrl, secrets } = settings;
  const signOn = brokerCredentials(settings, unrestrictedUser);
  const http = `http://127.0.0.1:${ports.providerTwin}`;
  const rows: (Part | false)[] = [
    !external.nats && {
      name: 'nats',
      kind: 'nats',
      title: 'broker',
      after: [],
      command: [],
      environment: {},
      heapMegabytes: 0,
      port: ports.nats,
    },
    {
      name: 'topology',
      kind: 'once',
      title: 'streams and durables',
      after: ['nats'],
      command: [
        'dist/infra/nats/apply.js',
        '--url',
        natsUrl,
        ...(signOn['NATS_USER'] ? ['--user', signOn['NATS_USER']] : []),
      ],
      environment: signOn,
      heapMegabytes: 64,
    },
    !external.documentStore && {
      name: 'document-store',
      kind: 'program',
      title: 'document store',
      after: [],
      command: [
        'dist/libs/embedded-mongo/main.js',
        '--port',
        String(ports.documentStore),
        '--data',
        join(localDir, 'mongo'),
      ],
      environment: {},
      heapMegabytes: 256,
      readiness: { kind: 'tcp', port: ports.documentStore },
      port: ports.documentStore,
    },
    !external.provider && {
      name: 'provider-twin',
      kind: 'program',
      title: 'payment provider (twin)',
      after: [],
      command: [
        'dist/libs/provider-twin/main.js',
        '--port',
        String(ports.providerTwin),
        '--data',
        join(localDir, 'provider-twin.json'),
      ],
      environment: { STRIPE_SECRET_KEY: secrets.providerKey },
      heapMegabytes: Number(process.env['PROVIDER_TWIN_HEAP_MEGABYTES'] ?? 128),
      readiness: { kind: 'http', url: `${http}/_twin/clock` },
      port: ports.providerTwin,
    },
    !external.provider &&
      !existsSync(join(localDir, seededMarker)) && {
        name: 'seed',
        kind: 'once',
        title: 'plans and workspaces to begin with',
        after: ['document-store', 'provider-twin'],
        command: ['dist/infra/local/seed.js'],
        environment: {
          LOCAL_DIR: localDir,
          PORT_BASE: String(portBase),
          ...(external.documentStore ? { MONGODB_URL: mongodbUrl } : {}),
        },
        heapMegabytes: 64,
      },
  ];
  return rows.filter((row) => row !== false);
}

/** `REPLICAS=2` runs every service twice, under instance names and ports of their own, one above the other. */
function replicasOf({ single = false }: ServiceRow): readonly number[] {
  const wanted = Number(process.env['REPLICAS'] ?? 1);
  return Array.from({ length: single ? 1 : Math.min(Math.max(wanted, 1), replicasMax) }, (_each, at) => at + 1);
}

const replicasMax = 2;

function servicePart(row: ServiceRow, replica: number, settings: LocalSettings): Part {
  const port = settings.ports[row.portName] + replica - 1;
  return {
    name: replica === 1 ? row.name : `${row.name}-${replica}`,
    kind: 'program',
    title: row.name,
    after: row.after,
    command: [row.bundle],
    environment: { ...serviceEnvironment(row, settings), PORT: String(port), INSTANCE: `${row.name}-${replica}` },
    heapMegabytes: row.heapMegabytes ?? 96,
    ...(row.semiSpaceMegabytes !== undefined && { semiSpaceMegabytes: row.semiSpaceMegabytes }),
    readiness: { kind: 'http', url: `http://127.0.0.1:${port}/readyz` },
    port,
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
      ...brokerCredentials(settings, user),
      INSTANCE: `${name}-1`,
      DATA_FILE: join(localDir, 'consumers', `${name}.jsonl`),
    },
    heapMegabytes: 64,
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
    JWT_SECRET: secrets.jwtSecret,
    JWT_ISSUER: tokenIssuer,
    JWT_AUDIENCE: tokenAudience,
    PLATFORM_MODE: 'local',
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'info',
    ...handedOn(
      'JWT_SECRET_PREVIOUS',
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'OTEL_TRACES_SAMPLER_ARG',
      'TRACE_CONTEXT',
      'MIGRATION_WRITES_PER_SECOND',
      'MIGRATION_LANES',
    ),
    ...(row.provider
      ? { STRIPE_SECRET_KEY: secrets.providerKey, ...(providerUrl ? { STRIPE_API_BASE: providerUrl } : {}) }
      : {}),
    ...(row.name === 'query-builder' ? { PAGE_PROJECT_DIR: settings.pages.pagesDir } : {}),
    ...(row.name === 'operator'
      ? { CASE_SIGNING_KEY: process.env['CASE_SIGNING_KEY'] ?? caseSigningKey(secrets.jwtSecret) }
      : {}),
    ...(row.name === 'billing-webhook'
      ? { WEBHOOK_SECRETS: process.env['WEBHOOK_SECRETS'] ?? secrets.webhookSecret }
      : {}),
  };
}

/** Settings of rotation, of telemetry and of the rate of migrations that whoever starts the platform may give to all its services. */
function handedOn(...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** Signs exported cases on a local platform; `ops.mjs` derives the same for `npm run ops -- verify case`. */
function caseSigningKey(jwtSecret: string): string {
  return createHash('sha256').update(`case signing key of ${jwtSecret}`).digest('hex');
}

/** Parts grouped so that each group needs only earlier groups. Throws on a cycle. */
export function layersOf(parts: readonly Part[]): Part[][] {
  const layers: Part[][] = [];
  const placed = new Set<string>();
  let left = [...parts];
  while (left.length > 0) {
    const layer = left.filter((part) => part.after.every((name) => placed.has(name)));
    if (layer.length === 0) throw new Error(`the parts ${left.map(({ name }) => name).join(', ')} wait for each other`);
    layer.forEach(({ name }) => placed.add(name));
    layers.push(layer);
    left = left.filter((part) => !placed.has(part.name));
  }
  return layers;
}
