/**
 * No service reports that it is ready while a durable that it opened, or a stream that it reads or writes, is missing.
 * The table of permissions determines what each service opens and writes, so this suite covers every part without a
 * list of its own.
 */
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { silentLog } from '@platform/kernel';
import {
  connectMessaging,
  ensureTopology,
  platformTopology,
  restoreTopology,
  type Messaging,
} from '@platform/messaging';
import { startTestServer, type TestServer } from '@platform/messaging/testing';
import { proofSize, uniqueName } from '@platform/testing';
import { serviceParties, type Party } from '../../../infra/nats/permissions';
import { serviceNames, startComposed, type ComposedService, type ServiceName } from './composed-service';

const topology = platformTopology();
const ready = ({ status }: { status: number }) => status === 200;

function partyOf(name: ServiceName): Party {
  return serviceParties.find(({ user }) => user === name)!;
}

/** The durables of the topology that the service opens, by the names that its readiness uses. */
function durablesOf(name: ServiceName): string[] {
  return partyOf(name)
    .consumes.filter(({ durable }) => durable !== '*')
    .map(({ stream, durable }) => `${stream}/${durable}`)
    .sort();
}

function overlaps(pattern: string, other: string): boolean {
  const [left, right] = [pattern.split('.'), other.split('.')];
  for (const [at, token] of left.entries()) {
    if (token === '>' || right[at] === '>') return true;
    if (right[at] === undefined || (token !== right[at] && token !== '*' && right[at] !== '*')) return false;
  }
  return left.length === right.length;
}

/** The streams of a service; a bucket is listed under the name of its stream. */
function streamsOf(name: ServiceName): string[] {
  const { publishes, consumes, writesBuckets = [] } = partyOf(name);
  const written = topology.streams.filter(({ subjects }) =>
    subjects.some((subject) => publishes.some((published) => overlaps(published, subject))),
  );
  return [
    ...new Set([
      'DEAD_LETTERS',
      ...written.map((stream) => stream.name),
      ...consumes.map(({ stream }) => stream),
      ...writesBuckets.map((bucket) => `KV_${bucket}`),
    ]),
  ].sort();
}

/** Every stream that a service reads or writes; one of each kind when the run must be short. */
const streams = [...new Set(serviceNames.flatMap(streamsOf))].sort();
const lostAlone = proofSize({
  lean: ['LIFECYCLE', 'MIGRATIONS', 'KV_workspace_access'],
  full: streams,
});

describe('readiness', () => {
  let broker: TestServer;
  let messaging: Messaging;
  const running = new Map<ServiceName, ComposedService>();
  const of = (name: ServiceName): ComposedService => running.get(name)!;

  beforeAll(async () => {
    broker = await startTestServer();
    await ensureTopology({ url: broker.url, topology });
    messaging = await connectMessaging({ url: broker.url, name: 'test', topology, log: silentLog });
    for (const name of serviceNames)
      running.set(
        name,
        await startComposed(name, {
          NATS_URL: broker.url,
          MONGODB_URL: process.env['TEST_MONGODB_URL'] ?? '',
          MONGODB_DATABASE: uniqueName('ready'),
        }),
      );
  });

  afterAll(async () => {
    await messaging.close();
    for (const service of running.values()) expect(await service.stop()).toBe(0);
    await broker.stop();
  });

  async function deleteStream(name: string): Promise<void> {
    const raw = await connect({ servers: broker.url });
    await (await jetstreamManager(raw)).streams.delete(name);
    await raw.close();
  }

  it('is there for every service that has a user at the broker', () => {
    // The pages send one request and read no durable. Without a reply they refuse the visitor, whether they are ready
    // or not.
    const reading = serviceParties.filter(({ consumes, requests }) => consumes.length > 0 || requests.length > 1);
    expect([...serviceNames].sort()).toEqual(reading.map(({ user }) => user).sort());
    expect(serviceParties.filter((party) => !reading.includes(party)).map(({ user }) => user)).toEqual([
      'query-builder',
    ]);
  });

  it.each(serviceNames.flatMap((name) => durablesOf(name).map((durable) => [name, durable] as const)))(
    'of %s names %s when it is deleted, and nothing else',
    async (name, durable) => {
      const service = of(name);
      await service.becomes('ready', ready);
      await messaging.removeDurable(...(durable.split('/') as [string, string]));
      const noticed = await service.becomes(
        `names ${durable}`,
        ({ status, named }) => status === 503 && named('consumers').includes(durable),
      );
      expect([noticed.named('consumers'), noticed.named('streams')]).toEqual([[durable], []]);
      expect(await restoreTopology({ url: broker.url, topology })).toEqual([durable]);
      await service.becomes('ready again', ready);
    },
  );

  it('is looked at for every stream of the topology but the notices of the broker, which no service reads', () => {
    const declared = [...topology.streams.map(({ name }) => name), ...topology.buckets.map(({ name }) => `KV_${name}`)];
    expect(streams).toEqual(declared.filter((name) => name !== 'ADVISORIES').sort());
    expect(lostAlone.filter((name) => !streams.includes(name))).toEqual([]);
  });

  it.each(lostAlone)('of exactly the services that use %s names it when it is deleted', async (stream) => {
    const users = serviceNames.filter((name) => streamsOf(name).includes(stream));
    for (const name of serviceNames) await of(name).becomes('ready', ready);
    await deleteStream(stream);
    for (const name of users)
      await of(name).becomes(
        `names ${stream}`,
        ({ status, named }) => status === 503 && named('streams').includes(stream),
      );
    for (const name of serviceNames) {
      const { status, named } = await of(name).readiness();
      expect([name, status, named('streams')]).toEqual([name, ...(users.includes(name) ? [503, [stream]] : [200, []])]);
    }
    const fixed = topology.streams.find(({ name }) => name === stream)?.durables ?? [];
    expect(await restoreTopology({ url: broker.url, topology })).toEqual([
      stream,
      ...fixed.map(({ durable }) => `${stream}/${durable}`),
    ]);
    for (const name of serviceNames) await of(name).becomes('ready again', ready);
  });

  it('of a gateway comes back by itself when the durable of its replica is deleted', async () => {
    const service = of('operator');
    await service.becomes('ready', ready);
    await messaging.removeDurable('WORK_CHANGES', 'operator-1');
    await service.becomes(
      'names its own durable',
      ({ status, named }) => status === 503 && named('consumers').includes('WORK_CHANGES/operator-1'),
    );
    await service.becomes('ready again', ready);
  });

  it('of each service names exactly the streams that it uses when the broker has lost its disk', async () => {
    const said = new Map(serviceNames.map((name) => [name, of(name).lines.length]));
    await broker.kill();
    await broker.restart({ wiped: true });
    for (const name of serviceNames) {
      const lost = streamsOf(name);
      const readiness = await of(name).becomes(
        'names its streams',
        ({ status, named }) => status === 503 && named('streams').length === lost.length,
      );
      expect(readiness.named('streams')).toEqual(lost);
      expect(await (await fetch(`${of(name).url}/metrics`)).text()).toMatch(
        new RegExp(`^broker_streams_missing\\S* ${lost.length}$`, 'm'),
      );
      const since = of(name).lines.slice(said.get(name));
      const announced = since.filter(({ message }) => message?.startsWith('streams are gone'));
      expect(announced.map(({ level, streams }) => [level, [...(streams as string[])].sort()])).toEqual([
        ['error', lost],
      ]);
    }
    await ensureTopology({ url: broker.url, topology });
    for (const name of serviceNames) await of(name).becomes('ready again', ready);
  });
});
