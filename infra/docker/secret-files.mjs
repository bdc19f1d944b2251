// The secrets of a deployment, one file each in a folder. Existing files are kept, so a second run adds only what is
// missing. docker-compose.yml mounts these files; infra/k8s/make-secrets.mjs turns such files into the secrets of a
// cluster. Only the owner can enter the folder, which keeps the secrets private on this machine. Every user can read
// the files in it, because Compose mounts each file with its owner and mode into the containers that need it, and those
// run as other users: MongoDB as 999, the platform as 1000.
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import teamKey from '../../libs/messaging/src/nkey.cjs';
import { createAuthority } from './certificates.mjs';

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

export const fileName = (text) => text.replaceAll('-', '_');

// Begins with a letter: the broker's configuration would otherwise read a text that begins like a number as one.
export const random = () => `k${randomBytes(32).toString('hex')}`;

/** The secret of an earlier run; empty when there is none, and when a full disk left a file without content. */
function kept(folder, name) {
  const path = join(folder, name);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
}

/** Writes the secret as a whole, so that no run that is cut off leaves a part of one. */
function write(folder, name, value) {
  const path = join(folder, name);
  rmSync(`${path}.draft`, { force: true });
  writeFileSync(`${path}.draft`, `${value}\n`);
  renameSync(`${path}.draft`, path);
}

/** Writes the secret unless it exists; returns the file's content. */
export function keep(folder, name, make) {
  const before = kept(folder, name);
  if (before !== '') return before;
  const value = make();
  write(folder, name, value);
  return value;
}

/** A secret of the payment provider: from the environment, or kept from an earlier run. */
function keepGiven(folder, name, value) {
  if (value || kept(folder, name) !== '') return keep(folder, name, () => value);
  throw new Error(
    'Set STRIPE_SECRET_KEY to a test key of your provider account and STRIPE_WEBHOOK_SECRET to the signing secret of its webhook endpoint.',
  );
}

/** The database users of a deployment, each with its name, its database and its password. */
export function makeDatabaseUsers(folder) {
  keep(folder, 'mongo_root_password', random);
  keep(folder, 'mongo_keyfile', () => randomBytes(500).toString('base64'));
  return Object.entries(databases).flatMap(([service, database]) =>
    (service === 'query-builder' ? [service] : [service, `${service}-migrate`, `${service}-resolve`]).map((user) => ({
      user,
      database,
      password: keep(folder, `mongo_password_${fileName(user)}`, random),
    })),
  );
}

/** The connection string of the user for a replica set of these members. */
export const databaseUrl = ({ user, database, password }, members) =>
  `mongodb://${user}:${password}@${members}/${database}?replicaSet=rs0&authSource=${database}`;

/** Keeps the connection string in its file, with the password that the user has now. */
export function keepDatabaseUrl(folder, user, members) {
  const name = `mongodb_url_${fileName(user.user)}`;
  const before = keep(folder, name, () => databaseUrl(user, members));
  const now = before.replace(new RegExp(`^(mongodb(?:\\+srv)?://${user.user}:)[^@/]*@`), `$1${user.password}@`);
  if (now !== before) write(folder, name, now);
}

export function makeBrokerSecrets(folder) {
  const passwords = brokerUsers.map((user) => [
    `NATS_PASSWORD_${fileName(user).toUpperCase()}`,
    keep(folder, `nats_password_${fileName(user)}`, random),
  ]);
  // Defines $NATS_PASSWORD_… and $NATS_KEYS_… of infra/nats/permissions.conf, as variables of the broker's own
  // configuration. Passwords are written each time, because a user that a newer version adds must be included. Keys of
  // teams are kept, because no other file records which of them are valid.
  const file = join(folder, 'nats_passwords.conf');
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const lines = [
    ...passwords.map(([name, value]) => `${name}: "${value}"`),
    ...before.split('\n').filter((line) => line.startsWith('NATS_KEYS_')),
  ];
  let text = `${lines.join('\n')}\n`;
  for (const team of sampleTeams) {
    const [valid, seed] = [teamKey.readKeys(text, team), teamKey.seedFile(team)];
    // A seed of an earlier run whose key is not among the valid ones is retired, and stays it.
    const known = valid.length > 0 && kept(folder, seed) !== '';
    const key = teamKey.publicKeyOf(keep(folder, seed, () => teamKey.createSeed()));
    text = teamKey.withKeys(text, team, known ? valid : [...new Set([key, ...valid])]);
  }
  // Written in place, because the broker's container mounts the file itself. The file's mode forbids writing even to
  // its owner, except to root.
  if (before !== '') chmodSync(file, 0o644);
  writeFileSync(file, text);
}

/** The host names of the broker in Compose, and of the members of a cluster. */
export const brokerHosts = ['nats', 'nats-0.nats', 'nats-1.nats', 'nats-2.nats', 'localhost', '127.0.0.1'];

/**
 * An authority and a certificate for these hosts, in the files of `names`: authority, certificate, key. When one is
 * missing, all three are created again, because the authority's key is not kept.
 */
export function makeCertificate(folder, names, authorityName, hosts) {
  if (names.every((name) => existsSync(join(folder, name)))) return;
  const authority = createAuthority(authorityName);
  const { certificate, key } = authority.issue(hosts);
  for (const [at, text] of [authority.certificate, certificate, key].entries()) {
    const path = join(folder, names[at]);
    // The mode of a file from an earlier run forbids writing even to its owner, except to root.
    if (existsSync(path)) chmodSync(path, 0o644);
    writeFileSync(path, text);
  }
}

/** Read by the process that issues tokens, and mounted by no service. */
const signingKey = 'token_signing_key';

/** The token issuer's key, which no service mounts, and its public half, which services that verify tokens mount. */
export function makeTokenKeys(folder) {
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

/**
 * Opens the folder, lets `make` complete it and sets the mode of every file as the head of this file describes. Returns
 * the names of the created and changed files, and the number of all files.
 */
export function completeSecrets(folder, { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET }, make) {
  mkdirSync(folder, { recursive: true });
  // Before the first secret is written, even in a folder that another program has created.
  chmodSync(folder, 0o700);
  const contents = () => new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  const before = contents();
  keepGiven(folder, 'stripe_secret_key', STRIPE_SECRET_KEY);
  keepGiven(folder, 'webhook_secrets', STRIPE_WEBHOOK_SECRET);
  makeTokenKeys(folder);
  keep(folder, 'case_signing_key', random);
  make(folder);
  const after = contents();
  // Independent of the umask, and also for files of an earlier version.
  for (const name of after.keys()) chmodSync(join(folder, name), name === signingKey ? 0o400 : 0o444);
  return {
    made: [...after.keys()].filter((name) => !before.has(name)),
    changed: [...after].flatMap(([name, text]) => (before.has(name) && before.get(name) !== text ? [name] : [])),
    count: after.size,
  };
}

/** One line for people, without any of the files' contents. */
export const said = (folder, { made, changed, count }) =>
  [
    `secrets in ${folder}: ${made.length} made, ${changed.length} changed, ${count - made.length - changed.length} kept`,
    ...(made.length > 0 && made.length < count ? [`made: ${made.join(', ')}`] : []),
    ...(changed.length > 0 ? [`changed: ${changed.join(', ')}`] : []),
  ].join('\n');
