/**
 * The crash sweep: every fault at every port call. A first run without faults numbers the calls; then each call meets
 * each fault in a fresh world, the service boots again, recovers, and the evidence is checked. With `pairs`, a second
 * fault meets the recovery. Worlds, ids and clocks must be deterministic, so that a number identifies a call. A fault
 * that changes nothing (an investigator without anything to resolve) leaves the history without faults, which was
 * judged: the lean form of the proof ends there, and the full form goes on.
 */
import { isFullProof, proofSize, type ProofSizes } from '../proof';
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
  /** Single faults that changed nothing, and whose histories ended there. */
  readonly unchanged: number;
  /** How many pairs there are; `pairs` of them were run. */
  readonly pairsPossible: number;
  /** How many pairs the full form of the proof runs. */
  readonly pairsInFull: number;
  /** True when a sought violation ended the sweep early. */
  readonly stopped: boolean;
  readonly perPort: Readonly<Record<string, { readonly calls: number; readonly runs: number }>>;
  readonly violations: readonly SweepViolation[];
}

export interface SweepOptions {
  /**
   * Also injects a second fault into the second life, for a sample of the pairs; its size depends on the form of the
   * proof.
   */
  readonly pairs?: { readonly seed: number; readonly sample: ProofSizes };
  /** Ends at the first violation whose message matches, which is enough for a broken build. */
  readonly stopAt?: RegExp;
  /** Runs only the one history that a violation names. */
  readonly only?: {
    readonly k: number;
    readonly fault: string;
    readonly second?: { readonly k: number; readonly fault: string };
  };
  /** Guard against a scenario that hangs; default 60,000, so that a busy machine does not trip it. */
  readonly deadlineMs?: number;
}

interface HistoryRun {
  readonly first: readonly PortCall[];
  readonly second: readonly PortCall[];
  readonly messages: readonly string[];
  readonly unchanged: boolean;
}

async function runHistory<W, L>(
  scenario: Scenario<W, L>,
  first: PlannedFault | undefined,
  second: PlannedFault | undefined,
  kinds: Map<string, 'sync' | 'async'>,
  deadlineMs: number,
  endsUnchanged: boolean,
): Promise<HistoryRun> {
  const world = await scenario.createWorld();
  const begun = { incarnation: 1, work: 'act', planned: first, kinds, deadlineMs, endsUnchanged } as const;
  const lives = [await runLife(scenario, world, begun)];
  const { calls, messages, unchanged } = lives[0]!;
  if (unchanged) return { first: calls, second: [], messages, unchanged };
  if (second)
    lives.push(await runLife(scenario, world, { incarnation: 2, work: 'recover', planned: second, kinds, deadlineMs }));
  lives.push(await runLife(scenario, world, { incarnation: lives.length + 1, work: 'recover', kinds, deadlineMs }));
  const checked = await scenario.check(world);
  return {
    first: calls,
    second: lives[1]!.calls,
    unchanged,
    messages: [...lives.flatMap((life) => life.messages), ...checked],
  };
}

function everyFault<W>(calls: readonly PortCall[], table: Scenario<W, never>['faultsFor']): PlannedFault[] {
  return calls.flatMap((call) => faultNames(call, table).map((fault) => ({ k: call.k, call: call.name, fault })));
}

interface Pair {
  readonly first: PlannedFault;
  readonly second: PlannedFault;
}

/** The pairs to run: those in `only`, or the sample. */
function choosePairs(pairs: readonly Pair[], { only, pairs: wanted }: SweepOptions): readonly Pair[] {
  const named = only?.second;
  if (named) return pairs.filter(({ second }) => second.k === named.k && second.fault === named.fault);
  if (only || !wanted) return [];
  const { seed, sample } = wanted;
  return samplePositions(pairs.length, proofSize(sample), createRandom(seed)).map((position) => pairs[position]!);
}

/** Collects violations, and whether the sought one is among them. */
function createFindings(stopAt: RegExp | undefined) {
  const violations: SweepViolation[] = [];
  let stopped = false;
  return {
    violations,
    get stopped() {
      return stopped;
    },
    report(messages: readonly string[], first?: PlannedFault, second?: PlannedFault): void {
      if (messages.length === 0) return;
      violations.push({ ...(first ?? { k: 0, call: 'none', fault: 'none' }), ...(second && { second }), messages });
      stopped ||= stopAt !== undefined && messages.some((message) => stopAt.test(message));
    },
  };
}

/** Runs the sweep; violations are in the result, and are not thrown. */
export async function runSweep<W, L>(scenario: Scenario<W, L>, options: SweepOptions = {}): Promise<SweepResult> {
  const kinds = new Map<string, 'sync' | 'async'>();
  const deadlineMs = options.deadlineMs ?? 60_000;
  const findings = createFindings(options.stopAt);
  const perPort: Record<string, { calls: number; runs: number }> = {};
  const counts = { singles: 0, pairs: 0, unchanged: 0 };
  const whole = isFullProof() || options.only !== undefined;
  const run = (first?: PlannedFault, second?: PlannedFault) =>
    runHistory(scenario, first, second, kinds, deadlineMs, !whole && second === undefined);

  const baseline = await run();
  findings.report(baseline.messages);
  for (const { port } of baseline.first) perPort[port] = { calls: (perPort[port]?.calls ?? 0) + 1, runs: 0 };

  const chosen = everyFault(baseline.first, scenario.faultsFor).filter(
    ({ k, fault }) => !options.only || (k === options.only.k && fault === options.only.fault),
  );
  const pairs: Pair[] = [];
  for (const first of chosen) {
    if (findings.stopped) break;
    const { second, messages, unchanged } = await run(first);
    if (!options.only?.second) findings.report(messages, first);
    perPort[baseline.first[first.k - 1]!.port]!.runs += 1;
    counts.singles += 1;
    if (unchanged) counts.unchanged += 1;
    if (options.pairs || options.only?.second)
      pairs.push(
        ...everyFault(unchanged ? baseline.second : second, scenario.faultsFor).map((fault) => ({
          first,
          second: fault,
        })),
      );
  }
  for (const { first, second } of choosePairs(pairs, options)) {
    if (findings.stopped) break;
    findings.report((await run(first, second)).messages, first, second);
    counts.pairs += 1;
  }

  return {
    name: scenario.name,
    calls: baseline.first,
    runs: 1 + counts.singles + counts.pairs,
    ...counts,
    pairsPossible: pairs.length,
    pairsInFull: Math.min(pairs.length, options.pairs?.sample.full ?? 0),
    perPort,
    violations: findings.violations,
    stopped: findings.stopped,
  };
}
