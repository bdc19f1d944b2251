/**
 * The matrix: every user of the broker against every subject of the contracts and of the broker itself, to publish and
 * to subscribe, as decided by the server: allowed messages are carried, and everything else is refused. A subject or
 * user without a row fails.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyTopology, connectMessaging, platformTopology } from '@platform/messaging';
import type { InboundMessage, Messaging } from '@platform/messaging';
import { startTestServer, subjectMatches } from '@platform/messaging/testing';
import type { TestServer } from '@platform/messaging/testing';
import { silentLog } from '@platform/kernel';
import { eventually } from '@platform/testing';
import { contractSubjects, matrixGaps, matrixRows } from './permissions.matrix';
import { collectDecisions, hasWildcard, repliesCarried } from './permissions.probe';
import { consumerParty, opsParty, serviceParties } from './permissions';
import { accountOf, asVariables, permissionsFile } from './permissions.file';
import { keysVariable } from '@platform/messaging/nkey';
import { credentialsOf, passwordOf, testSignOn } from './sign-on.harness';

const topology = platformTopology();
const parties = [...serviceParties, opsParty, consumerParty('storage'), consumerParty('search-index')];
const users = parties.map(({ user }) => user);
const subjects = contractSubjects();
const rows = matrixRows(subjects, users);

/** An unrestricted user in each account, which hears and sends everything that its other user may. */
const neighbourOf = (account: string) => passwordOf(`neighbour-${account}`);
const withNeighbours = (file: string): string =>
  file.replace(/^ {2}"([^"]+)" \{[^]*? users: \[/gm, (head, account: string) => {
    const { user, password } = neighbourOf(account);
    // A team's rights are the default of its account, so its neighbour gets explicit permission for everything.
    const everything = 'permissions: { publish: ">", subscribe: ">" }';
    return `${head}\n      { user: ${JSON.stringify(user)}, password: ${JSON.stringify(password)}, ${everything} }\n`;
  });

/** A subject with a wildcard is only subscribed to. */
const decisions = rows.reduce((sum, { subject }) => sum + (hasWildcard(subject) ? 1 : 2), 0) * users.length;

describe(`the matrix of broker permissions: ${rows.length} subjects, ${users.length} users, ${decisions} decisions`, () => {
  it('has a row for every subject, stream, durable and user, and none twice', () => {
    expect(matrixGaps({ subjects, topology, users })).toEqual([]);
    expect(rows.filter(({ subject }, index) => rows.findIndex((row) => row.subject === subject) !== index)).toEqual([]);
    expect(decisions).toBeGreaterThan(8_000);
  });

  it('misses a subject, a stream, a durable or a user that is new', () => {
    const [first, ...others] = topology.streams;
    const durables = [...first!.durables, { durable: 'newcomer', ackWaitSeconds: 30, maxAckPending: 1 }];
    const streams = [{ ...first!, durables }, { ...first!, name: 'NEWS', durables: [] }, ...others];
    const world = {
      subjects: new Map([...subjects, ['NEW_SUBJECTS.told', 'new.told'] as const]),
      topology: { ...topology, streams, buckets: [...topology.buckets, { ...topology.buckets[0]!, name: 'news' }] },
      users: [...users, 'newcomer'],
    };
    expect(matrixGaps(world)).toEqual([
      'subject NEW_SUBJECTS.told has no row',
      'stream NEWS has no row',
      'bucket news has no row',
      'durable LIFECYCLE/newcomer has no row',
      'user newcomer has no row',
    ]);
  });

  it('lets ops publish again whatever a durable may leave behind as a dead letter', () => {
    const mayPublish = (subject: string): boolean =>
      opsParty.publishes.some((pattern) => pattern === subject || subjectMatches(pattern, subject));
    // The durables of deliveries are created when consumers register.
    const read = topology.streams.filter(({ name, durables }) => name === 'TENANT_LIFECYCLE' || durables.length > 0);
    expect(read.length).toBeGreaterThan(6);
    expect(read.flatMap(({ subjects: stored }) => stored.filter((subject) => !mayPublish(subject)))).toEqual([]);
  });

  it('has the users that the broker has', async () => {
    const written = await readFile(join(__dirname, 'permissions.conf'), 'utf8');
    const named = parties.filter(({ team }) => !team).map(({ user }) => user);
    expect([...written.matchAll(/user: "([^"]+)"/g)].map(([, user]) => user)).toEqual(['topology', ...named]);
    // A team has keys and no password.
    const teams = parties.filter(({ team }) => team).map(({ user }) => keysVariable(user));
    expect([...written.matchAll(/users: \$(\w+)/g)].map(([, variable]) => variable)).toEqual(teams);
    const accounts = [...written.matchAll(/^ {2}"([^"]+)" \{$/gm)].map(([, account]) => account);
    expect(accounts).toEqual([...new Set(parties.map(accountOf))]);
  });

  it('meets every subject that a stream stores', () => {
    const unmet = topology.streams
      .flatMap(({ subjects: stored }) => stored)
      .filter((pattern) => !rows.some(({ subject }) => !hasWildcard(subject) && subjectMatches(pattern, subject)));
    expect(unmet).toEqual([]);
  });
});

describe('broker permissions', () => {
  let broker: TestServer;
  let folder: string;
  const open: Messaging[] = [];
  const connectAs = async (user: string): Promise<Messaging> => {
    const messaging = await connectMessaging({
      url: broker.url,
      name: user,
      credentials: credentialsOf(user),
      topology,
      log: silentLog,
      pullExpiresMs: 1_000,
    });
    open.push(messaging);
    return messaging;
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'permissions-'));
    const file = join(folder, 'permissions.conf');
    await writeFile(file, withNeighbours(permissionsFile(parties, topology, testSignOn)), {
      mode: 0o600,
    });
    broker = await startTestServer(file);
    await applyTopology({ url: broker.url, credentials: credentialsOf('topology'), topology, replicas: 1 });
  });
  afterAll(async () => {
    await Promise.all(open.map((messaging) => messaging.close()));
    await broker.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(parties)('carries what $user needs to say and hear, and refuses all else', async ({ user, team }) => {
    const decisions = await collectDecisions(
      broker.url,
      credentialsOf(user),
      { platform: credentialsOf('topology'), neighbour: neighbourOf(accountOf({ user, team })) },
      rows.map(({ subject }) => subject),
    );
    const concrete = rows.filter(({ subject }) => !hasWildcard(subject));
    const split = (among: typeof rows, may: (row: (typeof rows)[number]) => boolean) =>
      [among.filter(may), among.filter((row) => !may(row))].map((part) => part.map(({ subject }) => subject));
    const [publish, notPublish] = split(concrete, (row) => row.publish.includes(user));
    const [subscribe, notSubscribe] = split(rows, (row) => row.subscribe.includes(user));
    expect(decisions).toEqual({
      refused: { publish: notPublish, subscribe: notSubscribe },
      carried: { publish, subscribe },
    });
  });

  it('lets the one unrestricted user, who applies the topology, say and hear everything, and leaves the topology as it was', async () => {
    const everything = rows.map(({ subject }) => subject);
    const { refused } = await collectDecisions(
      broker.url,
      credentialsOf('topology'),
      { platform: credentialsOf('topology'), neighbour: credentialsOf('topology') },
      everything,
    );
    expect(refused).toEqual({ publish: [], subscribe: [] });
    await (await connectAs('operator')).assertTopology();
  });

  it('lets a service answer a request once, and send nothing else to its requester', async () => {
    expect(
      await repliesCarried(
        broker.url,
        credentialsOf('provisioning'),
        credentialsOf('topology'),
        'provisioning.gate.is_committed',
      ),
    ).toEqual(['first']);
  });

  it('refuses a wrong password and a connection without a user', async () => {
    const options = { url: broker.url, name: 'intruder', topology, log: silentLog };
    await expect(
      connectMessaging({ ...options, credentials: { user: 'operator', password: 'wrong' } }),
    ).rejects.toThrow(/authorization/i);
    await expect(connectMessaging(options)).rejects.toThrow(/authorization/i);
  });

  it('answers plainly when a party oversteps, and leaves its connection in order', async () => {
    const storage = await connectAs('storage');
    const message = { subject: 'tenant.receipt.search-index', id: 'forged', type: 'test.v1', body: {} };
    expect(await storage.publish(message)).toBe('unknown');
    expect(await storage.request('lifecycle.inspect.deliveries', {}, 60_000)).toMatchObject({
      ok: false,
      error: { code: 'refused', serverCode: 'not_permitted' },
    });
    await expect(
      storage.ensureDurable({
        stream: 'TENANT_LIFECYCLE',
        durable: 'search-index',
        filterSubjects: [],
        ackWaitMs: 1_000,
        maxAckPending: 1,
      }),
    ).rejects.toThrow(/permission/i);
    expect(await storage.publish({ ...message, subject: 'tenant.receipt.storage', id: 'own' })).toBe('acknowledged');
  });

  it('carries a suspension to a consumer and its receipt back, each party with its own user', async () => {
    const [operator, delivery, storage] = [
      await connectAs('operator'),
      await connectAs('lifecycle-delivery'),
      await connectAs('storage'),
    ] as const;
    await Promise.all([operator.assertTopology(), delivery.assertTopology()]);
    const send = (messaging: Messaging, subject: string, { id }: { id: string }) =>
      messaging.publish({ subject, id: `${subject}:${id}`, type: 'test.v1', body: {} });
    const settled = new Promise<InboundMessage>((settle) => {
      void operator.consume({ stream: 'LIFECYCLE_SETTLED', durable: 'operator' }, async (message) => {
        settle(message);
        return { kind: 'ack' };
      });
    });
    await delivery.serve({ name: 'lifecycle-delivery', version: '1.0.0', description: 'test' }, [
      {
        name: 'register',
        subject: 'lifecycle.consumer.register.*',
        answer: async () => {
          await delivery.ensureDurable({
            stream: 'TENANT_LIFECYCLE',
            durable: 'storage',
            filterSubjects: ['tenant.lifecycle.*.storage'],
            ackWaitMs: 5_000,
            maxAckPending: 10,
          });
          return { ok: true, value: {} };
        },
      },
    ]);
    await delivery.consume({ stream: 'LIFECYCLE', durable: 'lifecycle-delivery' }, async (message) => {
      await send(delivery, 'tenant.lifecycle.suspended.storage', message);
      return { kind: 'ack' };
    });
    await delivery.consume({ stream: 'TENANT_RECEIPTS', durable: 'lifecycle-delivery' }, async (message) => {
      await send(delivery, 'lifecycle.settled.suspended', message);
      return { kind: 'ack' };
    });
    expect(await storage.request('lifecycle.consumer.register.storage', { name: 'storage' }, 60_000)).toEqual({
      ok: true,
      value: {},
    });
    await storage.consume({ stream: 'TENANT_LIFECYCLE', durable: 'storage' }, async (message) => {
      if (message.deliveryCount === 1) return { kind: 'nak', reason: 'try again', delayMs: 10 };
      await send(storage, 'tenant.receipt.storage', message);
      return { kind: 'ack' };
    });
    await send(operator, 'lifecycle.message.suspended', { id: 'op-1' });
    expect((await settled).stream).toBe('LIFECYCLE_SETTLED');
    const [deliveries] = await delivery.streamStates(['TENANT_LIFECYCLE']);
    expect(deliveries).toMatchObject({ durables: [{ durable: 'storage' }] });
    expect((await operator.streamStates()).map(({ stream }) => stream)).toContain('ADVISORIES');
  });

  it('lets the off-line commands look at a dead letter and publish its message again under its own id', async () => {
    const [operator, webhooks, ops] = [
      await connectAs('operator'),
      await connectAs('billing-webhook'),
      await connectAs('ops'),
    ] as const;
    const message = {
      subject: 'provider.event.operator.invoice.paid',
      id: 'evt-refused',
      type: 'test.v1',
      body: { n: 1 },
    };
    expect(await webhooks.publish(message)).toBe('acknowledged');
    const heard: string[] = [];
    await operator.consume({ stream: 'PROVIDER_EVENTS', durable: 'operator' }, async ({ id }) => {
      if (!id.startsWith('evt-refused')) return { kind: 'ack' };
      heard.push(id);
      return heard.length === 1 ? { kind: 'dead_letter', reason: 'not understood' } : { kind: 'ack' };
    });
    // Letters stored earlier are probes of the matrix.
    const letters = () => ops.storedMessages('DEAD_LETTERS', 0, 1_000);
    const stored = await eventually(async () => (await letters()).find(({ text }) => text === '{"n":1}'), {
      describe: 'the letter is stored',
    });
    expect(stored?.subject).toBe('dead_letter.PROVIDER_EVENTS.operator');
    // Within its window the broker treats the same id as a repeat: acknowledged, and not delivered a second time.
    expect(await ops.publish(message)).toBe('acknowledged');
    expect(await ops.publish({ ...message, id: 'evt-refused-long-ago' })).toBe('acknowledged');
    await eventually(async () => heard.length > 1, { describe: 'the message is heard again' });
    expect(heard).toEqual(['evt-refused', 'evt-refused-long-ago']);
    await expect(ops.storedMessages('PROVIDER_EVENTS', 0, 1)).rejects.toThrow();
    expect(await ops.publish({ ...message, subject: 'migration.progress' })).toBe('unknown');
  });

  it('is the checked-in file, as the table says', async () => {
    const written = await readFile(join(__dirname, 'permissions.conf'), 'utf8');
    expect(written).toBe(permissionsFile(parties, topology, asVariables));
  });
});
