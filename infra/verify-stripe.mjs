// `npm run verify:stripe`: the contract suite on a test account of the payment provider. Exits with 0 when every test
// passed or there is no key, 1 when a test failed, 2 for an invalid environment.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import commandLine from '../libs/command-line/src/index.cjs';
import command from './verify-stripe.command.cjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { env } = process;

/** Tests that only the twin can show. */
const leftOut = [
  'faults of the network and of the provider, which cannot be ordered from an account',
  "payments on the provider's page and answers of banks, which a person gives",
];

function keyOf() {
  const { STRIPE_SECRET_KEY_FILE: file, STRIPE_SECRET_KEY: key } = env;
  return (file === undefined ? key : readFileSync(file, 'utf8'))?.trim() || undefined;
}

function isLoopback(base) {
  return URL.canParse(base) && ['127.0.0.1', '[::1]', 'localhost'].includes(new URL(base).hostname);
}

/** Why no request may be sent with this environment; undefined when it is valid. */
function misuseOf(key) {
  if (!/^(sk|rk)_test_\w+$/.test(key))
    return 'STRIPE_SECRET_KEY is no test key (sk_test_… or rk_test_…). Take one of a test account: what is made there is removed again.';
  if (env.STRIPE_API_BASE !== undefined && !isLoopback(env.STRIPE_API_BASE))
    return 'STRIPE_API_BASE names another machine. It may name a substitute on this one; without it the provider is asked.';
  return undefined;
}

function verify() {
  const key = keyOf();
  if (key === undefined) {
    console.log('verify:stripe: not verified. STRIPE_SECRET_KEY names no test account, so nothing was asked.');
    console.log('Next: STRIPE_SECRET_KEY=sk_test_… npm run verify:stripe. The twin passes the same suite in npm test.');
    return 0;
  }
  const misuse = misuseOf(key);
  if (misuse !== undefined) {
    console.error(`verify:stripe: ${misuse}`);
    return commandLine.exitCodes.misused;
  }
  console.log(
    env.STRIPE_API_BASE === undefined
      ? 'The account of the key, at the provider. Some minutes pass while its test clocks advance.'
      : `A substitute at ${env.STRIPE_API_BASE}: what holds there is not known of the provider.`,
  );
  const words = ['--testMatch', '**/account.verify.ts', '--runInBand', '--testTimeout', '600000'];
  const reporter = ['--reporters', join(root, 'infra/verify-stripe-reporter.cjs')];
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules/jest/bin/jest.js'), ...words, ...reporter], {
    cwd: root,
    env: { ...env, STRIPE_SECRET_KEY: key },
    stdio: 'inherit',
  });
  leftOut.forEach((line) => console.log(`left to the twin: ${line}`));
  if (![env.STRIPE_WEBHOOK_URL, env.STRIPE_WEBHOOK_SECRET, env.STRIPE_API_BASE].some(Boolean))
    console.log(
      'not verified: webhooks; name STRIPE_WEBHOOK_URL, or STRIPE_WEBHOOK_SECRET of `stripe listen` (see --help)',
    );
  if (env.STRIPE_API_BASE !== undefined)
    console.log('not verified: coupons, taxes and test clocks, which a substitute does not have');
  return status === 0 ? 0 : 1;
}

await commandLine.runCommand(command, verify);
