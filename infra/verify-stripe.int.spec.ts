/**
 * `npm run verify:stripe` as a command: what it refuses, and the whole suite against a twin in the role of the account.
 */
import { join } from 'node:path';
import { startProviderTwin } from '@platform/provider-twin';
import { runProgram } from '../test/support/run-program';

const run = (env: Readonly<Record<string, string>>) =>
  runProgram([join(__dirname, 'verify-stripe.mjs')], { env: { PATH: process.env['PATH'] ?? '', ...env } });

describe('the contract suite on an account', () => {
  it('says in plain words that nothing was verified where no key is', async () => {
    expect(await run({})).toMatchObject({ status: 0, stdout: expect.stringMatching(/^verify:stripe: not verified\./) });
  });

  it.each([
    ['a live key', { STRIPE_SECRET_KEY: 'sk_live_1234secret' }, 'no test key'],
    [
      'a substitute on another machine',
      { STRIPE_SECRET_KEY: 'sk_test_1234secret', STRIPE_API_BASE: 'https://provider.example' },
      'another machine',
    ],
  ])('asks nothing with %s, and does not print the key', async (_what, env, refusal) => {
    const { status, stdout, stderr } = await run(env);
    expect([status, stderr]).toEqual([2, expect.stringContaining(refusal)]);
    expect(stdout + stderr).not.toContain('1234secret');
  });

  it('holds on a twin that plays the account, by its interface alone', async () => {
    const twin = await startProviderTwin({ port: 0 });
    try {
      const { status, stdout, stderr } = await run({
        STRIPE_SECRET_KEY: 'sk_test_1234secret',
        STRIPE_API_BASE: twin.url,
      });
      expect({ status, failed: stdout.split('\n').filter((line) => line.startsWith('✗')) }).toEqual({
        status: 0,
        failed: [],
      });
      expect(stdout).toMatch(/\b[67]\d expectations of the contract held, 0 did not/);
      expect(stdout).toContain('not verified: coupons, taxes and test clocks');
      expect(stdout + stderr).not.toContain('1234secret');
    } finally {
      await twin.close();
    }
  });
});
