/**
 * The matrix: every user of the broker against every subject of the platform, as the server itself decides. Who may do
 * what is written here once more by hand, so that a wrong row in the table cannot confirm itself.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyTopology, connectMessaging, platformTopology } from '@platform/messaging';
import type { InboundMessage, Messaging } from '@platform/messaging';
import { startTestServer } from '@platform/messaging/testing';
import type { TestServer } from '@platform/messaging/testing';
import { silentLog } from '@platform/kernel';
import { collectRefusals } from './permissions.probe';
import { consumerParty, passwordVariable, permissionsFile, serviceParties } from './permissions';

const topology = platformTopology();
const parties = [...serviceParties, consumerParty('storage'), consumerParty('search-index')];
const users = parties.map(({ user }) => user);
const services = ['operator', 'billing-webhook', 'provisioning', 'lifecycle-delivery'];
const nobody: string[] = [];

/** Subject → who may publish to it. */
const publishing: Record<string, readonly string[]> = {
  'lifecycle.message.created': ['provisioning'],
  'lifecycle.message.suspended': ['operator'],
  'lifecycle.message.reactivation_requested': ['operator'],
  'lifecycle.message.tenant_deleted': ['operator'],
  'tenant.lifecycle.suspended.storage': ['lifecycle-delivery'],
  'tenant.receipt.storage': ['storage'],
  'tenant.receipt.search-index': ['search-index'],
  'lifecycle.settled.suspended': ['lifecycle-delivery'],
  'provider.event.operator.invoice.paid': ['billing-webhook'],
  'provider.event.provisioning.invoice.paid': ['billing-webhook'],
  'provider.outcome.operator': ['operator'],
  'provider.outcome.provisioning': ['provisioning'],
  'workspace.committed': ['provisioning'],
  'workspace.cancelled': ['provisioning'],
  'alert.reconciliation_required.operator.operation': ['operator'],
  'alert.reconciliation_required.billing-webhook.event': ['billing-webhook'],
  'alert.reconciliation_required.provisioning.attempt': ['provisioning'],
  'alert.reconciliation_required.lifecycle-delivery.delivery': ['lifecycle-delivery'],
  'work.changed.operation': ['operator'],
  'checkout.completed': ['operator'],
  'migration.progress': ['operator'],
  'migration.workspace_migrated': ['operator'],
  'dead_letter.LIFECYCLE.lifecycle-delivery': ['lifecycle-delivery'],
  'dead_letter.TENANT_LIFECYCLE.storage': ['storage'],
  'dead_letter.PROVIDER_EVENTS.operator': ['operator'],
  'dead_letter.PROVIDER_EVENTS.provisioning': ['provisioning'],
  'dead_letter.PROVIDER_OUTCOMES.billing-webhook': ['billing-webhook'],
  'lifecycle.consumer.register.storage': ['storage'],
  'lifecycle.consumer.unregister.storage': ['storage'],
  'lifecycle.consumer.register.search-index': ['search-index'],
  'lifecycle.consumer.unregister.search-index': ['search-index'],
  'lifecycle.consumer.register': nobody,
  'lifecycle.inspect.deliveries': ['operator'],
  'provisioning.gate.is_committed': ['operator', 'storage', 'search-index'],
  'provisioning.workspace.create': ['operator'],
  'provisioning.listeners.register.storage': ['operator', 'storage'],
  'provisioning.listeners.unregister.search-index': ['operator', 'search-index'],
  'webhook_events.inspect': ['operator'],
  'tenant_being_provisioned.storage': ['provisioning'],
  'tenant_deleted.storage': ['provisioning'],
  '$JS.API.CONSUMER.MSG.NEXT.LIFECYCLE.lifecycle-delivery': ['lifecycle-delivery'],
  '$JS.API.CONSUMER.MSG.NEXT.TENANT_RECEIPTS.lifecycle-delivery': ['lifecycle-delivery'],
  '$JS.API.CONSUMER.MSG.NEXT.LIFECYCLE_SETTLED.operator': ['operator'],
  '$JS.API.CONSUMER.MSG.NEXT.LIFECYCLE_SETTLED.provisioning': ['provisioning'],
  '$JS.API.CONSUMER.MSG.NEXT.PROVIDER_EVENTS.operator': ['operator'],
  '$JS.API.CONSUMER.MSG.NEXT.PROVIDER_EVENTS.provisioning': ['provisioning'],
  '$JS.API.CONSUMER.MSG.NEXT.PROVIDER_OUTCOMES.billing-webhook': ['billing-webhook'],
  '$JS.API.CONSUMER.MSG.NEXT.WORKSPACES.operator': ['operator'],
  '$JS.API.CONSUMER.MSG.NEXT.ALERTS.operator-work-queue': ['operator'],
  '$JS.API.CONSUMER.MSG.NEXT.PROVIDER_OUTCOMES.operator-work-queue': ['operator'],
  '$JS.API.CONSUMER.MSG.NEXT.WORK_CHANGES.operator-1': ['operator'],
  '$JS.API.CONSUMER.CREATE.WORK_CHANGES.operator-1': ['operator'],
  '$JS.API.CONSUMER.CREATE.ALERTS.intruder': nobody,
  '$JS.API.CONSUMER.MSG.NEXT.TENANT_LIFECYCLE.storage': ['storage'],
  '$JS.API.CONSUMER.MSG.NEXT.TENANT_LIFECYCLE.search-index': ['search-index'],
  '$JS.ACK.LIFECYCLE.lifecycle-delivery.1.1.1.0.0': ['lifecycle-delivery'],
  '$JS.ACK.TENANT_LIFECYCLE.storage.1.1.1.0.0': ['storage'],
  '$JS.ACK.PROVIDER_EVENTS.operator.1.1.1.0.0': ['operator'],
  '$JS.API.STREAM.INFO.PROVIDER_EVENTS': services,
  '$JS.API.CONSUMER.INFO.PROVIDER_EVENTS.provisioning': services,
  '$JS.API.CONSUMER.INFO.TENANT_LIFECYCLE.storage': ['lifecycle-delivery', 'storage'],
  '$JS.API.CONSUMER.CREATE.TENANT_LIFECYCLE.intruder.tenant.lifecycle.*.storage': ['lifecycle-delivery'],
  '$JS.API.CONSUMER.CREATE.LIFECYCLE.intruder': nobody,
  '$JS.API.CONSUMER.CREATE.PROVIDER_EVENTS.intruder': nobody,
  '$JS.API.CONSUMER.DURABLE.CREATE.LIFECYCLE.intruder': nobody,
  '$JS.API.CONSUMER.DELETE.TENANT_LIFECYCLE.intruder': ['lifecycle-delivery'],
  '$JS.API.CONSUMER.DELETE.LIFECYCLE.lifecycle-delivery': nobody,
  '$JS.API.CONSUMER.LIST.TENANT_LIFECYCLE': ['operator', 'lifecycle-delivery'],
  '$JS.API.CONSUMER.LIST.PROVIDER_EVENTS': ['operator'],
  '$JS.API.STREAM.MSG.GET.TENANT_LIFECYCLE': ['operator', 'lifecycle-delivery'],
  '$JS.API.STREAM.MSG.GET.PROVIDER_EVENTS': ['operator'],
  '$JS.API.DIRECT.GET.PROVIDER_EVENTS': nobody,
  '$JS.API.STREAM.CREATE.OTHER': nobody,
  '$JS.API.STREAM.UPDATE.LIFECYCLE': nobody,
  '$JS.API.STREAM.DELETE.LIFECYCLE': nobody,
  '$JS.API.STREAM.PURGE.LIFECYCLE': nobody,
  '$JS.API.STREAM.MSG.DELETE.LIFECYCLE': nobody,
  '$JS.API.STREAM.SNAPSHOT.LIFECYCLE': nobody,
  '$JS.API.STREAM.NAMES': nobody,
  '$JS.API.INFO': nobody,
  '$SYS.REQ.SERVER.PING': nobody,
  '_INBOX_operator.forged.reply': nobody,
  'anything.else': nobody,
};

/** Subject → who may subscribe to it. */
const subscribing: Record<string, readonly string[]> = {
  '_INBOX_operator.>': ['operator'],
  '_INBOX_billing-webhook.>': ['billing-webhook'],
  '_INBOX_provisioning.>': ['provisioning'],
  '_INBOX_lifecycle-delivery.>': ['lifecycle-delivery'],
  '_INBOX_storage.>': ['storage'],
  '_INBOX_search-index.>': ['search-index'],
  '_INBOX.>': nobody,
  'lifecycle.consumer.register.storage': ['lifecycle-delivery'],
  'lifecycle.inspect.deliveries': ['lifecycle-delivery'],
  'provisioning.gate.is_committed': ['provisioning'],
  'provisioning.workspace.create': ['provisioning'],
  'tenant_being_provisioned.storage': ['storage'],
  'tenant_deleted.storage': ['storage'],
  '$SRV.PING': ['billing-webhook', 'provisioning', 'lifecycle-delivery', 'storage', 'search-index'],
  'webhook_events.inspect': ['billing-webhook'],
  '$SRV.INFO.provisioning': ['provisioning'],
  '$SRV.STATS.lifecycle-delivery.*': ['lifecycle-delivery'],
  'lifecycle.message.*': nobody,
  'tenant.lifecycle.*.storage': nobody,
  'tenant.receipt.*': nobody,
  'provider.event.>': nobody,
  'workspace.*': nobody,
  'migration.*': nobody,
  'work.changed.*': nobody,
  '$JS.EVENT.ADVISORY.>': nobody,
  '>': nobody,
};

function credentialsOf(user: string): { user: string; password: string } {
  return { user, password: `secret-of-${user}` };
}

describe('broker permissions', () => {
  let broker: TestServer;
  let folder: string;
  const open: Messaging[] = [];
  const connectAs = async (user: string): Promise<Messaging> => {
    const messaging = await connectMessaging({ url: broker.url, name: user, credentials: credentialsOf(user), topology, log: silentLog, pullExpiresMs: 1_000 });
    open.push(messaging);
    return messaging;
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'permissions-'));
    const file = join(folder, 'permissions.conf');
    await writeFile(file, permissionsFile(parties, topology, (user) => JSON.stringify(`secret-of-${user}`)), { mode: 0o600 });
    broker = await startTestServer(file);
    await applyTopology({ url: broker.url, credentials: credentialsOf('topology'), topology, replicas: 1 });
  });
  afterAll(async () => {
    await Promise.all(open.map((messaging) => messaging.close()));
    await broker.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(users)('lets %s say and hear what it needs and refuses all else', async (user) => {
    const refusals = await collectRefusals(broker.url, credentialsOf(user), Object.keys(publishing), Object.keys(subscribing));
    const refusedTo = (table: Record<string, readonly string[]>): string[] => Object.keys(table).filter((subject) => !table[subject]?.includes(user));
    expect(refusals).toEqual({ publish: refusedTo(publishing), subscribe: refusedTo(subscribing) });
  });

  it('refuses a wrong password and a connection without a user', async () => {
    const options = { url: broker.url, name: 'intruder', topology, log: silentLog };
    await expect(connectMessaging({ ...options, credentials: { user: 'operator', password: 'wrong' } })).rejects.toThrow(/authorization/i);
    await expect(connectMessaging(options)).rejects.toThrow(/authorization/i);
  });

  it('answers plainly when a party oversteps, and leaves its connection in order', async () => {
    const storage = await connectAs('storage');
    const message = { subject: 'tenant.receipt.search-index', id: 'forged', type: 'test.v1', body: {} };
    expect(await storage.publish(message)).toBe('unknown');
    expect(await storage.request('lifecycle.inspect.deliveries', {}, 5_000)).toMatchObject({ ok: false, error: { code: 'refused', serverCode: 'not_permitted' } });
    await expect(storage.ensureDurable({ stream: 'TENANT_LIFECYCLE', durable: 'search-index', filterSubjects: [], ackWaitMs: 1_000, maxAckPending: 1 })).rejects.toThrow(/permission/i);
    expect(await storage.publish({ ...message, subject: 'tenant.receipt.storage', id: 'own' })).toBe('acknowledged');
  });

  it('carries a suspension to a consumer and its receipt back, each party with its own user', async () => {
    const [operator, delivery, storage] = [await connectAs('operator'), await connectAs('lifecycle-delivery'), await connectAs('storage')] as const;
    await Promise.all([operator.assertTopology(), delivery.assertTopology()]);
    const send = (messaging: Messaging, subject: string, { id }: { id: string }) => messaging.publish({ subject, id: `${subject}:${id}`, type: 'test.v1', body: {} });
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
          await delivery.ensureDurable({ stream: 'TENANT_LIFECYCLE', durable: 'storage', filterSubjects: ['tenant.lifecycle.*.storage'], ackWaitMs: 5_000, maxAckPending: 10 });
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
    expect(await storage.request('lifecycle.consumer.register.storage', { name: 'storage' }, 5_000)).toEqual({ ok: true, value: {} });
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

  it('stands in the checked-in file as the table says', async () => {
    const written = await readFile(join(__dirname, 'permissions.conf'), 'utf8');
    expect(written).toBe(permissionsFile(parties, topology, (user) => `$${passwordVariable(user)}`));
  });
});
