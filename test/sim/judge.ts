/**
 * The second act of some histories: investigators resolve records with an unknown outcome, of executors that are dead,
 * asleep or working, correctly and incorrectly. Services start again over these records, and sleeping executors wake.
 * The module uses a separate generator, so that the first act is the same with and without it.
 */
import { createRandom, type Random } from '@platform/testing';
import { begin, type Action, type Stage } from './world/actions';
import { planFreely } from './world/plan-actions';
import { createInvestigator, type Investigator } from './world/investigator';
import { pendingAdmissions } from './world/unresolved';
import { createWaiving, type Waiving } from './world/waiving';

const share = 0.5;
const scenesMax = 4;
const stepsPerScene = 90;
/** An executor hangs after at most this many writes of its record; a creation that is undone takes about twenty. */
const writesMax = { operator: 6, provisioning: 20 };
/** Share of scenes in which the investigator waits until no request of the sleeping executor can be in transit. */
const chanceOfPatience = 0.25;
const patienceMs = 660_000;
/**
 * Share of scenes in which the successor receives the same request again, and of scenes in which it also falls asleep.
 */
const chanceOfRepeat = 0.25;
const chanceOfTwoSleepers = 0.2;
/** Share of payment events that are resolved while their handler sleeps or works. */
const chanceOfEvent = 0.8;
/** In a scene half of the resolutions are wrong, because wrong ones exercise the fences. */
const chanceOfError = 0.5;
const stepsAtLarge = 200;
const chanceOfWaiver = 0.02;

interface Act extends Stage {
  readonly random: Random;
  readonly investigator: Investigator;
  readonly waiving: Waiving;
  /** Whether a person waives a receipt now. */
  readonly waives: () => boolean;
  /** Sometimes resolves an admitted payment event that has no outcome yet. */
  readonly judgeEvents: () => void;
  readonly stepsMax: number;
  restartedAfter: number;
}

/** Requests with ids of this act, so that they do not repeat operations that ended in the first act. */
function renamed(action: Action): Action {
  switch (action.do) {
    case 'ask': {
      const { request } = action;
      return { ...action, request: { ...request, operationId: `${request.operationId}-again` } };
    }
    case 'create': {
      const { request } = action;
      const number = Number(request.tenantId.slice(-1)) + 2;
      const user = { id: `user-${number}`, email: `user${number}@example.com` };
      return { ...action, request: { ...request, tenantId: `ws-${number}`, user } };
    }
    default:
      return action;
  }
}

interface Work {
  readonly id: string;
  readonly service: 'operator' | 'provisioning';
}

/** The record that an action creates, and the service that works on it. */
function workOf(action: Action): Work | undefined {
  if (action.do === 'ask') return { id: action.request.operationId, service: 'operator' };
  if (action.do === 'create') return { id: action.request.tenantId, service: 'provisioning' };
  return action.do === 'migrate' ? { id: action.request.migrationId, service: 'operator' } : undefined;
}

/** Counts the writes to a record that were applied since the last check. */
function countWrites({ databases }: Stage['world'], { id, service }: Work): () => number {
  const { writes } = databases[service].recorder.logs;
  let [seen, count] = [writes.length, 0];
  return () => {
    for (; seen < writes.length; seen += 1) {
      const write = writes[seen]!;
      if (write.outcome === 'applied' && (write.id === id || write.id.startsWith(`${id}:`))) count += 1;
    }
    return count;
  };
}

/** Runs this many steps, or until `between` returns true; time advances when no process can move otherwise. */
async function goOn(act: Act, steps: number, between: () => boolean | void = () => undefined): Promise<void> {
  const { world, caller, fleet, investigator, random } = act;
  for (let step = 0; step < steps && world.timeline.steps < act.stepsMax; step += 1) {
    await world.timeline.rest();
    caller.notice();
    // After a resolution every service restarts, as at the next deployment.
    if (investigator.recorded > act.restartedAfter && random.next() < 0.1) {
      act.restartedAfter = investigator.recorded;
      fleet.restartAll();
    }
    if (act.waives()) act.waiving.waive();
    act.judgeEvents();
    if (between() === true) return;
    if (!world.timeline.step()) world.timeline.jump();
  }
}

/** Considers each admission once, when it first appears. */
function createEventJudge({ world, fleet }: Stage, investigator: Investigator, random: Random): () => void {
  const seen = new Set<string>();
  return () => {
    for (const { id } of pendingAdmissions(world)) {
      if (seen.has(id)) continue;
      seen.add(id);
      if (random.next() >= chanceOfEvent) continue;
      if (random.next() < 0.8) fleet.hang(random, 'provisioning');
      investigator.judge(id, chanceOfError);
    }
  };
}

/** Lets the other processes continue for this long. */
async function passTime({ world: { timeline }, caller, stepsMax }: Act, milliseconds: number): Promise<void> {
  const until = timeline.time + milliseconds;
  while (timeline.steps < stepsMax) {
    await timeline.rest();
    caller.notice();
    if (!timeline.step() && !timeline.jump(until)) return;
  }
}

/** Sends the same request to the successor while the first executor sleeps. */
async function repeat(act: Act, action: Action): Promise<void> {
  await goOn(act, act.random.below(stepsPerScene));
  begin(act, action);
  await goOn(act, act.random.below(stepsPerScene / 2));
  act.fleet.thaw();
}

/** The successor falls asleep after reading the record, while the first executor continues. */
async function sleepToo(act: Act, work: Work | undefined): Promise<void> {
  await goOn(act, act.random.below(stepsPerScene));
  act.fleet.hang(act.random, work?.service);
  act.fleet.thaw();
  await goOn(act, act.random.below(stepsPerScene));
}

/** One piece of work that is resolved while its executor sleeps at some step, or works. */
async function playScene(act: Act, action: Action): Promise<void> {
  const { fleet, random, investigator } = act;
  const work = workOf(action);
  const most = writesMax[work?.service ?? 'operator'];
  const written = work ? countWrites(act.world, work) : () => most;
  const enough = 1 + random.below(most);
  begin(act, action);
  await goOn(act, 3 * stepsPerScene, () => written() >= enough);
  if (random.next() < 0.8) fleet.hang(random, work?.service);
  const turn = random.next();
  if (turn < chanceOfRepeat) await repeat(act, action);
  else if (turn < chanceOfRepeat + chanceOfTwoSleepers) await sleepToo(act, work);
  if (random.next() < chanceOfPatience) await passTime(act, patienceMs);
  if (turn >= chanceOfRepeat || random.next() < 0.5) investigator.judge(work?.id, chanceOfError);
  await goOn(act, random.below(stepsPerScene));
  if (random.next() < 0.5) fleet.thaw();
  await goOn(act, random.below(stepsPerScene));
}

/** An investigator resolves any open record. */
function atLarge({ fleet, world, random, investigator }: Act): void {
  const chance = random.next();
  if (chance < 0.06) investigator.judge();
  else if (chance < 0.08) fleet.hang(random);
  else if (chance < 0.11) fleet.thaw();
  else if (chance < 0.115) world.timeline.jump();
}

/** Returns the requests of this act; empty in histories without a second act. */
export async function judge(stage: Stage, seed: number, stepsMax: number): Promise<readonly Action[]> {
  const random = createRandom(seed ^ 0x6a09e667);
  if (random.next() >= share) return [];
  const investigator = createInvestigator(stage.world, random);
  const ofWaivers = createRandom(seed ^ 0x51ed270b);
  const waiving = createWaiving(stage.world, ofWaivers);
  const waives = (): boolean => ofWaivers.next() < chanceOfWaiver;
  const judgeEvents = createEventJudge(stage, investigator, createRandom(seed ^ 0x428a2f98));
  const act: Act = { ...stage, random, investigator, waiving, waives, judgeEvents, stepsMax, restartedAfter: 0 };
  const asked = planFreely(seed ^ 0x3c6ef372)
    .slice(0, 1 + random.below(scenesMax))
    .map(renamed);
  for (const action of asked) await playScene(act, action);
  await goOn(act, stepsAtLarge, () => atLarge(act));
  // Sleeping tools continue; then every service restarts once more over the recorded resolutions.
  while (investigator.thaw() || waiving.thaw()) await goOn(act, 1);
  if (investigator.recorded > 0) stage.fleet.restartAll();
  return asked;
}
