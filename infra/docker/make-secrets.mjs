// Prints an environment file for docker-compose.yml: fresh random secrets, and the provider's two from the environment.
// Usage: STRIPE_SECRET_KEY=sk_test_… STRIPE_WEBHOOK_SECRET=whsec_… node infra/docker/make-secrets.mjs > .local/compose.env
import { randomBytes } from 'node:crypto';

const brokerUsers = ['TOPOLOGY', 'OPERATOR', 'BILLING_WEBHOOK', 'PROVISIONING', 'LIFECYCLE_DELIVERY', 'STORAGE', 'SEARCH_INDEX'];

const { STRIPE_SECRET_KEY: providerKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = process.env;
if (!providerKey || !webhookSecret) {
  console.error('Set STRIPE_SECRET_KEY to a test key of your provider account and STRIPE_WEBHOOK_SECRET to the signing secret of its webhook endpoint.');
  process.exit(1);
}
// A letter first: the broker's configuration would read the rest as a number when it begins like one.
const secret = () => `k${randomBytes(32).toString('hex')}`;
const lines = [`STRIPE_SECRET_KEY=${providerKey}`, `WEBHOOK_SECRETS=${webhookSecret}`, `JWT_SECRET=${secret()}`, ...brokerUsers.map((user) => `NATS_PASSWORD_${user}=${secret()}`)];
console.log(lines.join('\n'));
