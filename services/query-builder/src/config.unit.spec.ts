import { authors, configSchema } from './config';

const given = (more: Record<string, string>) =>
  configSchema.parse({
    PAGE_PROJECT_DIR: '/pages',
    MONGODB_URL: 'mongodb://127.0.0.1',
    NATS_URL: 'nats://127.0.0.1',
    JWT_SECRET: 'x'.repeat(32),
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

describe('rotation of the token secret', () => {
  const [present, previous] = ['n'.repeat(32), 'o'.repeat(32)];

  it('takes the secret before beside the one in force, and never alone', () => {
    expect(given({ JWT_SECRET: present, JWT_SECRET_PREVIOUS: previous })).toMatchObject({
      JWT_SECRET: present,
      JWT_SECRET_PREVIOUS: previous,
    });
    expect(() => given({ JWT_SECRET_PREVIOUS: 'short' })).toThrow();
    const alone = {
      PAGE_PROJECT_DIR: '/pages',
      MONGODB_URL: 'mongodb://127.0.0.1',
      NATS_URL: 'nats://127.0.0.1',
      JWKS_URL: 'https://issuer.test/keys',
      JWT_SECRET_PREVIOUS: previous,
      TRUSTED_PROXIES: '1',
    };
    expect(() => configSchema.parse(alone)).toThrow(/needs JWT_SECRET/);
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
