/**
 * `npm run chaos`: the whole platform as processes under load, its parts killed one after the other, one of them frozen
 * past its successor's start, the broker's disk wiped once, provider answers lost; afterwards the one history checker
 * reads what is left. The seed fixes load and outages, not the timing between processes.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exitCodes, runCommand, type CommandValues } from '@platform/command-line';
import { checkableInvariants, checkHistory, formatViolations, type Evidence } from '@platform/testing';
import { createGatewayClient } from '../../infra/local/demo/gateway-client';
import { createTwinClient } from '../../infra/local/demo/twin-client';
import { findRoot } from '../../infra/local/settings';
import { startPlatform, type TestPlatform } from '../support/platform';
import { collectAlerts } from './alerts';
import command from './chaos.command.cjs';
import { startDashboard } from './dashboard';
import { gatherEvidence, untilQuiet } from './gather-evidence';
import { judgedEvidence } from './judged-evidence';
import { startLoad, type ToldAnswer } from './load';
import { openBooks } from './migration-books';
import { startObserver } from './observe';
import { createOutageCounts, playOutages } from './outages';
import { playZombie, settingsOf, settleZombie } from './zombie';

const portBase = 14_000;
const tenantIds = ['acme', 'globex', 'initech'];

function show(line: string): void {
  process.stdout.write(`${line}\n`);
}

function tally(values: Iterable<string>): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([value, count]) => `${value} ${count}`)
    .join(', ');
}

function report(evidence: Evidence, answers: readonly ToldAnswer[]): number {
  const violations = formatViolations(checkHistory(evidence));
  show(
    `\nanswers:    ${tally(answers.map(({ status, code }) => (status === 0 ? 'lost' : `${status}${code ? ` ${code}` : ''}`)))}`,
  );
  show(`operations: ${tally(evidence.operations.map(({ action, status }) => `${action} ${status}`))}`);
  show(
    `effects:    ${evidence.ledger.length}; deliveries: ${evidence.deliveries.length}; provider events: ${evidence.webhooks?.length ?? 0}; alerts: ${evidence.alerts.length}`,
  );
  const { transitionLog = [], reservations } = evidence;
  show(
    `observed:   ${transitionLog.filter(({ change }) => change === 'cleared').length} transitions cleared; reservations: ${reservations?.taken.length ?? 0} taken, ${reservations?.standing.length ?? 0} standing, ${reservations?.released.length ?? 0} released with a record`,
  );
  show(`checked:    ${checkableInvariants(evidence).join(' ')}`);
  show(`violations: ${violations.length}`);
  violations.forEach((line) => show(`  ${line}`));
  return evidence.operations.length > 0 && violations.length === 0 ? 0 : 1;
}

interface Options {
  readonly seconds: number;
  readonly seed: number;
  readonly clients: number;
}

function optionsOf({ minutes, seconds, seed, clients }: CommandValues<typeof command>): Options {
  return {
    seconds: minutes === undefined ? seconds : minutes * 60,
    seed: seed ?? (Date.now() % 100_000) + 1,
    clients,
  };
}

async function run(platform: TestPlatform, { seconds, seed, clients }: Options): Promise<number> {
  const gateway = createGatewayClient(platform.gatewayUrl, await platform.token({ role: 'platform_owner' }));
  const newcomer = async (email: string) =>
    createGatewayClient(platform.gatewayUrl, await platform.token({ role: 'user', email }));
  const collector = await collectAlerts(platform.natsUrl);
  const counts = createOutageCounts();
  const books = await openBooks(platform);
  const observer = await startObserver(platform.mongodbUrl);
  const load = startLoad({ gateway, newcomer, tenantIds, clients, seed });
  show('the gateway is frozen under load, and its successor starts');
  const zombie = await playZombie(platform, gateway, books, settingsOf(platform, portBase), seed);
  const dashboard = startDashboard(load.answers, counts, seconds);
  try {
    const outages = playOutages({
      platform,
      twin: createTwinClient(platform.twinUrl),
      seed,
      seconds,
      counts,
      restoreBroker: () => collector.restoreBroker(),
    });
    await Promise.race([outages, observer.failed]);
    await load.stop();
    await untilQuiet(gateway);
    await settleZombie(books, zombie);
    await observer.stop();
  } finally {
    dashboard.stop();
  }
  const list = (named: ReadonlyMap<string, number>): string =>
    [...named].map(([name, count]) => `${name} ${count}`).join(', ');
  show(`\nkills:      ${[...counts.kills.values()].reduce((sum, count) => sum + count, 0)} (${list(counts.kills)})`);
  show(`wipes:      ${counts.wipes}; provider faults: ${counts.faultsLaid} (${list(counts.faults)})`);
  const evidence = await gatherEvidence(platform, gateway, {
    told: load.answers,
    alerts: collector.alerts,
    observed: await judgedEvidence(platform, books, observer, zombie),
  });
  await Promise.all([collector.close(), books.close()]);
  const changed = zombie.writes.filter(
    ({ expectedRevision, outcome }) => expectedRevision !== null && outcome === 'applied',
  ).length;
  show(
    `zombie:     ${zombie.migrationId}: woke with the answer of one of ${zombie.captured.length} workspaces, found itself stale; records that it changed over its successor: ${changed}`,
  );
  const code = report(evidence, load.answers);
  keep({
    seconds,
    seed,
    clients,
    kills: Object.fromEntries(counts.kills),
    wipes: counts.wipes,
    faults: Object.fromEntries(counts.faults),
    answers: load.answers.length,
    operations: evidence.operations.length,
    effects: evidence.ledger.length,
    deliveries: evidence.deliveries.length,
    events: evidence.webhooks?.length ?? 0,
    alerts: evidence.alerts.length,
    violations: formatViolations(checkHistory(evidence)),
  });
  show(code === 0 ? 'PASSED' : 'FAILED');
  return code;
}

/** Figures for the report, where the benches keep theirs. */
function keep(figures: object): void {
  const folder = join(findRoot(__dirname), '.local', 'bench');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'chaos.json'),
    `${JSON.stringify({ at: new Date().toISOString(), ...figures }, null, 2)}\n`,
  );
}

async function play(options: Options): Promise<number> {
  show(`chaos for ${options.seconds} s with ${options.clients} clients, --seed ${options.seed}`);
  const localDir = mkdtempSync(join(tmpdir(), 'workspace-platform-chaos-'));
  let code = 1;
  try {
    const platform = await startPlatform({ portBase, localDir });
    try {
      code = await run(platform, options);
    } finally {
      await platform.stop();
    }
  } finally {
    if (code === 0) rmSync(localDir, { recursive: true, force: true });
    else show(`logs and data of this run are kept in ${localDir}`);
  }
  return code;
}

/** A run that broke off says where. */
function describe(error: unknown) {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { text, code: exitCodes.failed };
}

// Clients, collector and observer of a run that broke off would go on without a platform.
void runCommand(command, ({ values }) => play(optionsOf(values)), { describe, exit: true });
