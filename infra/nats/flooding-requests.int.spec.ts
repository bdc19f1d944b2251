/**
 * A team that sends requests without end and without waiting: a service handles as many of them at once as one team may
 * have and refuses the others at once; meanwhile another team gets its answers.
 */
import { connect, headers, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { silentLog } from '@platform/kernel';
import { connectMessaging, type Messaging, type Subscription } from '@platform/messaging';
import { eventually } from '@platform/testing';
import { connectionOf, credentialsOf } from './sign-on.harness';
import { startBroker, topology, type Broker } from './teams.harness';

const asked = 500;
const mostOfOne = 32;
let broker: Broker;
let gateway: Messaging;
let storage: NatsConnection;
let searchIndex: NatsConnection;
let service: Subscription;
let release: () => void;
/** Requests under way at the gateway, by their workspace. */
let underWay: Map<string, number>;

const open = (user: string) => connect({ servers: broker.url.split(','), ...connectionOf(credentialsOf(user)) });

async function flood(name?: string): Promise<Msg[]> {
  const answers: Msg[] = [];
  const inbox = `_INBOX_storage.${name ?? 'flood'}`;
  storage.subscribe(inbox, { callback: (_error, message) => void answers.push(message) });
  const forged = headers();
  if (name !== undefined) forged.set('Nats-Request-Info', JSON.stringify({ acc: name }));
  for (let count = 0; count < asked; count += 1)
    storage.publish('workspace.access', '{"tenantId":"slow"}', {
      reply: inbox,
      headers: name === undefined ? undefined : forged,
    });
  await storage.flush();
  return answers;
}

describe.each([1, 3] as const)('a team that asks without end (%d servers)', (members) => {
  beforeAll(async () => {
    broker = await startBroker(undefined, members);
    gateway = await connectMessaging({
      url: broker.url,
      name: 'operator',
      credentials: credentialsOf('operator'),
      topology,
      log: silentLog,
    });
    [storage, searchIndex] = [await open('storage'), await open('search-index')];
  });
  afterAll(async () => {
    await Promise.all([storage?.close(), searchIndex?.close(), gateway?.close()]);
    await broker?.stop();
  });

  beforeEach(async () => {
    underWay = new Map();
    const released = new Promise<void>((resolve) => (release = resolve));
    service = await gateway.serve({ name: 'operator', version: '1.0.0', description: 'Access' }, [
      {
        name: 'access',
        subject: 'workspace.access',
        answer: async (body) => {
          const { tenantId } = body as { tenantId: string };
          underWay.set(tenantId, (underWay.get(tenantId) ?? 0) + 1);
          if (tenantId !== 'quick') await released;
          return { ok: true, value: { state: 'open' } };
        },
      },
    ]);
    // The teams' servers learn of the endpoint after the gateway's server does; until then a request has no responder.
    for (const team of [storage, searchIndex])
      await eventually(() => team.request('workspace.access', '{"tenantId":"quick"}', { timeout: 1_000 }), {
        describe: 'an endpoint that each server knows',
      });
  });

  afterEach(async () => {
    release();
    await service.close();
  });

  it.each([undefined, 'TEAM_search-index', 'PLATFORM'])(
    'has few questions under way, and another team is answered (says that it is %s)',
    async (name) => {
      const answers = await flood(name);
      const refused = asked - mostOfOne;
      await eventually(() => answers.length === refused, { describe: 'refusals at once' });
      expect(underWay.get('slow')).toBe(mostOfOne);
      expect(answers[0]!.json()).toMatchObject({ code: 'overloaded' });
      const other = await searchIndex.request('workspace.access', '{"tenantId":"quick"}', { timeout: 60_000 });
      expect(other.json()).toEqual({ state: 'open' });
      release();
      await eventually(() => answers.length === asked, { describe: 'an answer to each question' });
      // Completed requests make room for new ones.
      const again = await storage.request('workspace.access', '{"tenantId":"quick"}', { timeout: 60_000 });
      expect(again.json()).toEqual({ state: 'open' });
    },
  );
});
