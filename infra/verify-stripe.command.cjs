// The command line of `npm run verify:stripe`.
module.exports = /** @type {const} */ ({
  name: 'verify:stripe',
  usage: 'STRIPE_SECRET_KEY=sk_test_… npm run verify:stripe',
  summary:
    "Runs the contract suite of the payment provider on a real test account: every call that the platform makes, with test clocks, cards that decline or ask for their holder, trials with a change for later, coupons and taxes, lists of more than 100, idempotency. What it makes carries the run's name and is removed at the end. Only test keys are taken. Without a key nothing is asked, and it says so. Webhooks: STRIPE_WEBHOOK_URL names a public address that leads to STRIPE_WEBHOOK_PORT (4242) of this machine, or STRIPE_WEBHOOK_SECRET is that of `stripe listen --forward-to 127.0.0.1:4242`.",
  options: {},
  examples: [
    'STRIPE_SECRET_KEY_FILE=key.txt npm run verify:stripe',
    'STRIPE_SECRET_KEY=sk_test_1 STRIPE_API_BASE=http://127.0.0.1:7090 npm run verify:stripe',
  ],
});
