/**
 * The crash sweep: every fault at every port call. A first run without faults numbers the calls; then each call meets
 * each fault in a fresh world, the service boots again, recovers, and the evidence is checked. With `pairs`, a second
 * fault meets the recovery. Worlds, ids and clocks must be deterministic, so that a call's number names it.
 */
import { faultNames, runLife, type PlannedFault, type Scenario } from './life';
import { createRandom, samplePositions } from './random';
import type { PortCall } from './tape';

export interface SweepViolation {
  /** 0 in the run without faults. */
  readonly k: number;
  readonly call: string;
  readonly fault: string;
  /** The fault in the second life, in runs of pairs. */
  readonly second?: PlannedFault;
  readonly messages: readonly string[];
}

export interface SweepResult {
  readonly name: string;
  /** Port calls of the run without faults. */
  readonly calls: readonly PortCall[];
  readonly runs: number;
  readonly singles: number;
  readonly pairs: number;
  /** How many pairs there are; `pairs` of them were run. */
  readonly pairsPossible: number;
  readonly perPort: Readonly<Record<string, { readonly calls: number; readonly runs: number }>>;
  readonly violations: readonly SweepViolation[];
}

export interface SweepOptions {
  /** Also a second fault in the second life, for a sample of the pairs. */
  readonly pairs?: { readonly seed: number; readonly sample: number };
  /** Run one history only, as a violation names it. */
  readonly only?: {
    readonly k: number;
    readonly fault: string;
    readonly second?: { readonly k: number; readonly fault: string };
  };
  /** Guard against a scenario that hangs; default 10,000. */
  readonly deadlineMs?: number;
}

interface HistoryRun {
  readonly first: readonly PortCall[];
  readonly second: readonly PortCall[];
  readonly messages: readonly string[];
}

async function runHistory<W, L>(
  scenario: Scenario<W, L>,
  first: PlannedFault | undefined,
  second: PlannedFault | undefined,
  kinds: Map<string, 'sync' | 'async'>,
  deadlineMs: number,
): Promise<HistoryRun> {
  const world = await scenario.createWorld();
  const lives = [await runLife(scenario, world, { incarnation: 1, work: 'act', planned: first, kinds, deadlineMs })];
  if (second)
    lives.push(await runLife(scenario, world, { incarnation: 2, work: 'recover', planned: second, kinds, deadlineMs }));
  lives.push(await runLife(scenario, world, { incarnation: lives.length + 1, work: 'recover', kinds, deadlineMs }));
  const checked = await scenario.check(world);
  return {
    first: lives[0]!.calls,
    second: lives[1]!.calls,
    messages: [...lives.flatMap((life) => life.messages), ...checked],
  };
}

function everyFault<W>(calls: readonly PortCall[], table: Scenario<W, never>['faultsFor']): PlannedFault[] {
  return calls.flatMap((call) => faultNames(call, table).map((fault) => ({ k: call.k, call: call.name, fault })));
}

/** Runs the sweep; violations are in the result, nothing is thrown for them. */
export async function runSweep<W, L>(scenario: Scenario<W, L>, options: SweepOptions = {}): Promise<SweepResult> {
  const kinds = new Map<string, 'sync' | 'async'>();
  const deadlineMs = options.deadlineMs ?? 10_000;
  const violations: SweepViolation[] = [];
  const perPort: Record<string, { calls: number; runs: number }> = {};
  const run = (first?: PlannedFault, second?: PlannedFault) => runHistory(scenario, first, second, kinds, deadlineMs);
  const report = (messages: readonly string[], first?: PlannedFault, second?: PlannedFault) => {
    if (messages.length > 0)
      violations.push({ ...(first ?? { k: 0, call: 'none', fault: 'none' }), ...(second && { second }), messages });
  };

  const baseline = await run();
  report(baseline.messages);
  for (const { port } of baseline.first) perPort[port] = { calls: (perPort[port]?.calls ?? 0) + 1, runs: 0 };

  const chosen = everyFault(baseline.first, scenario.faultsFor).filter(
    ({ k, fault }) => !options.only || (k === options.only.k && fault === options.only.fault),
  );
  const pairs: { first: PlannedFault; second: PlannedFault }[] = [];
  for (const first of chosen) {
    const { second, messages } = await run(first);
    if (!options.only?.second) report(messages, first);
    perPort[baseline.first[first.k - 1]!.port]!.runs += 1;
    if (options.pairs || options.only?.second)
      pairs.push(...everyFault(second, scenario.faultsFor).map((fault) => ({ first, second: fault })));
  }

  const wanted = options.only?.second;
  const sampled = wanted
    ? pairs.filter(({ second }) => second.k === wanted.k && second.fault === wanted.fault)
    : samplePositions(
        pairs.length,
        options.only ? 0 : (options.pairs?.sample ?? 0),
        createRandom(options.pairs?.seed ?? 0),
      ).map((position) => pairs[position]!);
  for (const { first, second } of sampled) report((await run(first, second)).messages, first, second);

  return {
    name: scenario.name,
    calls: baseline.first,
    runs: 1 + chosen.length + sampled.length,
    singles: chosen.length,
    pairs: sampled.length,
    pairsPossible: pairs.length,
    perPort,
    violations,
  };
}
