// Prints an environment file for docker-compose.yml: fresh random secrets, and the provider's key from the environment.
// Usage: STRIPE_SECRET_KEY=sk_test_… node infra/docker/make-secrets.mjs > .local/compose.env
import { randomBytes } from 'node:crypto';

const brokerUsers = ['TOPOLOGY', 'OPERATOR', 'BILLING_WEBHOOK', 'PROVISIONING', 'LIFECYCLE_DELIVERY', 'STORAGE', 'SEARCH_INDEX'];

const providerKey = process.env.STRIPE_SECRET_KEY;
if (!providerKey) {
  console.error('Set STRIPE_SECRET_KEY to a test key of your provider account.');
  process.exit(1);
}
// A letter first: the broker's configuration would read the rest as a number when it begins like one.
const secret = () => `k${randomBytes(32).toString('hex')}`;
const lines = [`STRIPE_SECRET_KEY=${providerKey}`, `JWT_SECRET=${secret()}`, ...brokerUsers.map((user) => `NATS_PASSWORD_${user}=${secret()}`)];
console.log(lines.join('\n'));
