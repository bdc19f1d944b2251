/**
 * Services that strangers reach count budgets by the caller's address, so each is told how many proxies stand in front:
 * in its configuration, in its composition, and in what is deployed.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { newSigningKey, publicKeySet } from '@platform/http-server';
import { configSchema as operator } from '../../services/operator/src/config';
import { configSchema as queryBuilder } from '../../services/query-builder/src/config';

const root = resolve(__dirname, '../..');
const source = (path: string) => readFileSync(join(root, path), 'utf8');

const jwt = {
  JWT_PUBLIC_KEYS: publicKeySet(newSigningKey()),
  MONGODB_URL: 'mongodb://127.0.0.1',
  NATS_URL: 'nats://127.0.0.1',
  PLATFORM_MODE: 'production',
};
const gateway = {
  ...jwt,
  STRIPE_SECRET_KEY: 'sk_test_x',
  CASE_SIGNING_KEY: 'x'.repeat(32),
};

describe('the number of proxies', () => {
  it.each([
    ['operator', operator, gateway],
    ['query-builder', queryBuilder, { ...jwt, PAGE_PROJECT_DIR: '/pages' }],
  ] as const)('is a decision that production asks for: %s', (_service, schema, environment) => {
    const problems = (more: object) =>
      schema.safeParse({ ...environment, ...more }).error?.issues.map(({ path }) => path.join('.'));
    expect(problems({})).toEqual(['TRUSTED_PROXIES']);
    expect(problems({ TRUSTED_PROXIES: '0' })).toBeUndefined();
    expect(problems({ PLATFORM_MODE: 'local' })).toBeUndefined();
  });

  it.each([
    ['operator', 'services/operator/src/compose-server.ts'],
    ['billing-webhook', 'services/billing-webhook/src/compose.ts'],
    ['query-builder', 'services/query-builder/src/host/supervision/run-page-worker.ts'],
  ])('reaches the server of %s, and what is deployed says it', (service, composition) => {
    expect(source(composition)).toContain('proxies: config.TRUSTED_PROXIES ?? 0');
    expect(source(`infra/k8s/base/${service}.yaml`)).toContain("{ name: TRUSTED_PROXIES, value: '1' }");
    expect(source('docker-compose.yml')).toContain('TRUSTED_PROXIES: ${TRUSTED_PROXIES:-1}');
  });
});
