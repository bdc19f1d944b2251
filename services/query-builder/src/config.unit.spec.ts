import { newSigningKey, publicKeySet } from '@platform/http-server';
import { authors, configSchema } from './config';

const given = (more: Record<string, string>) =>
  configSchema.parse({
    PAGE_PROJECT_DIR: '/pages',
    INNER_PORT: '7055',
    MONGODB_URL: 'mongodb://127.0.0.1',
    NATS_URL: 'nats://127.0.0.1',
    JWT_PUBLIC_KEYS: publicKeySet(newSigningKey()),
    TRUSTED_PROXIES: '1',
    ...more,
  });

describe('authoring', () => {
  it('is off in production unless it is asked for, and on locally unless it is not wanted', () => {
    expect(authors(given({}))).toBe(false);
    expect(authors(given({ BUILDER: 'on' }))).toBe(true);
    expect(authors(given({ PLATFORM_MODE: 'local' }))).toBe(true);
    expect(authors(given({ PLATFORM_MODE: 'local', BUILDER: 'off' }))).toBe(false);
  });
});

describe('the keys of tokens', () => {
  const [present, previous] = [newSigningKey(), newSigningKey()];

  it('are public, several while one is rotated out, and come from one place', () => {
    const both = publicKeySet(present, previous);
    expect(given({ JWT_PUBLIC_KEYS: both })).toMatchObject({ JWT_PUBLIC_KEYS: both });
    expect(() => given({ JWT_PUBLIC_KEYS: present })).toThrow('no JSON');
    expect(() => given({ JWT_PUBLIC_KEYS: '{"keys":[]}' })).toThrow('at least one token key');
    expect(() => given({ JWKS_URL: 'https://issuer.test/keys' })).toThrow('set either');
  });

  it('verify tokens for this service alone', () => {
    expect(given({}).JWT_AUDIENCE).toBe('workspace-pages');
  });
});

describe('time limits of queries', () => {
  it('are named by query or page', () => {
    const { QUERY_TIME_LIMITS } = given({ QUERY_TIME_LIMITS: '/shop/orders@daily=30000, /finance=60000' });
    expect([...QUERY_TIME_LIMITS]).toEqual([
      ['/shop/orders@daily', 30_000],
      ['/finance', 60_000],
    ]);
    expect(given({}).QUERY_TIME_LIMITS.size).toBe(0);
    for (const text of ['shop=1', '/shop', '/shop=0', '/shop=1,,', '/shop=1e3'])
      expect(() => given({ QUERY_TIME_LIMITS: text })).toThrow(/must be a list/);
  });
});
