/** Services that verify tokens take the keys of their issuer from where no other party can replace them. */
import { configSchema as operator } from '../../services/operator/src/config';
import { configSchema as queryBuilder } from '../../services/query-builder/src/config';

const environment = {
  MONGODB_URL: 'mongodb://127.0.0.1',
  NATS_URL: 'nats://127.0.0.1',
  NATS_USER: 'x',
  NATS_PASSWORD: 'x',
  PORT: '7000',
  INNER_PORT: '7005',
  TRUSTED_PROXIES: '0',
};

describe('the keys of tokens', () => {
  it.each([
    ['operator', operator, { STRIPE_SECRET_KEY: 'sk_test_x' }],
    ['query-builder', queryBuilder, { PAGE_PROJECT_DIR: '/pages' }],
  ] as const)('are read over https alone in production: %s', (_service, schema, own) => {
    const problems = (more: object) =>
      schema.safeParse({ ...environment, ...own, ...more }).error?.issues.map(({ path }) => path.join('.'));
    const [plain, secure] = [{ JWKS_URL: 'http://issuer.test/keys' }, { JWKS_URL: 'https://issuer.test/keys' }];
    expect(problems({ PLATFORM_MODE: 'production', ...plain })).toEqual(['JWKS_URL']);
    expect(problems({ PLATFORM_MODE: 'production', ...secure })).toBeUndefined();
    expect(problems({ PLATFORM_MODE: 'local', ...plain })).toBeUndefined();
  });
});
