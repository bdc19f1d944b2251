// Makes the secrets of docker-compose.yml, once: a folder with one file per secret. Existing secrets are kept, so that
// a second run adds only those that a newer version needs. The provider's two come from the environment.
//
// The folder can be entered by its owner alone; that is what keeps the secrets private on this machine. The files in it
// can be read by every user, because Compose mounts each file with its owner and mode into the containers that need it,
// and those run as other users: MongoDB as 999, the platform as 1000.
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import commandLine from '../../libs/command-line/src/index.cjs';
import teamKey from '../../libs/messaging/src/nkey.cjs';
import { createAuthority } from './certificates.mjs';

const command = {
  name: 'make-secrets',
  usage: 'STRIPE_SECRET_KEY=sk_test_… STRIPE_WEBHOOK_SECRET=whsec_… node infra/docker/make-secrets.mjs',
  summary:
    'Makes the secrets of docker-compose.yml, one file each, in the folder (.local/compose-secrets). What is there is kept.',
  words: ['[folder]'],
  options: {},
};

const brokerUsers = [
  'topology',
  'operator',
  'billing-webhook',
  'provisioning',
  'lifecycle-delivery',
  'ops',
  'query-builder',
];
/** The sample consumers; a team that is added later gets its key by `npm run team`. */
const sampleTeams = ['storage', 'search-index'];
const databases = {
  operator: 'operator',
  'billing-webhook': 'billing_webhook',
  provisioning: 'provisioning',
  'lifecycle-delivery': 'lifecycle_delivery',
  'query-builder': 'query_builder',
};

const { STRIPE_SECRET_KEY: providerKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = process.env;
const fileName = (text) => text.replaceAll('-', '_');

// A letter first: the broker's configuration would read the rest as a number when it begins like one.
const random = () => `k${randomBytes(32).toString('hex')}`;

/** Writes the secret unless it is there; answers what the file holds now. */
function keep(folder, name, make) {
  const path = join(folder, name);
  if (existsSync(path)) return readFileSync(path, 'utf8').trim();
  const value = make();
  writeFileSync(path, `${value}\n`);
  return value;
}

/** A secret of the provider: from the environment, or kept from an earlier run. */
function keepGiven(folder, name, value) {
  if (value || existsSync(join(folder, name))) return keep(folder, name, () => value);
  throw new Error(
    'Set STRIPE_SECRET_KEY to a test key of your provider account and STRIPE_WEBHOOK_SECRET to the signing secret of its webhook endpoint.',
  );
}

function makeDatabaseSecrets(folder) {
  keep(folder, 'mongo_root_password', random);
  keep(folder, 'mongo_keyfile', () => randomBytes(500).toString('base64'));
  for (const [service, database] of Object.entries(databases))
    for (const user of service === 'query-builder'
      ? [service]
      : [service, `${service}-migrate`, `${service}-resolve`]) {
      const password = keep(folder, `mongo_password_${fileName(user)}`, random);
      keep(
        folder,
        `mongodb_url_${fileName(user)}`,
        () => `mongodb://${user}:${password}@mongo:27017/${database}?replicaSet=rs0&authSource=${database}`,
      );
    }
}

function makeBrokerSecrets(folder) {
  const passwords = brokerUsers.map((user) => [
    `NATS_PASSWORD_${fileName(user).toUpperCase()}`,
    keep(folder, `nats_password_${fileName(user)}`, random),
  ]);
  // What infra/nats/permissions.conf calls $NATS_PASSWORD_… and $NATS_KEYS_…; the broker's own configuration may define
  // such variables. Passwords are written each time: a user that a newer version adds belongs in it. Keys of teams are
  // kept: no other file records which of them are valid.
  const file = join(folder, 'nats_passwords.conf');
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const lines = [
    ...passwords.map(([name, value]) => `${name}: "${value}"`),
    ...before.split('\n').filter((line) => line.startsWith('NATS_KEYS_')),
  ];
  let text = `${lines.join('\n')}\n`;
  for (const team of sampleTeams) {
    const key = teamKey.publicKeyOf(keep(folder, teamKey.seedFile(team), () => teamKey.createSeed()));
    text = teamKey.withKeys(text, team, [...new Set([key, ...teamKey.readKeys(text, team)])]);
  }
  // Written in place, because the broker's container mounts the file itself. Its mode refuses its owner, unless that is
  // root.
  if (before !== '') chmodSync(file, 0o644);
  writeFileSync(file, text);
}

/** The host names of the broker in Compose, and of the members of a cluster. */
const brokerHosts = ['nats', 'nats-0.nats', 'nats-1.nats', 'nats-2.nats', 'localhost', '127.0.0.1'];

/** All three again where one is missing: an authority whose key is not kept signs once. */
function makeBrokerCertificate(folder) {
  // With it, members of a cluster identify themselves to each other.
  keep(folder, 'nats_routes_password', random);
  const names = ['nats_ca', 'nats_tls_certificate', 'nats_tls_key'];
  if (names.every((name) => existsSync(join(folder, name)))) return;
  const authority = createAuthority('workspace-platform broker');
  const { certificate, key } = authority.issue(brokerHosts);
  for (const [at, text] of [authority.certificate, certificate, key].entries())
    writeFileSync(join(folder, names[at]), text);
}

/** Read by the process that issues tokens, and mounted by no service. */
const signingKey = 'token_signing_key';

/** The key of the token issuer, which no service mounts, and its public half, which those that verify tokens do. */
function makeTokenKeys(folder) {
  const { privateKey } = generateKeyPairSync('ed25519');
  const seed = keep(folder, signingKey, () => privateKey.export({ format: 'jwk' }).d);
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.from(seed, 'base64url')]);
  const { x } = createPublicKey(createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })).export({
    format: 'jwk',
  });
  const thumbprint = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x });
  const kid = createHash('sha256').update(thumbprint).digest('base64url');
  const key = { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid, x };
  keep(folder, 'jwt_public_keys', () => JSON.stringify({ keys: [key] }));
}

await commandLine.runCommand(command, ({ words: [folder = '.local/compose-secrets'] }) => {
  mkdirSync(folder, { recursive: true });
  // Before the first secret is written, also in a folder that another program has made.
  chmodSync(folder, 0o700);
  keepGiven(folder, 'stripe_secret_key', providerKey);
  keepGiven(folder, 'webhook_secrets', webhookSecret);
  makeTokenKeys(folder);
  keep(folder, 'case_signing_key', random);
  keep(folder, 'grafana_password', random);
  makeDatabaseSecrets(folder);
  makeBrokerSecrets(folder);
  makeBrokerCertificate(folder);
  // Whatever the umask is, and also for files of an earlier version.
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), name === signingKey ? 0o400 : 0o444);
  console.log(`secrets in ${folder}`);
});
