// Makes the secrets of docker-compose.yml, once: a folder with one file per secret, readable for its owner alone. What is
// there is kept, so that a second run adds only what a newer version needs. The provider's two come from the environment.
// Usage: STRIPE_SECRET_KEY=sk_test_… STRIPE_WEBHOOK_SECRET=whsec_… node infra/docker/make-secrets.mjs [folder]
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const brokerUsers = [
  'topology',
  'operator',
  'billing-webhook',
  'provisioning',
  'lifecycle-delivery',
  'storage',
  'search-index',
];
const databases = {
  operator: 'operator',
  'billing-webhook': 'billing_webhook',
  provisioning: 'provisioning',
  'lifecycle-delivery': 'lifecycle_delivery',
  'query-builder': 'query_builder',
};
const migrating = Object.keys(databases).filter((user) => user !== 'query-builder');

const folder = process.argv[2] ?? '.local/compose-secrets';
const { STRIPE_SECRET_KEY: providerKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = process.env;
const fileName = (text) => text.replaceAll('-', '_');

// A letter first: the broker's configuration would read the rest as a number when it begins like one.
const random = () => `k${randomBytes(32).toString('hex')}`;

/** Writes the secret unless it is there; answers what stands there now. */
function keep(name, make) {
  const path = join(folder, name);
  if (existsSync(path)) return readFileSync(path, 'utf8').trim();
  const value = make();
  writeFileSync(path, `${value}\n`, { mode: 0o600 });
  return value;
}

function given(value, name) {
  if (!value) {
    console.error(
      'Set STRIPE_SECRET_KEY to a test key of your provider account and STRIPE_WEBHOOK_SECRET to the signing secret of its webhook endpoint.',
    );
    process.exit(1);
  }
  return keep(name, () => value);
}

mkdirSync(folder, { recursive: true, mode: 0o700 });
given(providerKey || (existsSync(join(folder, 'stripe_secret_key')) && 'kept'), 'stripe_secret_key');
given(webhookSecret || (existsSync(join(folder, 'webhook_secrets')) && 'kept'), 'webhook_secrets');
keep('jwt_secret', random);
// Nobody signs with it until a rotation puts the old secret here.
keep('jwt_secret_previous', random);
keep('case_signing_key', random);
keep('mongo_root_password', random);
keep('mongo_keyfile', () => randomBytes(500).toString('base64'));
for (const [user, database] of Object.entries(databases)) {
  const password = keep(`mongo_password_${fileName(user)}`, random);
  keep(
    `mongodb_url_${fileName(user)}`,
    () => `mongodb://${user}:${password}@mongo:27017/${database}?replicaSet=rs0&authSource=${database}`,
  );
}
for (const user of migrating) keep(`mongo_password_${fileName(user)}_migrate`, random);
const passwords = brokerUsers.map((user) => [
  `NATS_PASSWORD_${fileName(user).toUpperCase()}`,
  keep(`nats_password_${fileName(user)}`, random),
]);
// What infra/nats/permissions.conf calls $NATS_PASSWORD_…; the broker's own configuration may define such variables.
keep('nats_passwords.conf', () => passwords.map(([name, value]) => `${name}: "${value}"`).join('\n'));
console.log(`secrets in ${folder}`);
