/**
 * Plays one history from its seed: services boot, people act, faults happen. Then all faults cease, time passes, every
 * client repeats its request, the last sleeping processes wake, and the checker judges the result.
 */
import {
  checkHistory,
  createRandom,
  formatViolations,
  weighEvidence,
  type Evidence,
  type InvariantId,
} from '@platform/testing';
import type { FaultAt, FaultRates } from './engine/faults';
import { createDays, letAMonthPass } from './days';
import { judge } from './judge';
import { begin, type Action, type Stage } from './world/actions';
import { planActions, racingOf } from './world/plan-actions';
import { gatherEvidence, unfinishedBusiness } from './world/evidence';
import { misjudgedResolutions } from './world/watched';
import { judgeByModel } from './world/refinement';
import { createCardHolders, type CardHolders } from './world/card-holders';
import { createFleet } from './world/fleet';
import { sweepEveryMs } from './world/dependencies';
import { createProviderCaller } from './world/provider-events';
import { createWorld, type World } from './world/world';
import { useVirtualTime } from './engine/virtual-time';

/** A history by its seed; with the optional fields, a smaller history that a shrinker found. */
export interface HistoryPlan {
  readonly seed: number;
  readonly actions?: readonly Action[];
  readonly faults?: readonly FaultAt[];
}

export interface HistoryResult {
  readonly plan: HistoryPlan;
  readonly violations: readonly string[];
  readonly calls: number;
  readonly steps: number;
  readonly crashes: number;
  readonly zombies: number;
  readonly faults: readonly FaultAt[];
  readonly story: readonly string[];
  readonly actions: readonly Action[];
  readonly deliveries: number;
  readonly events: number;
  readonly operations: number;
  readonly effects: number;
  /** The number of facts by which each invariant was judged. */
  readonly weights: Readonly<Record<InvariantId, number>>;
  /** The number of steps that were compared with the reference model. */
  readonly modelSteps: number;
  /** The final states of operations, creations, provider events and deliveries, one entry each. */
  readonly reached: readonly string[];
}

const chanceOfLateWipe = 0.05;
const stepsMax = 20_000;
/** When nearly every boot dies at a focused call, no process makes progress; this bounds the steps. */
const exploredStepsMax = stepsMax / 2;
const idleJumpsMax = 30;
/**
 * Long enough for a reconciliation and two rounds of the retry worker after it. The first round may announce to a
 * durable that a wiped broker does not have yet, and the lost delivery may be due only after that round.
 */
const quietMs = 1_020_000;

/** Share of the histories with concentrated faults: at a fixed fraction of the port calls, selected by name. */
const focusShare = 0.4;
const focusOneIn = 6;

/**
 * Histories with races: processes often fall asleep at a few of the port calls and wake after others have written
 * there. Meanwhile callers without an answer repeat their request.
 */
const napsOneIn = 6;
const racingRepeats = 2;

/** Every boot makes these calls; a process that never completes them plays nothing else. */
const bootCalls = 'executor_incarnations.';

/** Selects one in `oneIn` of the port calls by name; the selection is the same in every history of a seed. */
function callsAmong(salt: number, oneIn: number): (name: string) => boolean {
  const within = new Map<string, boolean>();
  const decide = (name: string): boolean => {
    let hash = salt ^ 0x811c9dc5;
    for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193) >>> 0;
    return createRandom(hash).below(oneIn) === 0;
  };
  return (name) => {
    const known = within.get(name) ?? (!name.startsWith(bootCalls) && decide(name));
    within.set(name, known);
    return known;
  };
}

function ratesOf(seed: number): FaultRates {
  const random = createRandom(seed ^ 0x1b873593);
  if (random.next() < 0.1) return { crash: 0, freeze: 0, answer: 0, late: 0.2 };
  const rates: FaultRates = {
    crash: random.pick([0, 0.004, 0.012]),
    freeze: random.pick([0, 0.002, 0.006]),
    answer: random.pick([0.004, 0.012, 0.03]),
    late: random.pick([0, 0.1, 0.3]),
  };
  const focus = createRandom(seed ^ 0x5be0cd19);
  const racing = racingOf(seed);
  return {
    ...rates,
    ...(focus.next() < focusShare && { focus: callsAmong(focus.below(2 ** 31), focusOneIn) }),
    ...(racing && { naps: callsAmong(racing.below(2 ** 31), napsOneIn) }),
  };
}

/** Continues until no process can move unless time passes; `lastStep` limits the cost of a livelock. */
async function untilQuiet({ world, caller }: Stage, lastStep = stepsMax): Promise<void> {
  for (;;) {
    await world.timeline.rest();
    caller.notice();
    if (!world.timeline.step()) return;
    if (world.timeline.steps > lastStep) throw new Error(`the history did not end within ${lastStep} steps`);
  }
}

async function explore(
  stage: Stage,
  actions: readonly Action[],
  seed: number,
  holders: CardHolders | null,
): Promise<void> {
  const { world, fleet, caller, underWay } = stage;
  const { timeline } = world;
  const left = [...actions];
  const letDaysPass = createDays(stage, seed);
  for (let idleJumps = 0; idleJumps < idleJumpsMax && timeline.steps < exploredStepsMax;) {
    await timeline.rest();
    caller.notice();
    letDaysPass(actions.slice(0, actions.length - left.length));
    if (holders) await holders.mayAct();
    const chance = timeline.random.next();
    if (chance < 0.05 && left.length > 0) begin(stage, left.shift()!);
    else if (chance < 0.06) fleet.thaw();
    else if (chance < 0.064) timeline.jump();
    else if (!timeline.step()) {
      if (left.length > 0) begin(stage, left.shift()!);
      else if (underWay.size === 0 || !timeline.jump()) return;
      else idleJumps += 1;
    }
  }
}

/**
 * Faults cease: time passes, undelivered events arrive, every client repeats its request, and sleeping processes wake.
 */
async function recover(stage: Stage, actions: readonly Action[], holders: CardHolders | null): Promise<void> {
  const { world, fleet, caller } = stage;
  const { timeline } = world;
  // Dozens of processes that slept through the faults still have work to finish, so the end gets as many steps as
  // everything before it.
  const lastStep = timeline.steps + stepsMax;
  world.faults.cease();
  timeline.direct = timeline.random.next() < 0.8;
  if (timeline.random.next() < 0.4) fleet.restartAll();
  const askAgain = (): void => {
    for (const action of actions) if (action.do === 'ask' || action.do === 'migrate') begin(stage, action);
  };
  const pass = async (milliseconds: number): Promise<void> => {
    const until = timeline.time + milliseconds;
    do {
      await untilQuiet(stage, lastStep);
      if (holders) await holders.actAtLast();
    } while (timeline.jump(until));
  };
  await pass(5_000);
  caller.deliverAgain();
  askAgain();
  await pass(60_000);
  // Work that needs a reconciliation gets the time for one; most histories are complete long before.
  if ((await violationsOf(world)).length > 0 || timeline.random.next() < 0.1) {
    await pass(quietMs);
    askAgain();
    await pass(60_000);
  }
  if (timeline.random.next() < 0.1) {
    world.broker.redeliverAll();
    await untilQuiet(stage, lastStep);
  }
  // After all work is complete the broker may still lose everything; copies of the records are restored (law 7).
  if (timeline.random.next() < chanceOfLateWipe) {
    world.broker.wipe();
    await pass(quietMs);
  }
  if (fleet.thaw()) {
    do await untilQuiet(stage, lastStep);
    while (fleet.thaw());
    await pass(sweepEveryMs);
    // The last write may need another round of the retry worker.
    if ((await violationsOf(world)).length > 0) await pass(quietMs);
  }
  // A payment that came to its end last is looked at by the next round.
  if (holders) await pass(quietMs);
  const stuck = stage.underWay.size;
  if (stuck > 0) world.problems.push(`${stuck} requests were never answered`);
}

async function violationsOf(world: World, evidence: Evidence = gatherEvidence(world)): Promise<string[]> {
  return [
    ...formatViolations(checkHistory(evidence)),
    ...(await unfinishedBusiness(world)),
    ...(await misjudgedResolutions(world)),
    ...world.problems,
  ];
}

export async function playHistory(plan: HistoryPlan): Promise<HistoryResult> {
  const { seed } = plan;
  const actions = plan.actions ?? planActions(seed);
  const world = await createWorld({ seed, rates: ratesOf(seed), only: plan.faults });
  const release = useVirtualTime(world.timeline);
  const fleet = createFleet(world);
  const caller = createProviderCaller(world, fleet);
  const stage: Stage = { world, fleet, caller, underWay: new Set(), repeats: racingOf(seed) ? racingRepeats : 0 };
  try {
    // A first boot makes the same calls every time; boots after crashes are played call by call.
    world.timeline.direct = true;
    fleet.start();
    await untilQuiet(stage);
    fleet.startConsumers();
    await untilQuiet(stage);
    world.timeline.direct = false;
    const holders = createCardHolders(world, caller, seed);
    await explore(stage, actions, seed, holders);
    letAMonthPass(stage, seed, actions);
    const asked = await judge(stage, seed, stepsMax);
    await recover(stage, [...actions, ...asked], holders);
  } catch (error) {
    world.problems.push(String(error));
  } finally {
    release();
  }
  const evidence = gatherEvidence(world);
  const refinement = judgeByModel(world);
  const violations = [...(await violationsOf(world, evidence)), ...refinement.violations];
  const { calls, injected, story } = world.faults;
  const { crashes, zombies } = fleet.counts;
  const reached = [
    ...world.marks,
    ...world.resolved.map((kind) => `resolution: ${kind}`),
    ...evidence.operations.map(({ action, status }) => `${action}: ${status}`),
    ...evidence.deliveries.map(({ status }) => `delivery: ${status}`),
    ...(evidence.migrations ?? []).flatMap(({ status, items }) => [
      `migration: ${status}`,
      ...items.map((item) => `migrated workspace: ${item.status}`),
    ]),
    ...(evidence.webhooks ?? []).map(({ result }) => `provider event: ${result}`),
  ];
  return {
    plan,
    violations,
    reached,
    calls,
    crashes,
    zombies,
    story,
    actions,
    steps: world.timeline.steps,
    faults: injected,
    deliveries: world.broker.deliveries,
    events: stage.caller.events,
    operations: evidence.operations.length,
    effects: evidence.ledger.length,
    weights: weighEvidence(evidence),
    modelSteps: refinement.judged,
  };
}
