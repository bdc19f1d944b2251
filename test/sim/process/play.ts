/**
 * Plays one history of processes from its seed: the services' own programs boot, people act, processes and connections
 * fail. Then all faults cease, processes that died boot again, callers repeat their requests, and what was seen is
 * judged.
 */
import { checkHistory, createRandom, formatViolations, weighEvidence } from '@platform/testing';
import { outsideEvidence } from '../../chaos/observer/outside-evidence';
import type { FaultAt, FaultRates } from '../engine/faults';
import type { HistoryResult } from '../play-history';
import type { Action } from '../world/actions';
import { supervise, type Fleet } from '../world/fleet';
import { planFreely } from '../world/plan-actions';
import { services } from '../world/world';
import { accessCopiesOf, staleCopies } from './access-copies';
import { acknowledgedTooEarly } from './early-acks';
import { bootIn } from './boot';
import { deathAtCommit, lossAtCommit, orderlyEnd } from './claims';
import { deadLettersOf } from './dead-letters';
import { addressOf } from './infrastructure';
import { observe, unfinished } from './observe';
import { begin, calmProvider, mistaken, moodOf, strike, upsetProvider, type Mood, type Stage } from './people';
import { roll } from './roll';
import { leftBy, playLastScene, type Deployment } from './last-scene';
import { serving, stop } from './stops';
import { saidByNoBroker } from './unsaid';
import { finish, openWorld, pass, turn, type ProcessWorld } from './world';

export interface ProcessPlan {
  readonly seed: number;
  readonly actions?: readonly Action[];
  readonly faults?: readonly FaultAt[];
  /** The bundle of an earlier release, whose programs some processes run. */
  readonly earlier?: string | undefined;
}

export interface ProcessResult extends HistoryResult {
  /** The hash of every step and of everything that was seen: equal for two histories that were the same. */
  readonly digest: string;
  readonly answers: readonly string[];
  /** Warnings and errors of the programs, the last ones. */
  readonly lines: readonly string[];
  /** Processes that ended in an orderly way. */
  readonly ends: number;
  /** Milliseconds that passed in the history. */
  readonly lasted: number;
}

/** The share of histories in which the provider fails now and then, and the chance that it does before a request. */
const upsetShare = 0.4;
const chanceOfUpset = 0.35;
const chanceOfStrike = { any: 0.5, deaths: 0.8, losses: 0.8, stops: 0.6 } as const;
/** The share of histories in which callers send the same request once more when the platform works again. */
const repeatingShare = 0.5;
/** The share of these requests that have other values than before. */
const shareOfMistakes = 0.5;
const bootTurnsMax = 60_000;
const turnsMax = 60_000;
/** About as long as an operation without a fault takes. */
const busySteps = 600;
/**
 * Within this time every service has had two rounds of what it repeats to finish the work of others, the longest of which
 * comes once a minute.
 */
const recoveryMs = 130_000;
const sliceMs = 26_000;
const thawMs = 20_000;

/**
 * Faults are chosen at every arrival of bytes, of which a history has thousands; `busy` says whether a request was sent
 * a short while ago, and then each is several times as likely.
 */
function ratesOf(seed: number, busy: () => boolean): FaultRates {
  const random = createRandom(seed ^ 0x1b873593);
  if (random.next() < 0.1) return { crash: 0, freeze: 0, answer: 0, late: 0 };
  return {
    crash: random.pick([0, 0.0003, 0.001]),
    freeze: random.pick([0, 0.0002, 0.0006]),
    answer: random.pick([0.0003, 0.001, 0.003]),
    late: random.pick([0, 0.005, 0.02]),
    focus: busy,
  };
}

async function untilServed(world: ProcessWorld): Promise<void> {
  const served = (): boolean => services.every((service) => world.network.isServed(addressOf(service, 1).port));
  for (let turns = 0; turns < bootTurnsMax && !served(); turns += 1) if (!(await turn(world))) break;
  if (!served()) throw new Error(`the services did not boot: ${world.lines.slice(-3).join(' | ')}`);
}

/** Boots everything without a fault: each history begins with a platform that works. */
async function start(world: ProcessWorld, fleet: Fleet): Promise<void> {
  fleet.start();
  await untilServed(world);
  fleet.startConsumers();
  await pass(world, 3_000);
}

interface Weather {
  /** False in the histories in which nothing fails. */
  readonly rough: boolean;
  readonly mood: Mood;
  /** Whether callers repeat their requests at the end. A repeat also finishes what was left of the first one. */
  readonly repeats: boolean;
  /** A request was sent: for a while, faults are likelier. */
  readonly becomesBusy: () => void;
}

/** What waits for a change of the work that begins must not come after it. */
const waitsForChange = (mood: Mood): boolean => mood === 'deaths' || mood === 'losses';

async function explore(stage: Stage, actions: readonly Action[], { rough, mood, becomesBusy }: Weather): Promise<void> {
  const { world, fleet, underWay } = stage;
  const { random } = world.timeline;
  const left = [...actions];
  const upsets = rough && random.next() < upsetShare;
  const strikes: number[] = [];
  const until = world.timeline.steps + turnsMax;
  let idle = 0;
  while (world.timeline.steps < until) {
    await world.machine.rest();
    const chance = random.next();
    if (chance < 0.01 && left.length > 0) {
      if (upsets && random.next() < chanceOfUpset) upsetProvider(world);
      begin(stage, left.shift()!);
      becomesBusy();
      if (left.length <= actions.length / 2) await roll(world);
      if (rough && random.next() < chanceOfStrike[mood])
        strikes.push(world.timeline.steps + (waitsForChange(mood) ? 0 : random.below(busySteps)));
    } else if (chance < 0.0108) fleet.thaw();
    if (strikes.some((at) => at <= world.timeline.steps)) {
      strikes.splice(0, strikes.length, ...strikes.filter((at) => at > world.timeline.steps));
      strike(world, fleet, mood);
    }
    if (left.length === 0 && underWay.size === 0) idle += 1;
    if (idle > 800) return;
    await turn(world);
  }
}

/** Faults cease, and the platform gets the time that its own sweeps need. */
async function recover(stage: Stage, actions: readonly Action[], repeats: boolean): Promise<void> {
  const { world, fleet } = stage;
  world.faults.cease();
  world.network.outages.heal();
  await finish(world, () => calmProvider(world));
  const restart = world.timeline.random.next();
  if (restart < 0.2) fleet.restartAll();
  else if (restart < 0.4) for (const process of serving(world)) stop(world, process);
  await pass(world, 6_000);
  if (repeats) await repeatAll(stage, actions);
  await settle(world);
  let woken = false;
  while (fleet.thaw()) {
    woken = true;
    await pass(world, thawMs);
  }
  if (woken) await settle(world);
}

/**
 * Every caller asks again. A person who creates a workspace again has another one, with the same card. When all has its
 * end, some ask with other values by mistake.
 */
async function repeatAll(stage: Stage, actions: readonly Action[]): Promise<void> {
  for (const action of actions) if (action.do === 'ask' || action.do === 'create') begin(stage, action);
  await settle(stage.world);
  for (const action of actions)
    if (action.do === 'ask' && stage.world.timeline.random.next() < shareOfMistakes) begin(stage, mistaken(action));
}

/** Passes time until nothing is wrong any more that time could end, at most {@link recoveryMs}. */
async function settle(world: ProcessWorld): Promise<void> {
  for (let passed = 0; passed < recoveryMs; passed += sliceMs) {
    await pass(world, sliceMs);
    if ((await look(world)).violations.length === 0) return;
  }
}

async function look(world: ProcessWorld) {
  const observed = await finish(world, () => observe(world));
  const { broker } = world.infrastructure;
  const accessCopies = accessCopiesOf(broker);
  const evidence = { ...outsideEvidence(observed), guardedReads: world.guardedReads, accessCopies };
  const said = [...saidByNoBroker(observed, broker), ...acknowledgedTooEarly(observed, broker)];
  const left = [...unfinished(observed), ...staleCopies(observed, broker), ...deadLettersOf(broker), ...said];
  const violations = [...formatViolations(checkHistory(evidence)), ...left, ...world.problems];
  return { observed, evidence, violations };
}

async function judge(world: ProcessWorld, deployment: Deployment | undefined) {
  const { observed, evidence, violations: seen } = await look(world);
  const violations = [...seen, ...(deployment ? leftBy(deployment, observed, world.network.arrivals) : [])];
  world.trace.update(
    JSON.stringify([observed.changes, observed.ledger, observed.alerts, observed.messages, violations]),
  );
  return { observed, evidence, violations };
}

async function playIn(world: ProcessWorld, plan: ProcessPlan, weather: Weather): Promise<Omit<ProcessResult, 'plan'>> {
  const startedAt = world.timeline.time;
  const actions = plan.actions ?? planFreely(plan.seed);
  const fleet = supervise(world, bootIn(world));
  const stage: Stage = { world, fleet, underWay: new Set(), answers: [] };
  await start(world, fleet);
  world.faults.begin();
  await explore(stage, actions, weather);
  await recover(stage, actions, weather.repeats);
  const deployment = await playLastScene(stage, plan.seed);
  await settle(world);
  const { observed, evidence, violations } = await judge(world, deployment);
  const { calls, injected, story } = world.faults;
  const { sprung } = world.network.outages;
  const ended = [...world.stops.values()].filter((each) => each.ended);
  return {
    violations,
    digest: world.trace.digest('hex'),
    answers: stage.answers,
    lines: world.lines,
    lasted: world.timeline.time - startedAt,
    calls,
    steps: world.timeline.steps,
    crashes: fleet.counts.crashes - ended.length,
    ends: ended.length,
    zombies: fleet.counts.zombies,
    faults: injected,
    story,
    actions,
    deliveries: evidence.consumerRuns.length,
    events: (evidence.webhooks ?? []).length,
    operations: evidence.operations.length,
    effects: evidence.ledger.length,
    weights: weighEvidence(evidence),
    modelSteps: 0,
    reached: [
      ...evidence.operations.map(({ action, status }) => `${action}: ${status}`),
      ...evidence.deliveries.map(({ status }) => `delivery: ${status}`),
      ...(evidence.webhooks ?? []).map(({ result }) => `provider event: ${result}`),
      ...stage.answers.map((answer) => `answer: ${answer}`),
      ...ended.map(({ undisturbed }) => (undisturbed ? orderlyEnd : 'orderly end among faults')),
      ...Array.from({ length: sprung.death }, () => deathAtCommit),
      ...Array.from({ length: sprung.loss }, () => lossAtCommit),
      ...world.releases.reached(observed),
    ],
  };
}

export async function playProcesses(plan: ProcessPlan): Promise<ProcessResult> {
  const busy = { until: 0, now: () => 0 };
  const rates = ratesOf(plan.seed, () => busy.now() < busy.until);
  const { world, close } = await openWorld({
    ...{ seed: plan.seed, rates, only: plan.faults, earlier: plan.earlier },
  });
  busy.now = () => world.timeline.steps;
  const weather: Weather = {
    rough: rates.focus !== undefined,
    mood: moodOf(plan.seed),
    repeats: createRandom(plan.seed ^ 0x428a2f98).next() < repeatingShare,
    becomesBusy: () => void (busy.until = world.timeline.steps + busySteps),
  };
  try {
    return { plan, ...(await playIn(world, plan, weather)) };
  } finally {
    await close();
  }
}
