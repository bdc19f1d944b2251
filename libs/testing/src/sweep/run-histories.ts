/**
 * Seeded random histories: several instances of a service on one world, random requests and deliveries, any order of
 * their port calls, faults, crashes, and executors that resume after their successor has worked. One seed is one
 * history, whatever ran before it, so its seed alone replays a violation.
 */
import type { HistoryScenario, HistorySettings } from './history-scenario';
import { createPlay, playHistory } from './play-history';
import { createRandom } from './random';
import { createTape } from './tape';

export interface HistoryOptions {
  /** The seed of the first history; later ones count up. */
  readonly seed: number;
  readonly runs: number;
  /** Actions per history; default 8. */
  readonly actions?: number;
  /** Instances of the service; default 2. */
  readonly instances?: number;
  /** Chances per port call, 0 to 1. Defaults: crash 0.01, other answer 0.03, freeze 0.01. */
  readonly chances?: { readonly crash?: number; readonly fault?: number; readonly freeze?: number };
  /** Guard against a history that never ends; default 20,000 port calls. */
  readonly maxSteps?: number;
}

interface HistoryViolation {
  readonly seed: number;
  readonly messages: readonly string[];
  /** A seed identifies its history only together with these. */
  readonly injected: readonly string[];
}

export interface HistoriesResult {
  readonly name: string;
  readonly runs: number;
  readonly calls: number;
  readonly crashes: number;
  readonly faults: number;
  readonly zombies: number;
  /** A seed names its history only together with these. */
  readonly settings: HistorySettings;
  readonly violations: readonly HistoryViolation[];
}

function settingsOf({ seed: _seed, runs: _runs, chances, ...options }: HistoryOptions): HistorySettings {
  return {
    actions: 8,
    instances: 2,
    maxSteps: 20_000,
    ...options,
    chances: { crash: 0.01, fault: 0.03, freeze: 0.01, ...chances },
  };
}

/** Which methods are asynchronous, learnt by running every action once without faults, always in the same order. */
async function learnKinds<W, L>(scenario: HistoryScenario<W, L>): Promise<ReadonlyMap<string, 'sync' | 'async'>> {
  const tape = createTape();
  const world = await scenario.createWorld();
  const life = await scenario.boot(world, { tape, incarnation: 1, instance: 1 });
  const random = createRandom(0);
  for (const action of scenario.actions) await action.run(life, world, random);
  await scenario.recover(life, world);
  return tape.kinds;
}

/** Runs `runs` histories; violations are in the result, and are not thrown. */
export async function runHistories<W, L>(
  scenario: HistoryScenario<W, L>,
  options: HistoryOptions,
): Promise<HistoriesResult> {
  const settings = settingsOf(options);
  const learnt = await learnKinds(scenario);
  const total = { calls: 0, crashes: 0, faults: 0, zombies: 0 };
  const violations: HistoryViolation[] = [];
  for (let seed = options.seed; seed < options.seed + options.runs; seed += 1) {
    const play = createPlay(scenario, await scenario.createWorld(), settings, createRandom(seed), new Map(learnt));
    const messages = await playHistory(play);
    for (const name of ['calls', 'crashes', 'faults', 'zombies'] as const) total[name] += play.counts[name];
    if (messages.length > 0) violations.push({ seed, messages, injected: play.injected });
  }
  return { name: scenario.name, runs: options.runs, ...total, settings, violations };
}

/** The numbers in one line; for each violation what happened and the call that replays it. */
export function formatHistories(result: HistoriesResult): string {
  const { name, runs, calls, crashes, faults, zombies, settings, violations } = result;
  const head = `${name}: ${runs} histories, ${calls} port calls, ${crashes} crashes, ${faults} other answers, ${zombies} zombies, ${violations.length} violations`;
  const each = violations.flatMap(({ seed, messages, injected }) => [
    `  seed ${seed}`,
    ...messages.map((message) => `    ${message}`),
    ...injected.map((injection) => `    (${injection})`),
    `    replay: runHistories(scenario, ${JSON.stringify({ seed, runs: 1, ...settings })})`,
  ]);
  return [head, ...each].join('\n');
}
