/**
 * Three servers of the native binary as production runs them: streams with three replicas. The leader of a stream is
 * killed during the load and returns; in the full proof another one is killed then. Nothing acknowledged is lost,
 * nothing is stored twice, and every member has caught up at the end.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { silentLog } from '@platform/kernel';
import { applyTopology, connectMessaging, platformTopology, type Messaging } from '@platform/messaging';
import { eventually, freePorts, proofSize } from '@platform/testing';
import { runProgram } from '../../test/support/run-program';
import { findServer } from './native-servers';

const stream = 'LIFECYCLE';
const messages = 300;
const inFlight = 25;
/** When a leader is killed, as fractions of the messages. */
const kills = proofSize({ lean: [0.3], full: [0.2, 0.6] });

interface Member {
  readonly name: string;
  readonly port: number;
  child: ChildProcess;
}

describe('a cluster of three brokers', () => {
  const members: Member[] = [];
  let folder: string;
  let binary: string;
  let messaging: Messaging;
  let url: string;

  const start = (name: string): ChildProcess =>
    spawn(binary, ['-c', join(folder, `${name}.conf`)], { stdio: 'ignore' });
  const kill = async (member: Member): Promise<void> => {
    const ended = new Promise((gone) => member.child.once('exit', gone));
    member.child.kill('SIGKILL');
    await ended;
  };
  /** Three members with new ports and data: another program can have taken a port in between, and that member has ended. */
  const startMembers = async (): Promise<void> => {
    for (const member of members.splice(0)) if (member.child.exitCode === null) await kill(member);
    const [a = 0, b = 0, c = 0, ...routes] = await freePorts(6);
    for (const [at, port] of [a, b, c].entries()) {
      const name = `broker-${at}`;
      rmSync(join(folder, name), { recursive: true, force: true });
      const config = [
        `server_name: ${name}`,
        `listen: "127.0.0.1:${port}"`,
        `jetstream { store_dir: ${JSON.stringify(join(folder, name))} }`,
        `cluster { name: platform, listen: "127.0.0.1:${routes[at]}", routes: [${routes.map((route) => `"nats-route://127.0.0.1:${route}"`).join(', ')}] }`,
      ];
      writeFileSync(join(folder, `${name}.conf`), config.join('\n'));
      members.push({ name, port, child: start(name) });
    }
    url = members.map(({ port }) => `nats://127.0.0.1:${port}`).join(',');
  };
  /** The state of the stream's members, from whichever member answers. */
  const clusterOf = async () => {
    const connection = await connect({
      servers: members.map(({ port }) => `127.0.0.1:${port}`),
      timeout: 2_000,
      maxReconnectAttempts: 2,
    });
    try {
      return (await (await jetstreamManager(connection, { timeout: 2_000 })).streams.info(stream)).cluster;
    } finally {
      await connection.close();
    }
  };
  /** Null while an election is under way. */
  const leaderOf = async (): Promise<string | null> => (await clusterOf())?.leader ?? null;
  const leader = async (): Promise<Member> => {
    const name = await eventually(leaderOf, { describe: 'a leader of the stream' });
    return members.find((member) => member.name === name)!;
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'nats-cluster-'));
    binary = findServer();
    await startMembers();
    await eventually(
      async () => {
        if (members.some(({ child }) => child.exitCode !== null)) await startMembers();
        return applyTopology({ url, topology: platformTopology(), replicas: 3 });
      },
      { describe: 'the topology on three replicas' },
    );
    messaging = await connectMessaging({
      url,
      name: 'cluster-test',
      topology: platformTopology(),
      log: silentLog,
      publishTimeoutMs: 2_000,
    });
  });
  afterAll(async () => {
    await messaging?.close();
    for (const { child } of members) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  it('holds every stream three times, as the topology says', async () => {
    await messaging.assertTopology();
    const states = await messaging.streamStates();
    expect(states.map(({ replicas }) => replicas)).toEqual(states.map(() => 3));
    await eventually(async () => (await messaging.streamCopies([stream])).get(stream)?.current === 3, {
      describe: 'three current copies',
    });
  });

  it('keeps its copies when the topology is applied without a number, and gives them up only for a word', async () => {
    const topology = platformTopology();
    const copies = async () => [...new Set((await messaging.streamStates()).map(({ replicas }) => replicas))];
    expect(await applyTopology({ url, topology })).toMatchObject({ copies: 3 });
    await expect(applyTopology({ url, topology, replicas: 1 })).rejects.toThrow(
      expect.objectContaining({
        name: 'TopologyLossError',
        copies: expect.arrayContaining(['LIFECYCLE: 3 copies, asked for 1']) as string[],
      }),
    );
    await runProgram(['infra/build.mjs', '--quiet']);
    const command = ['dist/infra/nats/apply.js', '--url', url, '--replicas', '1'];
    const refused = await runProgram(command);
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('--fewer-replicas') as string });
    expect(await copies()).toEqual([3]);
  });

  it('gets a lost stream again from the keeper, with as many copies as the others, and the keeper ends in order', async () => {
    await runProgram(['infra/build.mjs', '--quiet']);
    const keeper = spawn(process.execPath, ['dist/infra/nats/apply.js', '--url', url, '--keep']);
    const ended = new Promise((gone) => keeper.once('exit', gone));
    let said = '';
    keeper.stdout.on('data', (piece: Buffer) => (said += piece.toString('utf8')));
    await eventually(() => said.includes('sync interval'), { describe: 'the topology is applied' });
    const connection = await connect({ servers: url.split(',') });
    const jsm = await jetstreamManager(connection);
    await jsm.streams.delete('CHECKOUTS');
    await eventually(() => said.includes('"created":["CHECKOUTS"]'), {
      describe: 'the loss is said',
    });
    expect((await jsm.streams.info('CHECKOUTS')).config.num_replicas).toBe(3);
    await connection.close();
    keeper.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  it(`loses nothing and stores nothing twice while ${kills.length} of its leaders are killed under load`, async () => {
    const received = new Set<string>();
    const consuming = await messaging.consume(
      { stream, durable: 'lifecycle-delivery', concurrency: 8 },
      async ({ id }) => (received.add(id), { kind: 'ack' }),
    );
    let next = 0;
    const publisher = async (): Promise<void> => {
      for (let number = next++; number < messages; number = next++) {
        const message = {
          subject: 'lifecycle.message.suspended',
          id: `cluster-${number}`,
          type: 'lifecycle.message.suspended.v1',
          body: { number },
        };
        // As the relay does: an unknown outcome is published again under the same id until it is acknowledged.
        await eventually(async () => (await messaging.publish(message)) === 'acknowledged', {
          describe: `the acknowledgement of message ${number}`,
        });
      }
    };
    const load = Promise.all(Array.from({ length: inFlight }, publisher));
    for (const share of kills) {
      await eventually(() => next > messages * share, { describe: 'the load under way' });
      const killed = await leader();
      await kill(killed);
      // For a moment the others still name the one that has ended.
      await eventually(async () => ![null, killed.name].includes(await leaderOf()), { describe: 'a new leader' });
      killed.child = start(killed.name);
    }
    await load;
    await eventually(() => received.size === messages, {
      describe: 'every message at its consumer',
    });
    await consuming.close();
    const state = await eventually(async () => (await messaging.streamStates([stream]))[0], {
      describe: 'the state of the stream',
    });
    expect({ stored: state.messages, received: received.size }).toEqual({ stored: messages, received: messages });
    await eventually(
      async () => {
        const others = (await clusterOf())?.replicas ?? [];
        return others.length === 2 && others.every(({ current, offline }) => current && offline !== true);
      },
      { describe: 'every member caught up' },
    );
  });
});
