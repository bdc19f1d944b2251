/** The tables and settings of the local platform, without starting anything. */
import fs, { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { publicKeyOf } from '@platform/messaging/nkey';
import { brokerCredentials, brokerUsers, teamCredentials } from './broker-users';
import type { Part } from './part';
import { describeFailure } from './failed-start';
import { chooseParts, layersOf, listParts } from './parts';
import { assertPortsFree, isAlive, readLivePids, writePid } from './pid-files';
import { seedPlans, seedWorkspaces, twinSeed } from './seed-catalog';
import { serviceParts } from './service-parts';
import { findRoot, readSettings } from './settings';
import { readPublicKeys } from './token-key';
import { requiredFor } from './demo/suspend-and-reactivate';
import type { Stage } from './demo/stage';

const root = resolve(__dirname, '../..');
let localDir: string;

beforeEach(() => (localDir = mkdtempSync(join(tmpdir(), 'local-spec-'))));
afterEach(() => rmSync(localDir, { recursive: true }));

describe('settings', () => {
  it('wait three minutes for a part to start, or as long as the environment says', () => {
    const timeout = (text?: string) =>
      readSettings({ LOCAL_DIR: localDir, START_TIMEOUT_SECONDS: text }, root).startTimeoutMs;
    expect([timeout(), timeout('600')]).toEqual([180_000, 600_000]);
    for (const wrong of ['0', 'long', '1.5', '9999']) expect(() => timeout(wrong)).toThrow('START_TIMEOUT_SECONDS');
  });

  it('derive every port from one base, as the documentation lists them', () => {
    const { ports, gatewayUrl, natsUrl, mongodbUrl, providerUrl } = readSettings({ LOCAL_DIR: localDir }, root);
    expect(ports).toEqual({
      operator: 7010,
      operatorInner: 7015,
      documentStore: 7017,
      billingWebhook: 7020,
      nats: 7022,
      billingWebhookInner: 7025,
      provisioning: 7030,
      lifecycleDelivery: 7040,
      queryBuilder: 7050,
      queryBuilderInner: 7055,
      providerTwin: 7090,
    });
    expect({ gatewayUrl, natsUrl, mongodbUrl, providerUrl }).toEqual({
      gatewayUrl: 'http://127.0.0.1:7010',
      natsUrl: 'nats://127.0.0.1:7022',
      mongodbUrl: 'mongodb://127.0.0.1:7017',
      providerUrl: 'http://127.0.0.1:7090',
    });
    expect(readSettings({ LOCAL_DIR: localDir, PORT_BASE: '8000' }, root).ports.operator).toBe(8010);
  });

  it.each(['0', '80', '65536', '7000.5', 'seven'])('refuse PORT_BASE=%s', (text) => {
    expect(() => readSettings({ LOCAL_DIR: localDir, PORT_BASE: text }, root)).toThrow(
      /PORT_BASE must be a whole number/,
    );
  });

  it('use the servers that the environment names, and start none in their place', () => {
    const settings = readSettings(
      { LOCAL_DIR: localDir, NATS_URL: 'nats://n:1', MONGODB_URL: 'mongodb://m:2', STRIPE_SECRET_KEY: 'sk_test_own' },
      root,
    );
    expect(settings).toMatchObject({
      natsUrl: 'nats://n:1',
      mongodbUrl: 'mongodb://m:2',
      secrets: { providerKey: 'sk_test_own' },
    });
    expect(settings.providerUrl).toBeUndefined();
    expect(listParts(settings).map(({ name }) => name)).not.toEqual(expect.arrayContaining(['nats']));
    for (const name of ['nats', 'document-store', 'provider-twin', 'seed'])
      expect(listParts(settings).some((part) => part.name === name)).toBe(false);
    expect(brokerCredentials(settings, 'operator')).toEqual({});
  });

  it('find the root from the source and from the bundle', () => {
    expect(findRoot(join('/a', 'infra', 'local'))).toBe('/a');
    expect(findRoot(join('/a', 'dist', 'infra', 'local'))).toBe('/a');
  });
});

describe('secrets', () => {
  it('are made once per folder, for their owner alone', () => {
    const first = readSettings({ LOCAL_DIR: localDir }, root).secrets;
    expect(readSettings({ LOCAL_DIR: localDir }, root).secrets).toEqual(first);
    expect(first.localSecret).toHaveLength(64);
    expect(statSync(join(localDir, 'secrets.json')).mode & 0o777).toBe(0o600);
  });

  it('that are incomplete are not replaced silently', () => {
    writeFileSync(join(localDir, 'secrets.json'), '{"localSecret":"x"}');
    expect(() => readSettings({ LOCAL_DIR: localDir }, root)).toThrow(/is incomplete; remove it/);
  });

  it.each([
    ['secrets.json', 'is incomplete; remove it and start again'],
    ['token-keys.json', 'is empty; remove it and start again'],
    ['token-signing-key', 'is empty; remove it and token-keys.json and start again'],
  ])('that a lost power left empty are named, with what to do: %s', (name, advice) => {
    writeFileSync(join(localDir, name), '');
    const start = () => {
      readSettings({ LOCAL_DIR: localDir }, root);
      readPublicKeys(localDir);
    };
    expect(start).toThrow(`${join(localDir, name)} ${advice}`);
  });
});

describe('the broker’s users', () => {
  it('get their passwords filled in, one for each, as the parts sign on', () => {
    const settings = readSettings({ LOCAL_DIR: localDir }, root);
    const text = brokerUsers(settings);
    expect(text).not.toContain('$NATS_');
    for (const user of ['topology', 'operator', 'lifecycle-delivery']) {
      const { NATS_PASSWORD: password } = brokerCredentials(settings, user);
      expect(text.split(`user: "${user}", password: "${password}"`)).toHaveLength(2);
    }
    for (const team of ['storage', 'search-index']) {
      const { NATS_SEED_FILE: file = '' } = teamCredentials(settings, team);
      const seed = readFileSync(file, 'utf8').trim();
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(text.split(`users: [{ nkey: "${publicKeyOf(seed)}" }]`)).toHaveLength(2);
      expect(text).not.toContain(seed);
    }
  });
});

describe('parts', () => {
  const part = (name: string, ...after: string[]): Part => ({
    name,
    after,
    kind: 'program',
    title: name,
    command: [],
    environment: {},
    heapMegabytes: 1,
  });

  it('start after what they need', () => {
    const layers = layersOf([part('c', 'a', 'b'), part('a'), part('b', 'a')]);
    expect(layers.map((layer) => layer.map(({ name }) => name))).toEqual([['a'], ['b'], ['c']]);
  });

  it('are chosen with what they need, or without some of them', () => {
    const parts = [part('a'), part('b', 'a'), part('c', 'b'), part('d', 'a')];
    const names = (only: readonly string[], without: readonly string[]) =>
      chooseParts(parts, { only, without }).map(({ name, after }) => `${name}(${after.join()})`);
    expect(names([], [])).toEqual(['a()', 'b(a)', 'c(b)', 'd(a)']);
    expect(names(['c'], [])).toEqual(['a()', 'b(a)', 'c(b)']);
    expect(names(['c', 'd'], ['a'])).toEqual(['b()', 'c(b)', 'd()']);
    expect(() => names(['e'], [])).toThrow('e is no part; the parts are a, b, c, d');
  });

  it('that wait for each other are refused', () => {
    expect(() => layersOf([part('a', 'b'), part('b', 'a'), part('c')])).toThrow('the parts a, b wait for each other');
  });

  it('carry secrets in their environment, never in their command line', () => {
    const settings = readSettings({ LOCAL_DIR: localDir }, root);
    const secrets = Object.values(settings.secrets);
    for (const { command } of listParts(settings))
      for (const argument of command) expect(secrets).not.toContain(argument);
  });

  it('are seeded only as long as the marker is missing', () => {
    const settings = readSettings({ LOCAL_DIR: localDir }, root);
    const seeds = () => listParts(settings).some(({ name }) => name === 'seed');
    expect(seeds()).toBe(existsSync(join(root, 'dist/infra/local/seed.js')));
    writeFileSync(join(localDir, 'seeded.json'), '{}');
    expect(seeds()).toBe(false);
  });
});

describe('a failed start', () => {
  const failed = (code: string, syscall: string) => Object.assign(new Error(`${code}: it failed`), { code, syscall });
  const describe = (error: Error, free?: number) => describeFailure(error, { LOCAL_DIR: localDir }, () => free);
  const advice = `(LOCAL_DIR): it has to be writable, on a disk that is not full.`;

  it('names the folder and the next step where the folder refuses', () => {
    for (const [code, syscall] of [
      ['ENOSPC', 'write'],
      ['EROFS', 'open'],
      ['EACCES', 'mkdir'],
    ] as const)
      expect(describe(failed(code, syscall))).toBe(
        `${code}: it failed\nData and logs are in the folder ${localDir} ${advice} Make room there, or name another folder: LOCAL_DIR=<folder> npm start`,
      );
  });

  it('names them also where a part ended on a full disk, which cannot hold its reason', () => {
    expect(describe(new Error('topology ended with code 1'), 3.5 * 1_024 * 1_024)).toContain(
      `${localDir} ${advice} The disk has 3 MiB left. Make room there`,
    );
  });

  it('gives no advice about the folder for what has another reason', () => {
    expect(describe(failed('EPERM', 'kill'))).toBe('EPERM: it failed');
    expect(describe(failed('ECONNREFUSED', 'connect'), 1e9)).toBe('ECONNREFUSED: it failed');
    expect(describeFailure('no part', {}, () => undefined)).toBe('no part');
  });
});

describe('pid files', () => {
  it('count only while the very process runs that they were written for', () => {
    writePid(localDir, 'self', process.pid);
    expect(readLivePids(localDir)).toMatchObject([{ name: 'self', pid: process.pid }]);
    const record = JSON.parse(readFileSync(join(localDir, 'pids/self.json'), 'utf8')) as { pid: number; began: string };
    expect(isAlive({ ...record, began: '1' })).toBe(false);
  });

  it('do not count for the process of another user that has a used pid now', () => {
    const foreign = jest.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
    });
    expect(isAlive({ pid: process.pid, began: '1' })).toBe(false);
    foreign.mockRestore();
  });

  it('that are torn are passed by', async () => {
    writePid(localDir, 'self', process.pid);
    writeFileSync(join(localDir, 'pids/operator.json'), '{"name":"operator","pi');
    writeFileSync(join(localDir, 'pids/nats.json'), '');
    expect(readLivePids(localDir).map(({ name }) => name)).toEqual(['self']);
  });
});

describe('the ports of a part', () => {
  let taken: Server;
  const port = () => (taken.address() as AddressInfo).port;
  beforeEach((done) => void (taken = createServer().listen(0, '127.0.0.1', done)));
  afterEach((done) => void taken.close(done));

  it('are refused with the process that has them, the inner one as well', () => {
    expect(() => assertPortsFree([{ name: 'seed' }, { name: 'operator', ports: [port()] }])).toThrow(
      `Port ${port()} of operator is taken by process ${process.pid}.`,
    );
    const settings = readSettings({ LOCAL_DIR: localDir }, root);
    const parts = serviceParts({ ...settings, ports: { ...settings.ports, operatorInner: port() } });
    expect(() => assertPortsFree(parts.filter(({ name }) => name === 'operator'))).toThrow(
      `Port ${port()} of operator`,
    );
  });

  it('are refused also where another user has them, whose processes cannot be read', () => {
    const unreadable = jest.spyOn(fs, 'readlinkSync').mockImplementation(() => {
      throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    });
    const check = () => assertPortsFree([{ name: 'document-store', ports: [port()] }]);
    expect(check).toThrow(`Port ${port()} of document-store is taken by a process of another user.`);
    unreadable.mockRestore();
  });
});

describe('the seed', () => {
  it('gives every workspace a customer, and a subscription to those that pay', () => {
    const seed = twinSeed(seedPlans, seedWorkspaces);
    expect(seed.customers.map(({ id }) => id)).toEqual(['cus_acme', 'cus_globex', 'cus_initech', 'cus_hooli']);
    expect(seed.subscriptions.map(({ id, price, status }) => [id, price, status])).toEqual([
      ['sub_acme', 'price_starter_month', 'active'],
      ['sub_globex', 'price_pro_month', 'active'],
      ['sub_initech', 'price_starter_month', 'past_due'],
    ]);
    expect(seed.prices.map(({ unitAmount }) => unitAmount)).toEqual([0, 1_900, 4_900, 9_900]);
  });
});

describe('the demo', () => {
  it('expects receipts of the consumers that are registered, not of those that were', async () => {
    const suspended = { transitions: ['suspended'] };
    const consumers = [
      { name: 'storage', status: 'registered', ...suspended },
      { name: 'search-index', status: 'registered', ...suspended },
      { name: 'tutorial', status: 'unregistered', ...suspended },
      { name: 'other', status: 'registered', transitions: ['created'] },
    ];
    const gateway = { get: () => Promise.resolve({ status: 200, body: { consumers } }) };
    expect(await requiredFor({ gateway } as unknown as Stage, 'suspended')).toEqual(['search-index', 'storage']);
  });
});
