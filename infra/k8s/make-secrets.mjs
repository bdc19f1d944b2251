// Creates every secret that the manifests mount, with the same code as for Compose: one file each in a folder that only
// its owner can enter, and from these a list of Secret objects for kubectl. Existing files are kept; missing ones are
// created. The cluster is not touched: `kubectl create` of the list refuses to replace existing secrets, `kubectl
// apply` rotates them.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import commandLine from '../../libs/command-line/src/index.cjs';
import {
  brokerHosts,
  completeSecrets,
  databaseUrl,
  fileName,
  keep,
  makeBrokerSecrets,
  makeCertificate,
  makeDatabaseUsers,
  random,
  said,
} from '../docker/secret-files.mjs';

const command = {
  name: 'make-secrets',
  usage: 'STRIPE_SECRET_KEY=sk_test_… STRIPE_WEBHOOK_SECRET=whsec_… node infra/k8s/make-secrets.mjs',
  summary:
    'Makes the secrets of the Kubernetes manifests in the folder (.local/k8s-secrets): a file each, and secrets.json for kubectl. What is there is kept.',
  words: ['[folder]'],
  options: {
    namespace: { type: 'string', value: 'NAME', default: 'workspace-platform', text: 'of the deployment' },
  },
};

const members = [0, 1, 2].map((member) => `mongo-${member}.mongo:27017`).join(',');
const clientFiles = ['nats_ca', 'nats_tls_certificate', 'nats_tls_key'];
/** A separate authority, which signs only for the members. */
const routeFiles = ['nats_routes_ca', 'nats_routes_certificate', 'nats_routes_key'];
const routeHosts = brokerHosts.filter((host) => host.startsWith('nats-'));
const list = 'secrets.json';

function makeOwn(folder) {
  makeDatabaseUsers(folder);
  makeBrokerSecrets(folder);
  keep(folder, 'nats_routes_password', random);
  makeCertificate(folder, clientFiles, 'workspace-platform broker', brokerHosts);
  makeCertificate(folder, routeFiles, 'workspace-platform members', routeHosts);
}

/** Name, keys and values of each Secret; infra/k8s/example/secrets.yaml explains them. */
function secretsOf(folder) {
  const read = (name) => readFileSync(join(folder, name), 'utf8').trim();
  const files = (...names) => Object.fromEntries(names.map((name) => [name, read(name)]));
  const users = makeDatabaseUsers(folder);
  const urlOf = (name) =>
    databaseUrl(
      users.find(({ user }) => user === name),
      members,
    );
  const serving = (name, ...more) => ({
    mongodb_url: urlOf(name),
    nats_password: read(`nats_password_${fileName(name)}`),
    ...files('nats_ca', ...more),
  });
  const offLine = (kind) =>
    Object.fromEntries(
      ['operator', 'billing-webhook', 'provisioning', 'lifecycle-delivery'].map((name) => [
        fileName(name),
        urlOf(`${name}-${kind}`),
      ]),
    );
  const shownBy = ([authority, certificate, key]) => ({
    'tls.crt': read(certificate),
    'tls.key': read(key),
    ...(authority === 'nats_routes_ca' && { 'ca.crt': read(authority) }),
  });
  return {
    operator: serving('operator', 'jwt_public_keys', 'stripe_secret_key', 'case_signing_key'),
    'billing-webhook': serving('billing-webhook', 'webhook_secrets'),
    provisioning: serving('provisioning', 'stripe_secret_key'),
    'lifecycle-delivery': serving('lifecycle-delivery'),
    'query-builder': serving('query-builder', 'jwt_public_keys'),
    nats: { nats_passwords: `${read('nats_passwords.conf')}\n` },
    'nats-clients': shownBy(clientFiles),
    'nats-routes': { ...shownBy(routeFiles), password: read('nats_routes_password') },
    topology: files('nats_password_topology', 'nats_ca'),
    mongo: files('mongo_keyfile', 'mongo_root_password'),
    'mongo-setup': files('mongo_root_password', ...users.map(({ user }) => `mongo_password_${fileName(user)}`)),
    ops: {
      nats_password: read('nats_password_ops'),
      ...files('nats_ca', 'stripe_secret_key', 'case_signing_key', 'jwt_public_keys'),
    },
    'ops-resolve': offLine('resolve'),
    'ops-migrate': offLine('migrate'),
  };
}

/** Readable only by its owner. */
function writeList(folder, namespace) {
  const path = join(folder, list);
  const items = Object.entries(secretsOf(folder)).map(([name, stringData]) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    stringData,
  }));
  writeFileSync(path, `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)}\n`, { mode: 0o400 });
  return path;
}

await commandLine.runCommand(command, ({ words: [folder = '.local/k8s-secrets'], values: { namespace } }) => {
  rmSync(join(folder, list), { force: true });
  console.log(said(folder, completeSecrets(folder, process.env, makeOwn)));
  console.log(`for kubectl: ${writeList(folder, namespace)}`);
});
