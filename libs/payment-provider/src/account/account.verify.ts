/**
 * The suite of `npm run verify:stripe`, on the account of the environment's key. The command checks the environment.
 */
import { paymentProviderFeatures } from '../payment-provider.features';
import { openAccountHarness } from './account-harness';
import { twinTime } from './twin-time';

const { STRIPE_SECRET_KEY = '', STRIPE_API_BASE, STRIPE_WEBHOOK_URL, STRIPE_WEBHOOK_SECRET } = process.env;
const port = Number(process.env['STRIPE_WEBHOOK_PORT'] ?? (STRIPE_API_BASE === undefined ? 4242 : 0));
const reachable = STRIPE_WEBHOOK_URL ?? STRIPE_WEBHOOK_SECRET ?? STRIPE_API_BASE;

paymentProviderFeatures(
  'the account',
  async () => {
    const cannot = () => Promise.reject(new Error('an account cannot be made to do this'));
    const harness = await openAccountHarness({
      secretKey: STRIPE_SECRET_KEY,
      run: `run-${Date.now().toString(36)}`,
      // A substitute has its own clock, and calculates neither discounts nor taxes.
      ...(STRIPE_API_BASE !== undefined && { apiBase: STRIPE_API_BASE, time: () => twinTime(STRIPE_API_BASE) }),
      redeems: STRIPE_API_BASE === undefined,
      ...(reachable !== undefined && {
        webhooks: {
          port,
          ...(STRIPE_WEBHOOK_URL !== undefined && { publicUrl: STRIPE_WEBHOOK_URL }),
          ...(STRIPE_WEBHOOK_SECRET !== undefined && { forwarderSecret: STRIPE_WEBHOOK_SECRET }),
        },
      }),
    });
    return { ...harness, failNext: cannot, completeCheckout: cannot, answerBank: cannot };
  },
  { faults: false, pages: false, contracts: true, webhooks: reachable !== undefined },
);
