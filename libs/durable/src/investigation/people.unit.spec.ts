import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Misuse } from '@platform/command-line';
import { mintToken, newSigningKey, publicKeySet } from '@platform/http-server';
import { openPeople } from './people';
import { outcomeAloneOf, signedBy } from './proof-options';
import { overrideRefusal } from './proofs';

const signingKey = newSigningKey();
const environment = { JWT_PUBLIC_KEYS: publicKeySet(signingKey) };
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'people-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Change {
  readonly role?: 'platform_owner' | 'user';
  readonly signingKey?: string;
  readonly subject?: string;
}

async function tokenOf(email: string, change: Change = {}) {
  const file = join(
    folder,
    `${email}-${change.role ?? ''}-${change.signingKey ? 'forged' : ''}-${change.subject ?? ''}`,
  );
  const token = await mintToken({
    signingKey: change.signingKey ?? signingKey,
    issuer: 'workspace-platform',
    audience: 'workspace-platform',
    lifetimeSeconds: 60,
    caller: {
      subject: change.subject ?? email,
      email,
      role: change.role ?? 'platform_owner',
      workspaces: {},
      permissions: [],
    },
  });
  writeFileSync(file, `${token}\n`);
  return file;
}

const ann = { id: 'ann@example.com', email: 'ann@example.com' };
const elsewhere = openPeople(async () => false, environment);
const local = openPeople(async () => true, environment);

describe('who answers for a resolution', () => {
  it('is the person of a verified token', async () => {
    const tokenFile = await tokenOf('ann@example.com');
    expect(await elsewhere.personOf({ email: undefined, tokenFile }, '--token-file')).toEqual(ann);
    expect(await elsewhere.personOf({ email: 'Ann@example.com', tokenFile }, '--token-file')).toEqual(ann);
  });

  it('is never an address alone, but on the local platform', async () => {
    const claimed = { email: 'ann@example.com', tokenFile: undefined };
    await expect(elsewhere.personOf(claimed, '--token-file')).rejects.toThrow('--token-file is missing');
    expect(await local.personOf(claimed, '--token-file')).toEqual(ann);
  });

  it('is proven where the deployment leaves other variables empty', async () => {
    const empty = { JWKS_URL: '', TOKENS_REVOKED_FILE: '', JWT_ISSUER: '', JWT_AUDIENCE: '' };
    const people = openPeople(async () => false, { ...environment, ...empty });
    const tokenFile = await tokenOf('ann@example.com');
    expect(await people.personOf({ email: undefined, tokenFile }, '--token-file')).toEqual(ann);
  });

  it.each(['ann', 'ann@example', 'ann@e.x'])('is no %s, which is no address, and no token is blamed', async (email) => {
    const asked = local.personOf({ email, tokenFile: undefined }, '--token-file');
    await expect(asked).rejects.toThrow(Misuse);
    await expect(asked).rejects.toThrow(/an e-mail address$|is no e-mail address$/);
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['the token keys are no JSON', { JWT_PUBLIC_KEYS: 'foo' }],
    ['at least one token key is needed', { JWT_PUBLIC_KEYS: '{"keys": []}' }],
    ['/proc/none', { ...environment, TOKENS_REVOKED_FILE: '/proc/none' }],
  ])('is not asked of an environment that is wrong: %s', async (reason, wrong) => {
    const tokenFile = await tokenOf('ann@example.com');
    const asked = openPeople(async () => true, wrong).personOf({ email: undefined, tokenFile }, '--token-file');
    await expect(asked).rejects.toThrow(Misuse);
    await expect(asked).rejects.toThrow(`tokens cannot be verified here: `);
    await expect(asked).rejects.toThrow(reason);
  });

  it('is not known by keys that come without TLS, but on the local platform', async () => {
    const keys = createServer((_request, response) => response.end(environment.JWT_PUBLIC_KEYS));
    const port = await new Promise<number>((resolve) =>
      keys.listen(0, '127.0.0.1', () => resolve((keys.address() as AddressInfo).port)),
    );
    try {
      const tokenFile = await tokenOf('ann@example.com');
      const askedOf = (isLocal: boolean) =>
        openPeople(async () => isLocal, { JWKS_URL: `http://127.0.0.1:${port}` }).personOf(
          { email: undefined, tokenFile },
          '--token-file',
        );
      await expect(askedOf(false)).rejects.toThrow('JWKS_URL: production reads the keys of tokens over https only');
      expect(await askedOf(true)).toEqual(ann);
    } finally {
      await new Promise((resolve) => keys.close(resolve));
    }
  });

  it.each<[string, () => Promise<string>, string | undefined, string]>([
    [
      'of another person',
      () => tokenOf('ann@example.com'),
      'bob@example.com',
      'is of ann@example.com, not of bob@example.com',
    ],
    [
      'that another issuer signed',
      () => tokenOf('ann@example.com', { signingKey: newSigningKey() }),
      undefined,
      'is invalid',
    ],
    ['of a user', () => tokenOf('ann@example.com', { role: 'user' }), undefined, 'no platform owner'],
    ['that is not there', async () => join(folder, 'none'), undefined, 'cannot be read'],
  ])('is refused by a token %s, also on the local platform', async (_what, file, email, message) => {
    const tokenFile = await file();
    for (const people of [elsewhere, local])
      await expect(people.personOf({ email, tokenFile }, '--token-file')).rejects.toThrow(message);
  });

  it('is not known where no token can be verified', async () => {
    const tokenFile = await tokenOf('ann@example.com');
    const blind = openPeople(async () => false, { LOCAL_DIR: folder });
    await expect(blind.personOf({ email: undefined, tokenFile }, '--token-file')).rejects.toThrow(
      'cannot be verified here',
    );
  });
});

describe('an override', () => {
  const override = 'the provider wrote that it is void';
  const signed = (first: string, second: string) => {
    const files = { 'token-file': first, 'approval-token-file': second, 'approved-by': undefined, by: undefined };
    return signedBy(
      elsewhere,
      outcomeAloneOf('op-1', { ...files, 'executor-stopped': 'its host is off', outcome: 'applied', override }),
    );
  };

  it('is of two people with tokens of their own', async () => {
    const both = signed(await tokenOf('ann@example.com'), await tokenOf('ben@example.com'));
    expect(await both).toMatchObject({ by: 'ann@example.com', override: { approvedBy: 'ben@example.com' } });
  });

  it.each<[string, string, Change]>([
    ['a plus address', 'Ann+second@example.com', {}],
    ['another address of the same account', 'ann@elsewhere.example', { subject: 'ann@example.com' }],
  ])('needs a second person, and %s of the first is none', async (_what, email, change) => {
    const both = signed(await tokenOf('ann@example.com'), await tokenOf(email, change));
    expect(overrideRefusal(await both)).toContain('needs a second person');
  });

  it('needs a second person also where only addresses are known', () => {
    const approvedBy = 'ann+second@example.com';
    expect(overrideRefusal({ by: 'ann@example.com', override: { reason: override, approvedBy } })).toContain(
      'needs a second person',
    );
  });
});
