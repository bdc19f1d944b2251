/**
 * The override of the delivered docker-compose.yml: the embedded document store replaces MongoDB, the twin replaces the
 * payment provider, second replicas allow rolling replacement, and the ports collide with no others. Everything else
 * stays as delivered.
 */
import { portOffsets } from '../../infra/local/settings';

interface ComposeService {
  readonly image?: string;
  readonly build?: { readonly args: { readonly PART: string } };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly secrets?: readonly (string | { readonly source: string; readonly target: string })[];
  readonly [other: string]: unknown;
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes?: Readonly<Record<string, object>>;
  readonly secrets?: Readonly<Record<string, { readonly file: string }>>;
}

/**
 * Services that run twice, so that one replica serves while the other is replaced. The second replica is named
 * `<service>-2`.
 */
export const rolled = ['operator', 'provisioning', 'lifecycle-delivery', 'billing-webhook'] as const;

/** Parts that only the override runs, by image name. */
export const standInParts = { 'embedded-store': 'libs/embedded-mongo', 'provider-twin': 'libs/provider-twin' } as const;
const imageOf = (name: string): string => `workspace-platform/${name}:\${TAG:-0.1.0}`;

/** The replaced parts, for the report; an image built here is described by the program that builds it. */
export const replacedParts: readonly string[] = [
  'mongo, mongo-setup: the embedded document store as the only member of rs0, with a user for each secret; its roles are read and readWrite on a database, not those of infra/mongo (tested on their own)',
  'the payment provider: its twin, so operator, provisioning and ops run with PLATFORM_MODE=local',
  "query-builder: BUILDER=on and a writable copy of the sample pages, for the demo's page author",
];

const local = (base: number, offset: number, inside: number): string => `127.0.0.1:${base + offset}:${inside}`;
const everyFewSeconds = { interval: '3s', timeout: '10s', retries: 30, start_period: '10s' };
const accepts = (port: number): string[] => ['CMD', 'bash', '-c', `exec 3<>/dev/tcp/127.0.0.1/${port}`];

function documentStore(base: number): ComposeService {
  return {
    image: imageOf('embedded-store'),
    // The volume initially belongs to root, like every named volume.
    user: 'root',
    entrypoint: ['node', '--enable-source-maps', 'main.js'],
    command: [
      ...['--host', '0.0.0.0', '--port', '27017', '--data', '/data/db', '--users', '/run/store-users.json'],
      ...['--replica-set', 'rs0', '--announce', 'mongo:27017'],
    ],
    environment: { NODE_ENV: 'development' },
    ports: [local(base, portOffsets.documentStore, 27_017)],
    volumes: ['./.local/compose-secrets/store-users.json:/run/store-users.json:ro'],
    healthcheck: { ...everyFewSeconds, test: accepts(27_017) },
  };
}

function providerTwin(base: number): ComposeService {
  // The port is the same inside and outside the container, because the twin's pages contain it in their addresses.
  const port = base + portOffsets.providerTwin;
  return {
    image: imageOf('provider-twin'),
    environment: { NODE_ENV: 'development' },
    command: ['node', 'main.js', '--host', '0.0.0.0', '--port', String(port), '--data', '/data/twin.json'],
    networks: ['platform'],
    ports: [`127.0.0.1:${port}:${port}`],
    volumes: ['twin:/data'],
    restart: 'unless-stopped',
    healthcheck: { ...everyFewSeconds, test: accepts(port) },
  };
}

/** The second replica of a service: the same definition with its own instance name and port. */
function secondReplica(name: string, delivered: ComposeService, base: number): ComposeService {
  const { build: _built, ports, environment, ...rest } = delivered;
  const { PORT: port } = environment ?? {};
  return {
    ...rest,
    environment: { ...environment, INSTANCE: `${name}-2` },
    ...(ports !== undefined && { ports: [`127.0.0.1:${base + (Number(port) % 1_000) + 1}:${port}`] }),
  };
}

/** `base`: the port base on this machine; `pages`: the folder of the pages, which user 1000 may write to. */
export function standInOverride(delivered: ComposeFile, base: number, pages: string): ComposeFile {
  const twin = `http://provider-twin:${base + portOffsets.providerTwin}`;
  const withTwin = { environment: { PLATFORM_MODE: 'local', STRIPE_API_BASE: twin } };
  const own = {
    operator: withTwin,
    provisioning: withTwin,
    ops: { environment: { STRIPE_API_BASE: twin } },
    'query-builder': { environment: { BUILDER: 'on' }, volumes: [`${pages}:/pages`] },
  };
  const second = Object.fromEntries(
    rolled.map((name) => {
      const service = delivered.services[name] ?? {};
      const changed = name === 'operator' || name === 'provisioning' ? withTwin.environment : {};
      const environment = { ...service.environment, ...changed };
      return [`${name}-2`, secondReplica(name, { ...service, environment }, base)];
    }),
  );
  return {
    services: {
      mongo: documentStore(base),
      'mongo-setup': { image: imageOf('embedded-store'), command: ['node', '-e', '0'] },
      'provider-twin': providerTwin(base),
      ...own,
      ...second,
    },
    volumes: { twin: {} },
  };
}

/** The services that are replaced when a secret of all of them changes. */
export const services = [...rolled, ...rolled.map((name) => `${name}-2`), 'query-builder'];
const consumers = ['storage-consumer', 'search-index-consumer'];
/** What signs on to the broker. */
export const brokerClients = ['topology-keeper', ...services, ...consumers];

const members = ['nats-0', 'nats-1', 'nats-2'] as const;
/** The names of the three cluster members in compose; the delivered service is the first. */
export const brokers = ['nats', 'nats-1', 'nats-2'] as const;

/** A cluster of three brokers with the configuration of the Kubernetes manifests. */
export function clusterOverride(delivered: ComposeFile): ComposeFile {
  const nats = delivered.services['nats'] ?? {};
  const configuration = './infra/k8s/base/configuration';
  const member = (name: string, volume: string): ComposeService => ({
    ...nats,
    environment: { SERVER_NAME: name },
    // One authority serves both links; here it signs for the broker alone.
    secrets: [
      'nats_passwords',
      { source: 'nats_tls_certificate', target: '/run/certificates/clients/tls.crt' },
      { source: 'nats_tls_key', target: '/run/certificates/clients/tls.key' },
      { source: 'nats_route_certificate', target: '/run/certificates/routes/tls.crt' },
      { source: 'nats_route_key', target: '/run/certificates/routes/tls.key' },
      { source: 'nats_ca', target: '/run/certificates/routes/ca.crt' },
      { source: 'nats_routes_password', target: '/run/certificates/routes/password' },
    ],
    networks: { platform: { aliases: [`${name}.nats`] } },
    volumes: [
      `${configuration}/nats-entrypoint.sh:/setup/nats-entrypoint.sh:ro`,
      `${configuration}/nats.conf:/etc/nats/nats.conf:ro`,
      `${configuration}/permissions.conf:/etc/nats/permissions.conf:ro`,
      `${volume}:/data`,
    ],
  });
  const urls = members.map((name) => `nats://${name}.nats:4222`).join(',');
  const connected = Object.entries(delivered.services).filter(([, { environment }]) => environment?.['NATS_URL']);
  const names = [...connected.map(([name]) => name), ...rolled.map((name) => `${name}-2`)];
  const copies = (name: string): ComposeService => ({
    command: [...(delivered.services[name]?.command ?? []), '--replicas', '3'],
  });
  return {
    services: {
      ...Object.fromEntries(names.map((name) => [name, { environment: { NATS_URL: urls, STREAM_COPIES: '3' } }])),
      ...Object.fromEntries(brokers.map((name, at) => [name, member(members[at] ?? name, name)])),
      topology: copies('topology'),
      'topology-keeper': copies('topology-keeper'),
    },
    volumes: { 'nats-1': {}, 'nats-2': {} },
    // The files of the clients' link under separate names: old versions of compose mount a secret only once for each
    // name.
    secrets: {
      nats_route_certificate: { file: './.local/compose-secrets/nats_tls_certificate' },
      nats_route_key: { file: './.local/compose-secrets/nats_tls_key' },
    },
  };
}
