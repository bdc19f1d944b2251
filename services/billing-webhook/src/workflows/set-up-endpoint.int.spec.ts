/** The delivered program creates and compares the webhook endpoint of a deployment at the provider's twin. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openWebhookEndpoints, providerApiVersion } from '@platform/payment-provider';
import { startProviderTwin, type RunningTwin } from '@platform/provider-twin';
import { runProgram } from '../../../../test/support/run-program';
import { handledTypes } from '../domain/route-event';

const root = resolve(__dirname, '../../../..');
const url = 'https://platform.example/api/saas/webhooks/payment-provider';
const secretKey = 'sk_test_setup';

let twin: RunningTwin;
let folder: string;
beforeAll(async () => {
  const built = await runProgram(['infra/build.mjs', '--quiet']);
  if (built.status !== 0) throw new Error(built.stderr);
});
beforeEach(async () => {
  twin = await startProviderTwin({ port: 0 });
  folder = mkdtempSync(join(tmpdir(), 'setup-'));
});
afterEach(async () => {
  await twin.close();
  rmSync(folder, { recursive: true });
});

const secretFile = (): string => join(folder, 'secret');
const setUp = (...args: string[]) =>
  runProgram([join(root, 'dist/infra/ops/main.js'), 'setup', 'stripe', '--url', url, ...args], {
    env: { PATH: process.env['PATH'], STRIPE_SECRET_KEY: secretKey, STRIPE_API_BASE: twin.url },
  });
const atProvider = () => openWebhookEndpoints({ secretKey, apiBase: twin.url, timeoutMs: 10_000 });

describe('ops setup stripe', () => {
  it('says what is missing and changes nothing, then makes the endpoint once and keeps its secret in a file', async () => {
    expect(await setUp()).toMatchObject({
      status: 3,
      stdout: expect.stringContaining('Nothing was changed') as string,
    });
    expect(await setUp('--apply')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--secret-file') as string,
    });
    expect(await atProvider().list()).toEqual([]);
    const made = await setUp('--apply', '--secret-file', secretFile());
    expect(made).toMatchObject({ status: 0, stderr: '' });
    const [endpoint, ...more] = await atProvider().list();
    expect(more).toEqual([]);
    expect(endpoint).toMatchObject({ url, enabled: true, eventTypes: handledTypes, apiVersion: providerApiVersion });
    const secret = readFileSync(secretFile(), 'utf8');
    expect(secret).toMatch(/^whsec_/);
    expect(made.stdout).not.toContain(secret);
    expect(statSync(secretFile()).mode & 0o777).toBe(0o600);
    expect(await setUp('--apply')).toMatchObject({ status: 0 });
    expect(await atProvider().list()).toHaveLength(1);
  });

  it('brings the types of an endpoint up to date, and enables it', async () => {
    const endpoints = atProvider();
    await endpoints.create({ url, eventTypes: ['customer.updated', 'customer.created'], key: 'one' });
    const compared = await setUp();
    expect(compared.status).toBe(3);
    expect(compared.stdout).toMatch(/not sent: .*invoice\.paid[^]*sent and not handled: customer\.created/);
    expect(await setUp('--apply')).toMatchObject({ status: 0 });
    expect(await endpoints.list()).toMatchObject([{ enabled: true, eventTypes: handledTypes }]);
  });

  it('makes another one within a day of the deletion of the first, and says when a secret is nowhere', async () => {
    await setUp('--apply', '--secret-file', secretFile());
    const [first] = await atProvider().list();
    rmSync(secretFile());
    const again = await setUp('--apply', '--secret-file', secretFile());
    expect(again).toMatchObject({ status: 3, stdout: expect.stringContaining('no secret was written') as string });
    expect(existsSync(secretFile())).toBe(false);
    const headers = { authorization: `Bearer ${secretKey}` };
    await fetch(`${twin.url}/v1/webhook_endpoints/${first!.id}`, { method: 'DELETE', headers });
    const made = await setUp('--apply', '--secret-file', secretFile());
    const [second, ...more] = await atProvider().list();
    expect([second?.id === first!.id, more, made.status]).toEqual([false, [], 0]);
    expect(made.stdout).toContain(`${second!.id} is made`);
  });

  it('overwrites no file, and makes nothing when the secret would have no place', async () => {
    await setUp('--apply', '--secret-file', secretFile());
    const other = 'https://other.example/api/saas/webhooks/payment-provider';
    const again = await setUp('--url', other, '--apply', '--secret-file', secretFile());
    expect(again).toMatchObject({ status: 2 });
    const nowhere = await setUp('--url', other, '--apply', '--secret-file', join(folder, 'absent/secret'));
    expect(nowhere.status).toBe(2);
    expect(await atProvider().list()).toHaveLength(1);
    expect(existsSync(join(folder, 'absent'))).toBe(false);
  });

  it('refuses an address where the receiver does not listen', async () => {
    expect(await setUp('--url', 'https://platform.example/')).toMatchObject({ status: 2 });
  });
});
