/** The secrets of the manifests: complete, kept by a second run, private, and never printed. */
import { X509Certificate } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { refusedVariables } from '../docker/service-variables.harness';
import { findServer } from '../nats/native-servers';

interface Secret {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly stringData: Readonly<Record<string, string>>;
}

const given = { STRIPE_SECRET_KEY: 'sk_test_of_the_suite', STRIPE_WEBHOOK_SECRET: 'whsec_of_the_suite' };
let parent: string;
let folder: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'k8s-secrets-'));
  folder = join(parent, 'secrets');
});
afterEach(() => rmSync(parent, { recursive: true }));

function make(env: Readonly<Record<string, string>> = given, ...more: readonly string[]) {
  const ran = spawnSync(process.execPath, [join(__dirname, 'make-secrets.mjs'), folder, ...more], {
    encoding: 'utf8',
    env,
  });
  return { status: ran.status, stderr: ran.stderr, said: ran.stdout };
}
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const files = (): Record<string, string> => Object.fromEntries(readdirSync(folder).map((name) => [name, read(name)]));
function secrets(): ReadonlyMap<string, Secret['stringData']> {
  const { items } = JSON.parse(read('secrets.json')) as { items: Secret[] };
  return new Map(items.map(({ metadata, stringData }) => [metadata.name, stringData]));
}

it('are those of the example, with the same keys and a value for each', () => {
  expect(make()).toMatchObject({ status: 0, stderr: '' });
  const shown = parseAllDocuments(readFileSync(join(__dirname, 'example/secrets.yaml'), 'utf8')).map(
    (document) => document.toJS() as Secret,
  );
  const keysOf = (all: Iterable<readonly [string, object]>) =>
    [...all].map(([name, data]) => [name, Object.keys(data).sort()] as const).sort(([a], [b]) => a.localeCompare(b));
  expect(keysOf(secrets())).toEqual(
    keysOf(shown.map(({ metadata, stringData }) => [metadata.name, stringData] as const)),
  );
  for (const data of secrets().values())
    for (const value of Object.values(data)) expect(value.length).toBeGreaterThan(10);
});

it('agree with each other: passwords with the users of the set-up, certificates with their authorities', () => {
  make();
  const all = secrets();
  const setUp = all.get('mongo-setup')!;
  const addresses = [...all].flatMap(([name, data]) =>
    Object.entries(data).flatMap(([key, value]) => (value.startsWith('mongodb:') ? [[`${name}/${key}`, value]] : [])),
  );
  expect(addresses).toHaveLength(5 + 4 + 4);
  for (const [, address] of addresses) {
    // The members are a list, which URL parsers do not accept.
    const [, user, password, hosts] = /^mongodb:\/\/([a-z-]+):(\w+)@([^/]+)\//.exec(address ?? '') ?? [];
    expect(setUp[`mongo_password_${user?.replaceAll('-', '_')}`]).toBe(password);
    expect(hosts).toBe('mongo-0.mongo:27017,mongo-1.mongo:27017,mongo-2.mongo:27017');
  }
  const certificate = (name: string, key: string) => new X509Certificate(all.get(name)![key]!);
  const [clients, routes] = [certificate('nats-clients', 'tls.crt'), certificate('nats-routes', 'tls.crt')];
  const [ca, routesCa] = [certificate('operator', 'nats_ca'), certificate('nats-routes', 'ca.crt')];
  expect([clients.verify(ca.publicKey), routes.verify(routesCa.publicKey)]).toEqual([true, true]);
  expect([clients.verify(routesCa.publicKey), routes.verify(ca.publicKey)]).toEqual([false, false]);
  expect(clients.checkHost('nats-1.nats')).toBe('nats-1.nats');
  const passwords = all.get('nats')!['nats_passwords']!;
  for (const user of ['operator', 'billing-webhook', 'provisioning', 'lifecycle-delivery', 'query-builder', 'ops'])
    expect(passwords).toContain(
      `NATS_PASSWORD_${user.replaceAll('-', '_').toUpperCase()}: "${all.get(user)!['nats_password']}"`,
    );
});

it.each(['billing-webhook', 'lifecycle-delivery', 'operator', 'provisioning', 'query-builder'])(
  'name a database to %s in a form that its start accepts',
  (service) => {
    make();
    expect(refusedVariables(service, { MONGODB_URL: secrets().get(service)!['mongodb_url']! })).toEqual([]);
  },
);

it('are accepted by the broker, with the configuration that the manifests mount', () => {
  make();
  const all = secrets();
  const write = (name: string, text: string): string => {
    writeFileSync(join(parent, name), text);
    return join(parent, name);
  };
  const placed = (secret: string, key: string): string => write(`${secret}-${key}`, all.get(secret)![key]!);
  const configuration = join(__dirname, 'base/configuration');
  const paths: Record<string, string> = {
    '/run/certificates/clients/tls.crt': placed('nats-clients', 'tls.crt'),
    '/run/certificates/clients/tls.key': placed('nats-clients', 'tls.key'),
    '/run/certificates/routes/tls.crt': placed('nats-routes', 'tls.crt'),
    '/run/certificates/routes/tls.key': placed('nats-routes', 'tls.key'),
    '/run/certificates/routes/ca.crt': placed('nats-routes', 'ca.crt'),
    ROUTES_PASSWORD: all.get('nats-routes')!['password']!,
  };
  const config = Object.entries(paths).reduce(
    (text, [from, to]) => text.replaceAll(from, to),
    readFileSync(join(configuration, 'nats.conf'), 'utf8'),
  );
  // Joined as in nats-entrypoint.sh.
  const permissions = readFileSync(join(configuration, 'permissions.conf'), 'utf8');
  write('permissions.conf', `${all.get('nats')!['nats_passwords']}${permissions}`);
  const checked = spawnSync(findServer(), ['-t', '-c', write('nats.conf', config)], {
    encoding: 'utf8',
    env: { SERVER_NAME: 'nats-0' },
  });
  expect(checked).toMatchObject({ status: 0, stderr: expect.stringContaining('is valid') as string });
});

it('are kept by a second run, which needs no key of the provider, and are their owner’s alone', () => {
  make();
  const before = files();
  const again = make({}, '--namespace', 'workspace-platform');
  expect(again).toMatchObject({ status: 0, said: expect.stringContaining(': 0 made, 0 changed, ') as string });
  expect(files()).toEqual(before);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, 'secrets.json')).mode & 0o777).toBe(0o400);
});

it('are repaired: what is missing is made and named, and nothing else changes', () => {
  make();
  const before = files();
  rmSync(join(folder, 'mongo_password_operator'));
  chmodSync(folder, 0o755);
  expect(make({}).said).toContain('made: mongo_password_operator\n');
  const after = files();
  const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
  expect(changed.sort()).toEqual(['mongo_password_operator', 'secrets.json']);
  expect(secrets().get('operator')!['mongodb_url']).toContain(read('mongo_password_operator').trim());
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

it('say which certificates change with one that is lost, because their authority signs once', () => {
  make();
  rmSync(join(folder, 'nats_routes_key'));
  const { said } = make({});
  expect(said).toContain('made: nats_routes_key\n');
  expect(said).toMatch(/changed: nats_routes_ca, nats_routes_certificate\n/);
});

it('print nothing of what they hold', () => {
  const { said, stderr } = make();
  const values = Object.values(files()).flatMap((text) => text.split(/[\s"{}:,]+/).filter((word) => word.length > 15));
  expect(values.length).toBeGreaterThan(50);
  expect(values.filter((value) => `${said}${stderr}`.includes(value))).toEqual([]);
});

it('are refused without the two of the provider', () => {
  expect(make({})).toMatchObject({ status: 1, stderr: expect.stringContaining('STRIPE_SECRET_KEY') as string });
});
