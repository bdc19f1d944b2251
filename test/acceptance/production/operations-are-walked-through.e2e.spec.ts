/**
 * docs/operations.md step by step on the local platform: backup, rotation of both kinds of secrets from the first day
 * to the last, a disaster, restore onto an empty broker, and a database of another schema version. Steps that need real
 * servers (mongodump, replica sets, a cluster) are marked there.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mintToken, newSigningKey, publicKeySet } from '@platform/http-server';
import { eventually, proofSize } from '@platform/testing';
import { MongoClient } from 'mongodb';
import type { LocalSecrets } from '../../../infra/local/secrets';
import { pagesAudience, portOffsets, tokenAudience, tokenIssuer } from '../../../infra/local/settings';
import { readSigningKey } from '../../../infra/local/token-key';
import { startPlatform, type TestPlatform } from '../../support/platform';
import { runProgram } from '../../support/run-program';

let portBase: number | undefined;
const urlOf = (part: keyof typeof portOffsets): string => `http://127.0.0.1:${platform!.portBase + portOffsets[part]}`;
const saved = { ...process.env };

let folder: string;
let platform: TestPlatform | undefined;

const secretsFile = (): string => join(folder, 'secrets.json');
const keysFile = (): string => join(folder, 'token-keys.json');
const secrets = (): LocalSecrets => JSON.parse(readFileSync(secretsFile(), 'utf8')) as LocalSecrets;
/** Always on the ports of the first start, because the provider knows the receiver's address. */
const start = async (without: readonly string[] = []): Promise<TestPlatform> => {
  platform = await startPlatform({ ...(portBase && { portBase }), localDir: folder, without });
  portBase = platform.portBase;
  return platform;
};
const consumers = ['storage-consumer', 'search-index-consumer'];
/** Parts that have nothing to do before the backup; in the full form they run too. */
const idle = proofSize({ lean: ['provisioning', 'billing-webhook', 'lifecycle-delivery'], full: [] });
const stop = async (): Promise<void> => {
  await platform?.stop();
  platform = undefined;
};

const ownerToken = (signingKey: string): Promise<string> =>
  mintToken({
    signingKey,
    issuer: tokenIssuer,
    audience: [tokenAudience, pagesAudience],
    lifetimeSeconds: 3_600,
    caller: { subject: 'walk', email: 'walk@example.com', role: 'platform_owner', workspaces: {}, permissions: [] },
  });

async function ask(
  part: keyof typeof portOffsets,
  path: string,
  secret: string,
  body?: object,
): Promise<{ status: number; body: { status?: string; code?: string } }> {
  const headers = {
    authorization: `Bearer ${await ownerToken(secret)}`,
    ...(body && { 'content-type': 'application/json', prefer: 'wait=20' }),
  };
  const answer = await fetch(`${urlOf(part)}${path}`, {
    method: body ? 'POST' : 'GET',
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as { status?: string } };
}
const credit = (operationId: string, secret: string) =>
  ask('operator', '/api/saas/workspaces/acme/balance-credit', secret, {
    operationId,
    amountCents: 500,
    reason: 'walk-through',
  });
const operation = (operationId: string, secret: string) =>
  ask('operator', `/api/saas/workspaces/acme/operations/${operationId}`, secret);
const accepted = async (secret: string): Promise<number[]> => [
  (await ask('operator', '/api/saas/plans', secret)).status,
  (await ask('queryBuilder', '/api/builder/ListPages', secret)).status,
];

/** The receiver's answer to an event without an owner, signed with the secret. */
async function webhook(secret: string): Promise<number> {
  const now = Math.floor(Date.now() / 1_000);
  const payload = JSON.stringify({
    id: `evt_${randomBytes(8).toString('hex')}`,
    object: 'event',
    api_version: '2025-01-01',
    created: now,
    livemode: false,
    pending_webhooks: 1,
    request: null,
    type: 'product.created',
    data: { object: { id: 'prod_walk', object: 'product' } },
  });
  const signature = `t=${now},v1=${createHmac('sha256', secret).update(`${now}.${payload}`).digest('hex')}`;
  return (
    await fetch(`${urlOf('billingWebhook')}/api/saas/webhooks/payment-provider`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'stripe-signature': signature },
      body: payload,
    })
  ).status;
}

async function ops(...args: string[]): Promise<{ status: number | null; output: string }> {
  const { MONGODB_URL: _external, MONGODB_DATABASE: _named, ...inherited } = process.env;
  const ran = await runProgram(['infra/local/ops.mjs', ...args], {
    env: { ...inherited, PORT_BASE: String(portBase), LOCAL_DIR: folder },
  });
  return { status: ran.status, output: ran.stdout + ran.stderr };
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'operations-walk-'));
});
afterAll(async () => {
  await stop();
  if (saved['WEBHOOK_SECRETS'] === undefined) delete process.env['WEBHOOK_SECRETS'];
  rmSync(folder, { recursive: true, force: true });
});

describe('the procedures of docs/operations.md, on the local platform', () => {
  const before = { jwt: '', webhook: '' };
  const after = { jwt: newSigningKey(), webhook: `whsec_${randomBytes(24).toString('hex')}` };

  it('a backup is taken while nothing runs, with the trails whole and nothing left to migrate', async () => {
    await start(['query-builder', ...consumers, ...idle]);
    Object.assign(before, { jwt: readSigningKey(folder), webhook: secrets().webhookSecret });
    expect(await credit('walk-before-backup', before.jwt)).toMatchObject({
      status: 200,
      body: { status: 'succeeded' },
    });
    const audit = await ops('audit', 'verify');
    expect([audit.status, audit.output]).toEqual([
      0,
      expect.stringMatching(
        /trail of operator is whole[\s\S]*trail of billing-webhook is whole[\s\S]*trail of provisioning is whole/,
      ),
    ]);
    expect(await ops('migrate')).toMatchObject({ status: 0 });
    await stop();
    cpSync(join(folder, 'mongo'), join(folder, 'backup'), { recursive: true });
  });

  it('a rotation begins: what the old secrets signed and what the new ones signed is accepted everywhere', async () => {
    writeFileSync(keysFile(), publicKeySet(after.jwt, before.jwt));
    process.env['WEBHOOK_SECRETS'] = `${after.webhook},${before.webhook}`;
    await start(['provisioning', 'lifecycle-delivery', ...consumers]);
    expect([await accepted(before.jwt), await accepted(after.jwt)]).toEqual([
      [200, 200],
      [200, 200],
    ]);
    expect([await webhook(before.webhook), await webhook(after.webhook)]).toEqual([200, 200]);
    expect(await credit('walk-after-backup', before.jwt)).toMatchObject({ status: 200, body: { status: 'succeeded' } });
    await stop();
  });

  it('a restore brings the journal back, onto a broker with an empty disk', async () => {
    for (const lost of ['mongo', 'nats']) rmSync(join(folder, lost), { recursive: true });
    cpSync(join(folder, 'backup'), join(folder, 'mongo'), { recursive: true });
    writeFileSync(keysFile(), publicKeySet(after.jwt));
    process.env['WEBHOOK_SECRETS'] = after.webhook;
    const { twinUrl } = await start();
    expect(await operation('walk-before-backup', after.jwt)).toMatchObject({
      status: 200,
      body: { status: 'succeeded' },
    });
    // The restored journal lacks it, but the provider has it: step 5 of the restore handles this case.
    expect(await operation('walk-after-backup', after.jwt)).toMatchObject({ status: 404 });
    const { entries } = (await (await fetch(`${twinUrl}/_twin/ledger?operationId=walk-after-backup`)).json()) as {
      entries: unknown[];
    };
    expect(entries).toHaveLength(1);
    // Streams, durables and consumers exist again: access closes, and every consumer confirms.
    await ask('operator', '/api/saas/workspaces/acme/suspend', after.jwt, { operationId: 'walk-suspend' });
    await eventually(async () => (await operation('walk-suspend', after.jwt)).body.status === 'succeeded', {
      describe: 'the suspension, confirmed by every consumer',
    });
    expect(await ops('audit', 'verify')).toMatchObject({ status: 0 });
  });

  it('the rotation has ended: what the old secrets signed is refused', async () => {
    expect([await accepted(before.jwt), await accepted(after.jwt)]).toEqual([
      [401, 401],
      [200, 200],
    ]);
    expect([await webhook(before.webhook), await webhook(after.webhook)]).toEqual([400, 200]);
  });

  it('a service refuses documents of another schema version and starts again when they fit', async () => {
    const client = await new MongoClient(platform!.mongodbUrl).connect();
    try {
      const versions = client
        .db('operator')
        .collection<{ _id: string; version: number; revision: string }>('schema_versions');
      await platform!.kill('operator');
      await versions.insertOne({ _id: 'operations', version: 3, revision: 'walk' });
      await expect(platform!.restart('operator')).rejects.toThrow(
        /documents are newer than this program \(operations is at version 3, this program knows 0\)/,
      );
      expect(await ops('list')).toMatchObject({
        status: 1,
        output: expect.stringContaining('newer than this program'),
      });
      await versions.deleteOne({ _id: 'operations' });
      await platform!.restart('operator');
      expect(await accepted(after.jwt)).toEqual([200, 200]);
    } finally {
      await client.close();
    }
  });
});
