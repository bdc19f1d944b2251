import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mintToken, newSigningKey, publicKeySet } from '@platform/http-server';
import { openPeople } from './people';

const signingKey = newSigningKey();
const environment = { JWT_PUBLIC_KEYS: publicKeySet(signingKey) };
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'people-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function tokenOf(email: string, change: { role?: 'platform_owner' | 'user'; signingKey?: string } = {}) {
  const file = join(folder, `${email}-${change.role ?? ''}-${change.signingKey ? 'forged' : ''}`);
  const token = await mintToken({
    signingKey: change.signingKey ?? signingKey,
    issuer: 'workspace-platform',
    audience: 'workspace-platform',
    lifetimeSeconds: 60,
    caller: { subject: email, email, role: change.role ?? 'platform_owner', workspaces: {}, permissions: [] },
  });
  writeFileSync(file, `${token}\n`);
  return file;
}

const elsewhere = openPeople(async () => false, environment);
const local = openPeople(async () => true, environment);

describe('who answers for a resolution', () => {
  it('is the person of a verified token', async () => {
    const tokenFile = await tokenOf('ann@example.com');
    expect(await elsewhere.emailOf({ email: undefined, tokenFile }, '--token-file')).toBe('ann@example.com');
    expect(await elsewhere.emailOf({ email: 'Ann@example.com', tokenFile }, '--token-file')).toBe('ann@example.com');
  });

  it('is never an address alone, but on the local platform', async () => {
    const claimed = { email: 'ann@example.com', tokenFile: undefined };
    await expect(elsewhere.emailOf(claimed, '--token-file')).rejects.toThrow('--token-file is missing');
    expect(await local.emailOf(claimed, '--token-file')).toBe('ann@example.com');
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
      await expect(people.emailOf({ email, tokenFile }, '--token-file')).rejects.toThrow(message);
  });

  it('is not known where no token can be verified', async () => {
    const tokenFile = await tokenOf('ann@example.com');
    const blind = openPeople(async () => false, { LOCAL_DIR: folder });
    await expect(blind.emailOf({ email: undefined, tokenFile }, '--token-file')).rejects.toThrow(
      'cannot be verified here',
    );
  });
});
