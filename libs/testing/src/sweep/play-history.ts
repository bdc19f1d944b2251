/**
 * One random history while it is played: the moves, and the driver that picks among them until nothing is left to do.
 */
import type { HistoryScenario, HistorySettings } from './history-scenario';
import type { Random } from './random';
import { createScheduler, type Runner, type Scheduler } from './scheduler';
import { createTape, type PortCall, type Tape, type TapeFault } from './tape';

interface Incarnation<L> {
  readonly instance: number;
  readonly number: number;
  readonly tape: Tape;
  readonly runner: Runner;
  life: L | undefined;
}

/** The state of one history. */
export interface Play<W, L> {
  readonly scenario: HistoryScenario<W, L>;
  readonly world: W;
  readonly settings: HistorySettings;
  readonly random: Random;
  readonly kinds: Map<string, 'sync' | 'async'>;
  readonly scheduler: Scheduler;
  readonly incarnations: Incarnation<L>[];
  /** Running work, by the incarnation that does it. */
  readonly open: Map<Promise<void>, Incarnation<L>>;
  readonly messages: string[];
  readonly injected: string[];
  readonly counts: { calls: number; crashes: number; faults: number; zombies: number };
  faultless: boolean;
}

/** A history that has not begun; `kinds` is its own copy. */
export function createPlay<W, L>(
  scenario: HistoryScenario<W, L>,
  world: W,
  settings: HistorySettings,
  random: Random,
  kinds: Map<string, 'sync' | 'async'>,
): Play<W, L> {
  const counts = { calls: 0, crashes: 0, faults: 0, zombies: 0 };
  return {
    scenario,
    world,
    settings,
    random,
    kinds,
    scheduler: createScheduler(random),
    incarnations: [],
    open: new Map(),
    messages: [],
    injected: [],
    counts,
    faultless: false,
  };
}

function boot<W, L>(play: Play<W, L>, instance: number): void {
  const number = play.incarnations.length + 1;
  const runner = play.scheduler.createRunner();
  const tape = createTape({
    kinds: play.kinds,
    beforeCall: runner.beforeCall,
    plan: (call) => planCall(play, incarnation, call),
  });
  const incarnation: Incarnation<L> = { instance, number, tape, runner, life: undefined };
  play.incarnations.push(incarnation);
  track(play, incarnation, `boot of incarnation ${number}`, async () => {
    incarnation.life = await play.scenario.boot(play.world, { tape, incarnation: number, instance });
  });
}

/** Registers the work of a life; the work of a dead life is over at once. */
function track<W, L>(play: Play<W, L>, incarnation: Incarnation<L>, what: string, work: () => Promise<void>): void {
  const { tape } = incarnation;
  const task: Promise<void> = Promise.race([Promise.resolve().then(work), tape.died])
    .catch((error: unknown) => {
      if (!tape.dead) play.messages.push(`${what} threw ${String(error)}`);
    })
    .finally(() => play.open.delete(task));
  play.open.set(task, incarnation);
}

function planCall<W, L>(play: Play<W, L>, incarnation: Incarnation<L>, call: PortCall): TapeFault | undefined {
  play.counts.calls += 1;
  if (play.faultless) return undefined;
  const { crash, fault, freeze } = play.settings.chances;
  const chance = play.random.next();
  if (chance < crash) return crashAt(play, incarnation, call);
  if (chance < crash + freeze) freezeAt(play, incarnation, call);
  else if (chance < crash + freeze + fault) return otherAnswer(play, call);
  return undefined;
}

function crashAt<W, L>(play: Play<W, L>, incarnation: Incarnation<L>, call: PortCall): TapeFault {
  const kind = play.random.pick(['crash_before', 'crash_after'] as const);
  play.counts.crashes += 1;
  play.injected.push(`incarnation ${incarnation.number}: ${kind} ${call.name}`);
  boot(play, incarnation.instance);
  return { kind };
}

/** The call itself still happens; its answer reaches the life only when it thaws, while a successor works. */
function freezeAt<W, L>(play: Play<W, L>, incarnation: Incarnation<L>, call: PortCall): void {
  play.counts.zombies += 1;
  play.injected.push(`incarnation ${incarnation.number}: frozen after ${call.name}`);
  incarnation.runner.frozen = true;
  boot(play, incarnation.instance);
}

function otherAnswer<W, L>(play: Play<W, L>, call: PortCall): TapeFault | undefined {
  const faults = play.scenario.faultsFor?.(call) ?? [];
  if (faults.length === 0) return undefined;
  const fault = play.random.pick(faults);
  play.counts.faults += 1;
  play.injected.push(`call ${call.k} ${call.name}: ${fault.name}`);
  return { kind: 'answer', answer: (invoke) => fault.answer(invoke, { world: play.world, call }) };
}

function startAction<W, L>(play: Play<W, L>): boolean {
  const able = play.incarnations.filter((each) => each.life !== undefined && !each.tape.dead && !each.runner.frozen);
  if (able.length === 0) return false;
  const incarnation = play.random.pick(able);
  const action = play.random.pick(play.scenario.actions);
  track(play, incarnation, action.name, () => action.run(incarnation.life!, play.world, play.random));
  return true;
}

function thaw<W, L>(play: Play<W, L>): boolean {
  const frozen = play.incarnations.filter((each) => each.runner.frozen);
  if (frozen.length === 0) return false;
  play.random.pick(frozen).runner.frozen = false;
  return true;
}

/** Steps until nothing is left except the work of frozen lives. */
async function drive<W, L>(play: Play<W, L>, actions: number): Promise<void> {
  let left = actions;
  for (let step = 0; step < play.settings.maxSteps; step += 1) {
    await play.scheduler.rest();
    if (left > 0 && play.random.next() < 0.2 && startAction(play)) left -= 1;
    else if (play.random.next() < 0.02) thaw(play);
    else if (!play.scheduler.step()) {
      if (left > 0 && startAction(play)) left -= 1;
      else if (left === 0 || !thaw(play)) return noteStuck(play);
    }
  }
  play.messages.push(`the history did not end within ${play.settings.maxSteps} steps`);
}

function noteStuck<W, L>(play: Play<W, L>): void {
  const stuck = [...play.open.values()].filter(({ tape, runner }) => !tape.dead && !runner.frozen);
  if (stuck.length > 0) play.messages.push(`${stuck.length} requests were never answered`);
}

async function recover<W, L>({ scenario, world, kinds, incarnations, counts, messages }: Play<W, L>): Promise<void> {
  const tape = createTape({ kinds });
  try {
    await scenario.recover(
      await scenario.boot(world, { tape, incarnation: incarnations.length + 1, instance: 0 }),
      world,
    );
  } catch (error) {
    messages.push(`recovery threw ${String(error)}`);
  }
  counts.calls += tape.calls.length;
}

/** Plays one history to its end: random work, a stop of all running lives, recovery, and finally the frozen lives. */
export async function playHistory<W, L>(play: Play<W, L>): Promise<readonly string[]> {
  for (let instance = 1; instance <= play.settings.instances; instance += 1) boot(play, instance);
  await drive(play, play.settings.actions);
  play.faultless = true;
  for (const { tape, runner } of play.incarnations) if (!runner.frozen) tape.crash();
  await recover(play);
  while (thaw(play)) await drive(play, 0);
  for (const { tape } of play.incarnations) tape.crash();
  return [...play.messages, ...(await play.scenario.check(play.world))];
}
