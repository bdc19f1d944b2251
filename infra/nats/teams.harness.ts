/**
 * The broker on which a team tries what it may not do: one server or a cluster of three, with a message in each stream,
 * and the state that a team's attacks must not change. For the suite and for `npm run redteam`.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstream, jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { applyTopology, platformTopology } from '@platform/messaging';
import { signOn, startTestServer } from '@platform/messaging/testing';
import { eventually } from '@platform/testing';
import { consumerParty, opsParty, serviceParties, type Party } from './permissions';
import { permissionsFile, publishesOf } from './permissions.file';
import { credentialsOf, testSignOn } from './sign-on.harness';
import { startTestCluster } from './teams-cluster.harness';
import { attack, attacksOf, type Attack } from './teams.probe';

export const topology = platformTopology();
export const teams = [consumerParty('storage'), consumerParty('search-index')];
const parties = [...serviceParties, opsParty, ...teams];

/** Stored subjects that belong to a team: it writes two of them and acknowledges the third. */
const ownSubjects = ({ user }: Party): string[] => [
  `tenant.receipt.${user}`,
  `dead_letter.TENANT_LIFECYCLE.${user}`,
  `tenant.lifecycle.suspended.${user}`,
];

export interface Broker {
  readonly url: string;
  readonly people: NatsConnection;
  readonly jsm: JetStreamManager;
  readonly stop: () => Promise<void>;
}

/**
 * A broker with one message in each stream, the durables of both teams, and a delivery that waits for its
 * acknowledgement.
 */
export async function startBroker(who: readonly Party[] = parties, members: 1 | 3 = 1): Promise<Broker> {
  const folder = await mkdtemp(join(tmpdir(), 'teams-'));
  const file = join(folder, 'permissions.conf');
  await writeFile(file, permissionsFile(who, topology, testSignOn));
  const server = members === 1 ? await startTestServer(file) : await startTestCluster(file);
  const credentials = credentialsOf('topology');
  await eventually(() => applyTopology({ url: server.url, credentials, topology, replicas: members }), {
    describe: `the topology on ${members} servers`,
  });
  const people = await connect({ servers: server.url.split(','), ...signOn(credentials) });
  const jsm = await jetstreamManager(people, { checkAPI: false });
  for (const team of teams)
    await jsm.consumers.add('TENANT_LIFECYCLE', {
      durable_name: team.user,
      ack_policy: 'explicit',
      filter_subject: `tenant.lifecycle.*.${team.user}`,
    });
  for (const subject of topology.streams.flatMap(({ subjects }) => subjects)) {
    // Deliveries are kept for as long as a consumer waits for them, so their subject must name a team.
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
  return { url: server.url, people, jsm, stop };
}

/**
 * Everything that `team` must not change: contents, configurations and durables of all streams except its own place in
 * one.
 */
export async function stateOf({ jsm }: Broker, team: Party): Promise<Record<string, unknown>> {
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

/** Subjects on which a message arrived in the platform's account that its services did not send. */
export async function heardWhile(broker: Broker, run: () => Promise<void>): Promise<Set<string>> {
  const heard = new Set<string>();
  const subscription = broker.people.subscribe('>', { callback: (_error, { subject }) => void heard.add(subject) });
  // Services that an attacker could use as deputies: they answer any requester at the reply subject that it names.
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

export const attacks = teams.map((team) => {
  const others = teams.filter(({ user }) => user !== team.user).map(({ user }) => user);
  return { team, all: attacksOf(team, publishesOf(team, topology), topology, others) };
});
/** Messages that a team's attacks may cause: its own subjects, answers to it, and the server's notices. */
export const harmless = (team: Party) => {
  const own = publishesOf(team, topology).map((subject) => subject.replace(/[*>]$/, ''));
  return (subject: string): boolean =>
    ['_R_.', '$JS.EVENT.', ...own].some((prefix) => subject.startsWith(prefix)) ||
    // The team's deliveries, on the way to the team.
    (subject.startsWith('tenant.lifecycle.') && subject.endsWith(`.${team.user}`));
};

export interface Breach {
  readonly team: string;
  readonly what: string;
}

/**
 * Plays `count` attempts of each team, spread evenly over all possible ones, and returns what they reached. Empty: no
 * message outside a team's own subjects, and no stream, durable or delivery of others was touched.
 */
export async function attackAsTeams(broker: Broker, count: number): Promise<{ played: number; breaches: Breach[] }> {
  const breaches: Breach[] = [];
  let played = 0;
  for (const { team, all } of attacks) {
    const step = Math.max(1, all.length / count);
    const chosen: Attack[] = Array.from(
      { length: Math.min(count, all.length) },
      (_each, at) => all[Math.floor(at * step)]!,
    );
    const before = JSON.stringify(await stateOf(broker, team));
    const heard = await heardWhile(broker, () => attack(broker.url, credentialsOf(team.user), chosen));
    played += chosen.length;
    for (const subject of heard)
      if (!harmless(team)(subject)) breaches.push({ team: team.user, what: `heard on ${subject}` });
    if (!heard.has(`tenant.receipt.${team.user}`)) breaches.push({ team: team.user, what: 'was not heard at all' });
    const changed = before !== JSON.stringify(await stateOf(broker, team));
    if (changed) breaches.push({ team: team.user, what: 'changed a stream, a durable or a delivery of others' });
  }
  return { played, breaches };
}
