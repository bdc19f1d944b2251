/**
 * Three brokers with the delivered configuration and entrypoint, on addresses of this machine: what clients and members
 * must present, what a client without it gets, and certificates that change while the brokers run (SEC-10).
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { connect } from '@nats-io/transport-node';
import { silentLog } from '@platform/kernel';
import { applyTopology, connectMessaging, platformTopology } from '@platform/messaging';
import { eventually, freePorts } from '@platform/testing';
import { findServer } from './native-servers';
import { testSignOn } from './sign-on.harness';
import { keysVariable } from '@platform/messaging/nkey';

const root = resolve(__dirname, '../..');
const delivered = join(root, 'infra/k8s/base/configuration');
const members = [0, 1, 2];

interface Authority {
  readonly certificate: string;
  issue(hosts: readonly string[]): { readonly certificate: string; readonly key: string };
}

/** The module is an ES module, which the test runner cannot load, so a separate program calls it. */
function createAuthority(name: string): Authority {
  const module = JSON.stringify(join(root, 'infra/docker/certificates.mjs'));
  const made = execFileSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { createAuthority } from ${module};
       const authority = createAuthority(${JSON.stringify(name)});
       console.log(JSON.stringify({ certificate: authority.certificate, ...{ issued: authority.issue(['127.0.0.1']) } }))`,
    ],
    { encoding: 'utf8' },
  );
  const { certificate, issued } = JSON.parse(made) as {
    certificate: string;
    issued: { certificate: string; key: string };
  };
  return { certificate, issue: () => issued };
}

const [clients, routes, strangers] = ['clients', 'routes', 'strangers'].map(createAuthority) as [
  Authority,
  Authority,
  Authority,
];
const folder = mkdtempSync(join(tmpdir(), 'nats-links-'));
const binary = findServer();
const children: ChildProcess[] = [];
let ports: number[];
let routePorts: number[];

const credentials = { user: 'operator', password: 'secret-of-operator' };
const urls = () => members.map((at) => `nats://127.0.0.1:${ports[at]}`).join(',');
const place = (at: number, ...parts: string[]): string => join(folder, `member-${at}`, ...parts);

function showCertificates(at: number, authority: Authority): void {
  const { certificate, key } = authority.issue(['127.0.0.1']);
  mkdirSync(place(at, 'certificates/clients'), { recursive: true });
  writeFileSync(place(at, 'certificates/clients/tls.crt'), certificate);
  writeFileSync(place(at, 'certificates/clients/tls.key'), key);
}

/** The delivered files, with addresses and paths of this machine. */
function writeMember(at: number): void {
  mkdirSync(place(at, 'certificates/routes'), { recursive: true });
  mkdirSync(place(at, 'configuration'), { recursive: true });
  showCertificates(at, clients);
  const route = routes.issue(['127.0.0.1']);
  writeFileSync(place(at, 'certificates/routes/tls.crt'), route.certificate);
  writeFileSync(place(at, 'certificates/routes/tls.key'), route.key);
  writeFileSync(place(at, 'certificates/routes/ca.crt'), routes.certificate);
  const text = readFileSync(join(delivered, 'nats.conf'), 'utf8')
    .replace('listen: 0.0.0.0:4222', `listen: 127.0.0.1:${ports[at]}`)
    .replace('http: 0.0.0.0:8222', '')
    .replace('listen: 0.0.0.0:6222', `listen: 127.0.0.1:${routePorts[at]}`)
    .replace('store_dir: /data', `store_dir: ${JSON.stringify(place(at, 'data'))}`)
    .replaceAll('/run/certificates', place(at, 'certificates'))
    .replace(/@nats-(\d)\.nats:6222/g, (_all, peer: string) => `@127.0.0.1:${routePorts[Number(peer)]}`);
  expect(text).not.toMatch(/0\.0\.0\.0|\.nats:/);
  writeFileSync(place(at, 'configuration/nats.conf'), text);
  cpSync(join(delivered, 'permissions.conf'), place(at, 'configuration/permissions.conf'));
  const users = readFileSync(join(delivered, 'permissions.conf'), 'utf8').matchAll(
    /user: "([^"]+)", password: \$(\w+)/g,
  );
  const lines = [...users].map(([, user, variable]) => `${variable}: "secret-of-${user}"`);
  if (!lines.some((line) => line.startsWith('NATS_PASSWORD_TOPOLOGY'))) throw new Error('the users were not read');
  const teams = ['storage', 'search-index'].map((team) => `${keysVariable(team)}: ${testSignOn.keysOf(team)}`);
  writeFileSync(place(at, 'passwords'), `${[...lines, ...teams].join('\n')}\n`);
  writeFileSync(place(at, 'certificates/routes/password'), 'secret-of-routes\n');
}

const start = (at: number): ChildProcess =>
  spawn('sh', [join(delivered, 'nats-entrypoint.sh')], {
    stdio: 'ignore',
    env: {
      PATH: process.env['PATH'],
      SERVER_NAME: `nats-${at}`,
      NATS_SERVER: binary,
      NATS_CONFIGURATION: place(at, 'configuration'),
      NATS_PASSWORDS: place(at, 'passwords'),
      NATS_CERTIFICATES: place(at, 'certificates'),
      NATS_COPIES: place(at, 'copies'),
      NATS_LOOK_SECONDS: '0.2',
    },
  });

beforeAll(async () => {
  const free = await freePorts(6);
  [ports, routePorts] = [free.slice(0, 3), free.slice(3)];
  for (const at of members) writeMember(at);
  for (const at of members) children.push(start(at));
  await eventually(
    () =>
      applyTopology({
        url: urls(),
        ca: clients.certificate,
        credentials: { user: 'topology', password: 'secret-of-topology' },
        topology: platformTopology(),
        replicas: 3,
      }),
    { describe: 'the topology over TLS, on three members that know each other' },
  );
});
afterAll(async () => {
  for (const child of children) {
    const ended = new Promise((gone) => child.once('exit', gone));
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

describe('a client of the delivered cluster', () => {
  it('speaks TLS from the first byte and receives what was published to other members', async () => {
    const messaging = await connectMessaging({
      url: urls(),
      name: 'operator',
      ca: clients.certificate,
      credentials,
      topology: platformTopology(),
      log: silentLog,
    });
    await messaging.assertTopology();
    expect([...(await messaging.streamCopies(['LIFECYCLE'])).values()][0]?.declared).toBe(3);
    await messaging.close();
  });

  it.each([
    ['that another authority vouches for', () => ({ ca: strangers.certificate, handshakeFirst: true })],
    ['that no authority vouches for', () => ({})],
  ])('says nothing to a broker %s', async (_name, tls) => {
    const { user, password: pass } = credentials;
    const attempt = async (): Promise<string | null> => {
      const end = await connect({ servers: `127.0.0.1:${ports[0]}`, user, pass, tls: tls(), reconnect: false }).then(
        async (connection) => (await connection.close(), 'connected'),
        (error: Error) => error.message,
      );
      // A server that has waited too long for a handshake says so without TLS: on a busy machine nothing was judged yet.
      return /wrong version number/.test(end) ? null : end;
    };
    expect(await eventually(attempt, { describe: 'the end of a handshake' })).toMatch(/certificate/);
  });

  it('says nothing to a broker that does not speak TLS, whatever is between them', async () => {
    const heard: Buffer[] = [];
    const plain = createServer((socket) => {
      socket.write('INFO {"server_id":"x","version":"2.12.12","proto":1,"headers":true,"max_payload":1048576}\r\n');
      socket.on('data', (bytes) => heard.push(bytes)).on('error', () => undefined);
    });
    await new Promise<void>((listening) => plain.listen(0, '127.0.0.1', listening));
    const stop = new AbortController();
    const connecting = connectMessaging({
      url: `nats://127.0.0.1:${(plain.address() as AddressInfo).port}`,
      name: 'operator',
      ca: clients.certificate,
      credentials,
      topology: platformTopology(),
      log: silentLog,
      signal: stop.signal,
    });
    await eventually(() => heard.length > 0, { describe: 'the first bytes of the client' });
    stop.abort();
    await expect(connecting).rejects.toThrow(/abort/);
    expect(Buffer.concat(heard).toString('latin1')).not.toContain(credentials.password);
    await new Promise((closed) => plain.close(closed));
  });
});

describe('a stranger at the port of the members', () => {
  /** A separate server that names a member as its route; returns what it received of the gateway's messages. */
  async function intrude(name: string, cluster: string): Promise<string[]> {
    const [port = 0, own = 0] = await freePorts(2);
    const file = join(folder, `${name}.conf`);
    const head = `listen: 127.0.0.1:${port}\nserver_name: ${name}\ncluster { name: workspace-platform, listen: 127.0.0.1:${own}\n`;
    writeFileSync(
      file,
      `${head}${cluster}\n}\nno_auth_user: spy\naccounts { PLATFORM { users: [ { user: spy, password: spy } ] } }\n`,
    );
    const child = spawn(binary, ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
    children.push(child);
    let log = '';
    child.stderr?.on('data', (bytes: Buffer) => (log += bytes.toString()));
    const spy = await eventually(() => connect({ servers: `127.0.0.1:${port}`, reconnect: false }), {
      describe: `the stranger: ${name}`,
    });
    const heard: string[] = [];
    spy.subscribe('>', { callback: (_error, message) => void heard.push(message.subject) });
    await spy.flush();
    await eventually(() => /Route connection created|error/i.test(log), {
      describe: `the first meeting of ${name} with a member`,
    });
    const options = { url: urls(), name: 'operator', ca: clients.certificate, credentials };
    const operator = await connectMessaging({ ...options, topology: platformTopology(), log: silentLog });
    const subject = 'lifecycle.message.suspended';
    for (let said = 0; said < 10; said += 1) {
      const message = { subject, id: `${name}-${said}`, type: `${subject}.v1`, body: {} };
      expect(await operator.publish(message)).toBe('acknowledged');
      await new Promise((later) => setTimeout(later, 50));
    }
    await Promise.all([operator.close(), spy.flush()]);
    await spy.close();
    child.kill('SIGKILL');
    return [...new Set(heard.filter((each) => each === subject))];
  }
  const tlsOf = (authority: Authority, name: string): string => {
    const { certificate, key } = authority.issue(['127.0.0.1']);
    for (const [part, text] of Object.entries({ crt: certificate, key, ca: routes.certificate }))
      writeFileSync(join(folder, `${name}.${part}`), text);
    const file = (part: string): string => JSON.stringify(join(folder, `${name}.${part}`));
    return `tls { cert_file: ${file('crt')}, key_file: ${file('key')}, ca_file: ${file('ca')}, verify: true }`;
  };

  it('would hear everything as a member: with both it does', async () => {
    const route = `routes: ["nats-route://routes:secret-of-routes@127.0.0.1:${routePorts[0]}"]`;
    expect(await intrude('member', `${tlsOf(routes, 'member')}\n${route}`)).toEqual(['lifecycle.message.suspended']);
  });

  it('joins nothing and hears nothing, with neither certificate nor password', async () => {
    const route = `routes: ["nats-route://127.0.0.1:${routePorts[0]}"]`;
    expect(await intrude('bare', route)).toEqual([]);
  });

  it('joins nothing with the password and a certificate of another authority', async () => {
    const route = `routes: ["nats-route://routes:secret-of-routes@127.0.0.1:${routePorts[0]}"]`;
    const cluster = `${tlsOf(strangers, 'stranger')}\n${route}`;
    expect(await intrude('stranger', cluster)).toEqual([]);
  });

  it('joins nothing with a member’s certificate and another password', async () => {
    const route = `routes: ["nats-route://routes:guessed@127.0.0.1:${routePorts[0]}"]`;
    expect(await intrude('guesser', `${tlsOf(routes, 'guesser')}\n${route}`)).toEqual([]);
  });
});

describe('certificates that change', () => {
  /**
   * The issuer of a member's current certificate. A server ends a handshake that a busy machine makes last longer than
   * its limit, so a broken handshake shows no certificate.
   */
  const shown = (at: number): Promise<string | null> =>
    new Promise((fulfil) => {
      const socket = connectTls(ports[at]!, '127.0.0.1', { rejectUnauthorized: false }, () => {
        fulfil(String(socket.getPeerCertificate().issuer.CN));
        socket.destroy();
      });
      socket.on('error', () => fulfil(null));
    });

  it('are shown to new connections without a restart, and standing ones go on', async () => {
    const options = { name: 'operator', credentials, topology: platformTopology(), log: silentLog };
    const standing = await connectMessaging({
      ...options,
      url: `nats://127.0.0.1:${ports[1]}`,
      ca: clients.certificate,
    });
    await eventually(async () => (await shown(1)) === 'clients', { describe: 'the first certificate' });
    showCertificates(1, strangers);
    await eventually(async () => (await shown(1)) === 'strangers', { describe: 'the new certificate' });
    expect(standing.connected()).toBe(true);
    expect([...(await standing.streamCopies(['LIFECYCLE'])).keys()]).toEqual(['LIFECYCLE']);
    const both = clients.certificate + strangers.certificate;
    const later = await connectMessaging({ ...options, url: `nats://127.0.0.1:${ports[1]}`, ca: both });
    await Promise.all([later.close(), standing.close()]);
    expect(children.slice(0, 3).map(({ exitCode }) => exitCode)).toEqual([null, null, null]);
  });
});
