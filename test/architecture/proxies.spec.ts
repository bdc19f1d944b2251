/**
 * Services that outside clients reach count budgets by the caller's address, so each has a setting for the number of
 * proxies in front, and a separate port for requests of machines. Checked in configuration, composition, and
 * deployment.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { newSigningKey, publicKeySet } from '@platform/http-server';
import { parseAllDocuments } from 'yaml';
import { configSchema as billingWebhook } from '../../services/billing-webhook/src/config';
import { configSchema as operator } from '../../services/operator/src/config';
import { configSchema as queryBuilder } from '../../services/query-builder/src/config';

const root = resolve(__dirname, '../..');
const source = (path: string) => readFileSync(join(root, path), 'utf8');

const production = {
  MONGODB_URL: 'mongodb://127.0.0.1',
  NATS_URL: 'nats://127.0.0.1',
  NATS_USER: 'x',
  NATS_PASSWORD: 'x',
  PLATFORM_MODE: 'production',
  PORT: '7000',
};
const jwt = { ...production, JWT_PUBLIC_KEYS: publicKeySet(newSigningKey()) };
const gateway = {
  ...jwt,
  STRIPE_SECRET_KEY: 'sk_test_x',
  CASE_SIGNING_KEY: 'x'.repeat(32),
};

const strangers = [
  ['operator', operator, gateway],
  ['billing-webhook', billingWebhook, { ...production, WEBHOOK_SECRETS: 'x'.repeat(16) }],
  ['query-builder', queryBuilder, { ...jwt, PAGE_PROJECT_DIR: '/pages' }],
] as const;

describe('the inner port', () => {
  it.each(strangers)(
    'is a decision that production asks for, and another one than that of strangers: %s',
    (_service, schema, environment) => {
      const problems = (more: object) =>
        schema
          .safeParse({ ...environment, TRUSTED_PROXIES: '0', ...more })
          .error?.issues.map(({ path }) => path.join('.'));
      expect(problems({})).toEqual(['INNER_PORT']);
      expect(problems({ INNER_PORT: '7000' })).toEqual(['INNER_PORT']);
      expect(problems({ INNER_PORT: '7005' })).toBeUndefined();
      expect(problems({ PLATFORM_MODE: 'local' })).toBeUndefined();
    },
  );

  it.each(strangers)('is where what is deployed probes and measures %s, and no ingress leads there', (service) => {
    const manifest = source(`infra/k8s/base/${service}.yaml`);
    const [, inner = ''] = /INNER_PORT, value: '(\d+)'/.exec(manifest) ?? [];
    expect(manifest).toContain(`prometheus.io/port: '${inner}'`);
    expect(manifest.match(/httpGet: \{ path: \/\w+, port: inner \}/g)).toHaveLength(3);
    const policy = parseAllDocuments(source('infra/k8s/base/network-policies.yaml'))
      .map((document) => document.toJS() as { metadata: { name: string }; spec: { ingress?: object[] } })
      .find(({ metadata }) => metadata.name === service);
    const [fromIngress, fromMonitoring, ...others] = (policy?.spec.ingress ?? []).map((each) => JSON.stringify(each));
    expect(others).toEqual([]);
    expect(fromIngress).toMatch(/"ingress".*"port":70\d0/);
    expect(fromIngress).not.toMatch(new RegExp(`${inner}|monitoring`));
    expect(fromMonitoring).toMatch(new RegExp(`"monitoring".*"port":${inner}\\D`));
    expect(source('docker-compose.yml')).toContain(`healthy.sh, '${inner}', /readyz`);
    expect(source('docker-compose.yml')).not.toMatch(new RegExp(`ports: .*${inner}`));
  });
});

describe('the number of proxies', () => {
  it.each(strangers)('is a decision that production asks for: %s', (_service, schema, environment) => {
    const problems = (more: object) =>
      schema.safeParse({ ...environment, INNER_PORT: '7005', ...more }).error?.issues.map(({ path }) => path.join('.'));
    expect(problems({})).toEqual(['TRUSTED_PROXIES']);
    expect(problems({ TRUSTED_PROXIES: '0' })).toBeUndefined();
    expect(problems({ PLATFORM_MODE: 'local' })).toBeUndefined();
  });

  it.each([
    ['operator', 'services/operator/src/compose-server.ts'],
    ['billing-webhook', 'services/billing-webhook/src/compose.ts'],
    ['query-builder', 'services/query-builder/src/host/supervision/run-page-worker.ts'],
  ])('reaches the server of %s, and what is deployed says it', (service, composition) => {
    expect(source(composition)).toContain('...serverSettings(config)');
    expect(source(`infra/k8s/base/${service}.yaml`)).toContain("{ name: TRUSTED_PROXIES, value: '1' }");
    expect(source('docker-compose.yml')).toContain('TRUSTED_PROXIES: ${TRUSTED_PROXIES:-1}');
  });
});
