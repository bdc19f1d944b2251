/**
 * The infrastructure under the services: broker, document store, payment provider, and the parts that prepare them. A
 * part that the environment supplies from outside is left out.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { brokerCredentials, unrestrictedUser } from './broker-users';
import type { Part } from './part';
import type { LocalSettings } from './settings';

/** Created by the seed when its work is done, with the instant; a start with --fresh removes it. */
export const seededMarker = 'seeded.json';

/** `fresh`: the data of earlier runs is to be forgotten, so the samples are written again. */
export function infrastructureParts(settings: LocalSettings, fresh = false): Part[] {
  const { external, localDir } = settings;
  const rows: (Part | false)[] = [
    !external.nats && broker(settings),
    topology(settings),
    !external.documentStore && documentStore(settings),
    !external.provider && providerTwin(settings),
    !external.provider && (fresh || !existsSync(join(localDir, seededMarker))) && seed(settings),
  ];
  return rows.filter((row) => row !== false);
}

function broker({ ports }: LocalSettings): Part {
  return {
    name: 'nats',
    kind: 'nats',
    title: 'broker',
    after: [],
    command: [],
    environment: {},
    heapMegabytes: 0,
    ports: [ports.nats],
  };
}

function topology(settings: LocalSettings): Part {
  const signOn = brokerCredentials(settings, unrestrictedUser);
  const user = signOn['NATS_USER'] ? ['--user', signOn['NATS_USER']] : [];
  // Streams of an older version in this folder's broker may be recreated, because outboxes fill them again. A broker
  // from the environment keeps everything.
  const agreed = settings.external.nats ? [] : ['--lower-limits', '--recreate', 'TENANT_LIFECYCLE'];
  return {
    name: 'topology',
    kind: 'once',
    title: 'streams and durables',
    after: ['nats'],
    command: ['dist/infra/nats/apply.js', '--url', settings.natsUrl, ...user, ...agreed],
    environment: signOn,
    heapMegabytes: 64,
  };
}

function documentStore({ ports, localDir }: LocalSettings): Part {
  const port = ports.documentStore;
  const folder = join(localDir, 'mongo');
  return {
    name: 'document-store',
    kind: 'program',
    title: 'document store',
    after: [],
    command: [
      'dist/libs/embedded-mongo/main.js',
      ...['--port', String(port), '--data', folder],
      // For observers of a run, who judge by what was really stored.
      ...(process.env['DOCUMENT_STORE_KEEPS_CHANGES'] ? ['--keep-changes'] : []),
    ],
    environment: {},
    keeps: join(folder, 'store.mdb'),
    heapMegabytes: 256,
    readiness: { kind: 'tcp', port },
    ports: [port],
  };
}

function providerTwin({ ports, localDir, secrets }: LocalSettings): Part {
  const port = ports.providerTwin;
  const data = join(localDir, 'provider-twin.json');
  return {
    name: 'provider-twin',
    kind: 'program',
    title: 'payment provider (twin)',
    after: [],
    command: ['dist/libs/provider-twin/main.js', '--port', String(port), '--data', data],
    environment: { STRIPE_SECRET_KEY: secrets.providerKey },
    keeps: data,
    heapMegabytes: Number(process.env['PROVIDER_TWIN_HEAP_MEGABYTES'] ?? 128),
    readiness: { kind: 'http', url: `http://127.0.0.1:${port}/_twin/clock` },
    ports: [port],
  };
}

function seed({ localDir, portBase, external, mongodbUrl }: LocalSettings): Part {
  return {
    name: 'seed',
    kind: 'once',
    title: 'plans and workspaces to begin with',
    after: ['document-store', 'provider-twin'],
    command: ['dist/infra/local/seed.js'],
    environment: {
      LOCAL_DIR: localDir,
      PORT_BASE: String(portBase),
      ...(external.documentStore ? { MONGODB_URL: mongodbUrl } : {}),
      ...(process.env['WEBHOOK_RECEIVER'] ? { WEBHOOK_RECEIVER: process.env['WEBHOOK_RECEIVER'] } : {}),
    },
    heapMegabytes: 64,
  };
}
