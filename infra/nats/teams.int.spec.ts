/**
 * A consumer team with its own credentials against the rest of the broker (SEC-01): the server answers to any reply
 * subject with its own rights, so each attack names one that would delete, purge, acknowledge or forge if it were heard in
 * the platform's account. What a team may not touch is compared before and after.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstream, jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import {
  lifecycleMessageIds,
  type ConsumerReceipt,
  type LifecycleMessage,
} from '@platform/contracts-lifecycle-delivery';
import { createIds, silentLog, systemClock } from '@platform/kernel';
import { applyTopology, connectMessaging, platformTopology } from '@platform/messaging';
import { publishReceipt } from '../../libs/interfaces/workspace-platform/src/connect/publish-receipts';
import { startTestServer, type TestServer } from '@platform/messaging/testing';
import { consumerParty, opsParty, serviceParties, type Party } from './permissions';
import { permissionsFile, publishesOf } from './permissions.file';
import { attack, attacksOf } from './teams.probe';

const topology = platformTopology();
const teams = [consumerParty('storage'), consumerParty('search-index')];
const credentialsOf = (user: string) => ({ user, password: `secret-of-${user}` });

/** Stored subjects that are a team's own: it writes two of them and acknowledges the third. */
const ownSubjects = ({ user }: Party): string[] => [
  `tenant.receipt.${user}`,
  `dead_letter.TENANT_LIFECYCLE.${user}`,
  `tenant.lifecycle.suspended.${user}`,
];

interface Broker {
  readonly server: TestServer;
  readonly people: NatsConnection;
  readonly jsm: JetStreamManager;
  readonly stop: () => Promise<void>;
}

/** A broker with one message in each stream, the durables of both teams, and a delivery that waits for its acknowledgement. */
async function startBroker(parties: readonly Party[]): Promise<Broker> {
  const folder = await mkdtemp(join(tmpdir(), 'teams-'));
  const file = join(folder, 'permissions.conf');
  await writeFile(
    file,
    permissionsFile(parties, topology, (user) => JSON.stringify(`secret-of-${user}`)),
  );
  const server = await startTestServer(file);
  const { user, password } = credentialsOf('topology');
  await applyTopology({ url: server.url, credentials: { user, password }, topology, replicas: 1 });
  const people = await connect({ servers: server.url, user, pass: password });
  const jsm = await jetstreamManager(people, { checkAPI: false });
  for (const team of teams)
    await jsm.consumers.add('TENANT_LIFECYCLE', {
      durable_name: team.user,
      ack_policy: 'explicit',
      filter_subject: `tenant.lifecycle.*.${team.user}`,
    });
  for (const subject of topology.streams.flatMap(({ subjects }) => subjects)) {
    // Deliveries are kept for as long as somebody waits for them, so they name a team.
    const concrete = subject.replace('lifecycle.*.*', 'lifecycle.suspended.storage').replace(/[*>]/g, 'x');
    if (!concrete.startsWith('$JS.')) await jetstream(people).publish(concrete, '{}');
  }
  const waiting = await jetstream(people).consumers.get('LIFECYCLE', 'lifecycle-delivery');
  await waiting.next({ expires: 2_000 });
  const stop = async (): Promise<void> => {
    await people.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { server, people, jsm, stop };
}

/** Everything that `team` may not change: contents, configurations and durables of all streams but its own place in one. */
async function stateOf({ jsm }: Broker, team: Party): Promise<Record<string, unknown>> {
  const state: Record<string, unknown> = {};
  for await (const { config } of jsm.streams.list()) {
    const { state: contents } = await jsm.streams.info(config.name, { subjects_filter: '>' });
    const foreign = Object.entries(contents.subjects ?? {}).filter(
      ([subject]) => !ownSubjects(team).includes(subject) && !subject.startsWith('$JS.EVENT.'),
    );
    state[config.name] = { config, contents: Object.fromEntries(foreign.sort()) };
    for await (const { name, config: durable, ack_floor: floor, num_ack_pending: waits } of jsm.consumers.list(
      config.name,
    ))
      state[`${config.name}/${name}`] = { durable, ...(name !== team.user && { floor: floor.stream_seq, waits }) };
  }
  return state;
}

/** Subjects on which something arrived in the platform's account that its services have not said. */
async function heardWhile(broker: Broker, run: () => Promise<void>): Promise<Set<string>> {
  const heard = new Set<string>();
  const subscription = broker.people.subscribe('>', { callback: (_error, { subject }) => void heard.add(subject) });
  // Deputies: services answer whoever asks, wherever that one wants the answer.
  const deputies = ['lifecycle.consumer.*.*', 'provisioning.>', 'workspace.access', 'workspace.inventory'].map(
    (subject) =>
      broker.people.subscribe(subject, { callback: (_error, message) => void message.respond('{"ok":true}') }),
  );
  await broker.people.flush();
  await run();
  await broker.people.flush();
  for (const each of [subscription, ...deputies]) each.unsubscribe();
  return heard;
}

const attacks = teams.map((team) => {
  const others = teams.filter(({ user }) => user !== team.user).map(({ user }) => user);
  return { team, all: attacksOf(team, publishesOf(team, topology), topology, others) };
});
const count = attacks.reduce((sum, { all }) => sum + all.length, 0);

/** What a team's attacks may be heard as: its own subjects, answers on their way to it, and the server's notes. */
const harmless = (team: Party) => {
  const own = publishesOf(team, topology).map((subject) => subject.replace(/[*>]$/, ''));
  return (subject: string): boolean =>
    ['_R_.', '$JS.EVENT.', ...own].some((prefix) => subject.startsWith(prefix)) ||
    // Its deliveries, on their way to it.
    (subject.startsWith('tenant.lifecycle.') && subject.endsWith(`.${team.user}`));
};

describe(`a team on the broker, ${count} attempts with reply subjects and headers`, () => {
  it('changes no stream, no durable and no delivery of others, and is heard on its own subjects alone', async () => {
    expect(count).toBeGreaterThan(10_000);
    const broker = await startBroker([...serviceParties, opsParty, ...teams]);
    try {
      for (const { team, all } of [...attacks].reverse()) {
        const before = await stateOf(broker, team);
        expect(Object.keys(before).length).toBeGreaterThan(topology.streams.length);
        const heard = await heardWhile(broker, () => attack(broker.server.url, credentialsOf(team.user), all));
        expect([...heard].filter((subject) => !harmless(team)(subject))).toEqual([]);
        expect(heard).toContain(`tenant.receipt.${team.user}`);
        expect(await stateOf(broker, team)).toEqual(before);
      }
    } finally {
      await broker.stop();
    }
  }, 120_000);

  it('cannot suppress a receipt of another team by using its id first', async () => {
    const broker = await startBroker([...serviceParties, opsParty, ...teams]);
    const [storage, other] = await Promise.all(
      teams.map(({ user }) =>
        connectMessaging({
          url: broker.server.url,
          name: user,
          credentials: credentialsOf(user),
          topology,
          log: silentLog,
        }),
      ),
    );
    try {
      const id = lifecycleMessageIds.receipt('operation-1', 'storage');
      const forged = { subject: 'tenant.receipt.search-index', id, type: 'tenant.receipt.v1', body: {} };
      expect(await other!.publish(forged)).toBe('acknowledged');
      const ports = { broker: storage!, clock: systemClock, ids: createIds() };
      const message = {
        tenantId: 'acme',
        operationId: 'operation-1',
        transition: 'suspended',
        requestedAt: '',
      } as const;
      const receipt: ConsumerReceipt = { receiptId: 'r-1', effectiveAt: new Date().toISOString() };
      expect(await publishReceipt(ports, 'storage', message as LifecycleMessage, receipt, {})).toBe('acknowledged');
      const { state } = await broker.jsm.streams.info('TENANT_RECEIPTS', { subjects_filter: 'tenant.receipt.storage' });
      expect(state.subjects).toEqual({ 'tenant.receipt.storage': 1 });
    } finally {
      await Promise.all([storage?.close(), other?.close()]);
      await broker.stop();
    }
  }, 60_000);

  it('would delete streams from an account that it shared with the platform', async () => {
    const shared = [...serviceParties, opsParty, ...teams.map((team) => ({ ...team, team: false }))];
    const broker = await startBroker(shared);
    try {
      const [first] = attacks;
      const before = await stateOf(broker, first!.team);
      const aimed = first!.all.filter(({ reply }) => reply === '$JS.API.STREAM.DELETE.CHECKOUTS');
      const heard = await heardWhile(broker, () => attack(broker.server.url, credentialsOf(first!.team.user), aimed));
      expect([...heard]).toContain('$JS.API.STREAM.DELETE.CHECKOUTS');
      expect(Object.keys(before)).toContain('CHECKOUTS');
      expect(Object.keys(await stateOf(broker, first!.team))).not.toContain('CHECKOUTS');
    } finally {
      await broker.stop();
    }
  }, 60_000);
});
