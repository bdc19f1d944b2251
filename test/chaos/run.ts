/** One chaos run from the start of the platform to the verdict. */
import {
  checkHistory,
  formatJudged,
  formatViolations,
  judgedBy,
  weighEvidence,
  type Evidence,
  type Minimums,
} from '@platform/testing';
import { createGatewayClient } from '../../infra/local/demo/gateway-client';
import { createTwinClient } from '../../infra/local/demo/twin-client';
import { findRoot } from '../../infra/local/settings';
import { settingsOf } from '../support/platform';
import { startDashboard } from './dashboard';
import { startLoad, type ReportedAnswer } from './load';
import { openBooks } from './migration-books';
import { startObservedPlatform, type ObservedPlatform } from './observer/observed-platform';
import { outsideEvidence } from './observer/outside-evidence';
import { createOutageCounts, playOutages, type OutageCounts } from './outages';
import { plantWorkspace, playPlanted } from './planted-scenes';
import { untilAtRest, untilQuiet } from './quiet';
import { playTime } from './time-scenes';
import { playZombie, settleZombie } from './zombie';

export interface RunOptions {
  readonly seconds: number;
  readonly seed: number;
  readonly clients: number;
  /** The scenes to play, of `zombie`, `outages`, `time` and `planted`. */
  readonly scenes: ReadonlySet<string>;
  readonly portBase: number;
  readonly show: (line: string) => void;
  readonly keep: (name: string, figures: object) => void;
}

const tenantIds = ['acme', 'globex', 'initech'];
/** One redelivered event in this many: the provider may deliver each of them twice at once. */
const oneEventTwiceIn = 2;

/**
 * The invariants that a run with every scene claims to judge, with the facts that it must have seen. Only the
 * simulation judges I15, because no guarded reads are made here.
 */
const claims: Minimums = {
  ...{ I1: 50, I2: 50, I3: 3, I4: 50, I5: 2, I6: 4, I7: 200, I8: 4, I9: 4, I10: 40, I11: 1, I12: 2, I13: 3, I14: 20 },
  ...{ I16: 1, I17: 1, I18: 50 },
};
const allScenes = ['zombie', 'outages', 'time', 'planted'];

function tally(values: Iterable<string>): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([value, count]) => `${value} ${count}`)
    .join(', ');
}

interface Verdict {
  readonly violations: readonly string[];
  readonly notJudged: readonly string[];
}

function report(evidence: Evidence, answers: readonly ReportedAnswer[], { show, scenes }: RunOptions): Verdict {
  const violations = formatViolations(checkHistory(evidence));
  const judged = judgedBy(weighEvidence(evidence), claims);
  show(
    `\nanswers:    ${tally(answers.map(({ status, code }) => (status === 0 ? 'lost' : `${status}${code ? ` ${code}` : ''}`)))}`,
  );
  show(`operations: ${tally(evidence.operations.map(({ action, status }) => `${action} ${status}`))}`);
  show(
    `seen:       ${evidence.writes?.length ?? 0} writes, ${evidence.sends?.length ?? 0} requests to the provider, ${evidence.ledger.length} effects, ${evidence.answers.length} answers, ${evidence.deliveries.length} deliveries, ${evidence.webhooks?.length ?? 0} provider events, ${evidence.alerts.length} alerts`,
  );
  formatJudged(judged).forEach(show);
  show(`violations: ${violations.length}`);
  violations.slice(0, 40).forEach((line) => show(`  ${line}`));
  const complete = allScenes.every((scene) => scenes.has(scene));
  return { violations, notJudged: complete ? judged.flatMap(({ id, judged: enough }) => (enough ? [] : [id])) : [] };
}

interface Played {
  readonly answers: readonly ReportedAnswer[];
  readonly counts: OutageCounts;
  readonly evidence: Evidence;
}

async function playScenes(stage: ObservedPlatform, options: RunOptions): Promise<Played> {
  const { platform, clocks, collector, tail } = stage;
  const { seed, seconds, clients, scenes, portBase, show } = options;
  const token = await platform.token({ role: 'platform_owner' });
  const gateway = createGatewayClient(stage.gatewayUrls[0]!, token);
  const newcomer = async (email: string) =>
    createGatewayClient(stage.gatewayUrls[0]!, await platform.token({ role: 'user', email }));
  const settings = settingsOf({ portBase, localDir: platform.localDir });
  const twin = createTwinClient(platform.twinUrl, settings.secrets.providerKey);
  const counts = createOutageCounts();
  const books = await openBooks(platform);
  // A gateway that a scene starts beside the platform is observed like the platform's own.
  const environment = { ...clocks.environment, STRIPE_API_BASE: stage.provider.url };
  try {
    if (scenes.has('planted')) await plantWorkspace(settings, seed);
    const load = startLoad({ gateway, newcomer, tenantIds, clients, seed });
    const dashboard = startDashboard(load.answers, counts, seconds);
    let zombie;
    try {
      if (scenes.has('zombie')) {
        show('the gateway is frozen under load, and its successor starts');
        zombie = await playZombie({ platform, gateway, books, settings, environment, seed });
      }
      const restoreBroker = () => collector.restoreBroker();
      const outages = scenes.has('outages')
        ? playOutages({ platform, twin, seed, seconds, counts, restoreBroker })
        : undefined;
      await Promise.race([outages, tail.failed].filter((each) => each !== undefined));
    } finally {
      dashboard.stop();
      await load.stop();
    }
    const scene = { platform, gateway, twin, clocks, seed, show };
    if (scenes.has('time')) await playTime(scene);
    const handlerRuns = scenes.has('planted')
      ? await playPlanted({ ...scene, books, tail, settings, environment }, token)
      : undefined;
    // A run that does not become quiescent is not judged as quiescent.
    const atRest = await untilQuiet(gateway);
    if (zombie) await settleZombie(books, zombie);
    show(atRest ? 'everything works; what was interrupted has its time to end' : 'operations are still under way');
    const observed = await untilAtRest(() => stage.observed({ atRest, ...(handlerRuns && { handlerRuns }) }));
    return { answers: load.answers, counts, evidence: outsideEvidence(observed) };
  } finally {
    await books.close();
  }
}

/** Returns the exit code: 0 when nothing was broken and everything that is claimed was judged. */
export async function playRun(options: RunOptions, localDir: string): Promise<number> {
  const { show, keep, seconds, seed, clients, portBase } = options;
  const stage = await startObservedPlatform({
    ...{ root: findRoot(__dirname), portBase, localDir },
    repeatsEvent: (count) => count % oneEventTwiceIn === 0,
  });
  try {
    const { answers, counts, evidence } = await playScenes(stage, options);
    const list = (named: ReadonlyMap<string, number>): string =>
      [...named].map(([name, count]) => `${name} ${count}`).join(', ');
    show(`\nkills:      ${[...counts.kills.values()].reduce((sum, count) => sum + count, 0)} (${list(counts.kills)})`);
    show(`wipes:      ${counts.wipes}; provider faults: ${counts.faultsLaid} (${list(counts.faults)})`);
    const { violations, notJudged } = report(evidence, answers, options);
    keep('chaos', {
      ...{ seconds, seed, clients, violations, notJudged },
      kills: Object.fromEntries(counts.kills),
      wipes: counts.wipes,
      faults: Object.fromEntries(counts.faults),
      weights: weighEvidence(evidence),
      answers: answers.length,
      operations: evidence.operations.length,
      effects: evidence.ledger.length,
      deliveries: evidence.deliveries.length,
      events: evidence.webhooks?.length ?? 0,
      alerts: evidence.alerts.length,
    });
    const passed = violations.length === 0 && notJudged.length === 0;
    show(passed ? 'PASSED' : `FAILED${notJudged.length > 0 ? `: not judged: ${notJudged.join(' ')}` : ''}`);
    return passed ? 0 : 1;
  } finally {
    await stage.stop();
  }
}
