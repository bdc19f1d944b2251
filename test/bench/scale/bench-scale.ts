/**
 * The capacity that a large platform needs, computed from the last measurement of `actions`: cores by part, the busiest
 * hour on them, the busiest shard, and operations that meet a held workspace. Nothing is measured here.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom } from '@platform/testing';
import { findRoot } from '../../../infra/local/settings';
import { parts } from '../actions-work';
import { readHistory, type HistoryEntry } from '../history';
import type { BenchReport } from '../report';
import { busiestShard, coresFor, costOfMix, heldWorkspaces, playHour, type Costs } from './busiest-hour';

/** The assumptions; docs/scale.md gives their reasons. */
const assumed = {
  perSecond: 10_000,
  workspaces: { count: 10_000_000, skew: 0.8 },
  mix: {
    credit: 0.7,
    'suspend, with two receipts': 0.1,
    'reactivate, with two receipts': 0.1,
    'upgrade, paid': 0.06,
    'checkout, up to its page': 0.03,
    'creation, paid': 0.01,
  },
  burst: { times: 2.5, seconds: 60 },
  shards: 24,
  usedShare: 0.6,
  seed: 1,
} as const;
const measuredWidth = 32;
/** Kinds that hold their workspace from the first write to the last receipt. */
const holding = ['suspend, with two receipts', 'reactivate, with two receipts', 'upgrade, paid'] as const;

function lastActions(): HistoryEntry {
  const file = join(findRoot(__dirname), 'docs/benchmarks-history.jsonl');
  const entry = existsSync(file)
    ? readHistory(readFileSync(file, 'utf8')).findLast(({ bench }) => bench === 'actions')
    : undefined;
  if (!entry) throw new Error('There is no measurement to compute from: run `npm run bench -- actions --write` first.');
  return entry;
}

function figure({ figures }: HistoryEntry, kind: string, column: string): number {
  const found = figures[`${kind} · ${measuredWidth}`]?.[column]?.median;
  if (found === undefined) throw new Error(`the last measurement of actions has no ${column} of ${kind}`);
  return found;
}

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;

export async function benchScale(): Promise<BenchReport> {
  const entry = lastActions();
  const { perSecond, mix, burst, workspaces, shards, usedShare, seed } = assumed;
  const costs: Costs = Object.fromEntries(
    Object.keys(mix).map((kind) => [
      kind,
      Object.fromEntries(parts.map((part) => [part, figure(entry, kind, `${part} CPU ms`)])),
    ]),
  );
  const cost = costOfMix({ mix, costs });
  const cores = coresFor({ mix, costs, perSecond }, usedShare);
  const random = createRandom(seed);
  const hour = playHour({ perSecond, mix, costs, cores, burst, random: () => random.next() });
  const held = heldWorkspaces(
    workspaces,
    perSecond * holding.reduce((sum, kind) => sum + mix[kind], 0),
    figure(entry, holding[0], 'p50 ms'),
  );
  const many = workspaces.count.toLocaleString('en');
  return {
    title: `scale: ${perSecond.toLocaleString('en')} operations a second, ${many} workspaces, computed`,
    head: ['part', 'CPU ms of the mix', 'cores', 'used', 'used at most', 'wait ms', 'longest wait ms'],
    rows: parts.map((part) => [
      part,
      cost[part]!.toFixed(2),
      String(cores[part]!),
      percent(hour[part]!.used),
      percent(hour[part]!.usedAtMost),
      hour[part]!.waitMs.toFixed(0),
      hour[part]!.longestWaitMs.toFixed(0),
    ]),
    notes: [
      `Computed from \`actions\` at ${entry.commit}, ${measuredWidth} in flight (${entry.machine}). Cores: of that machine, used to ${percent(usedShare)} on average. Mix: ${Object.entries(
        mix,
      )
        .map(([kind, share]) => `${percent(share)} ${kind}`)
        .join(
          '; ',
        )}. The hour swings by a fifth around the average and has ${burst.seconds} s at ${burst.times} times of it. Wait: the longest but one in a thousand tenths of a second.`,
      `With skew ${workspaces.skew} the busiest of ${shards} shards has ${busiestShard(workspaces, shards).toFixed(2)} times its even part. ${(held.refused * 100).toFixed(3)} % of the operations with a transition find their workspace held; the busiest workspace is held ${percent(held.busiest)} of the time.`,
    ],
  };
}
