/**
 * Starts the parts in the order of their dependencies, in parallel where possible, and stops them in reverse. A part
 * that dies later is reported and not restarted, so that people see how the system behaves without it.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { brokerCredentials, unrestrictedUser } from './broker-users';
import { seededMarker } from './infrastructure-parts';
import { adviceAbout, assertDataKept } from './kept-data';
import { keepTopology, platformTopology } from '@platform/messaging';
import type { Part } from './part';
import { providePages } from './page-project.cjs';
import { startPart, tailOf, type RunningPart } from './part-process';
import { chooseParts, layersOf, listParts, type Choice } from './parts';
import { assertPortsFree, claimFolder, endLeftovers, removePid, supervisorName } from './pid-files';
import { waitUntilReady } from './readiness';
import type { LocalSettings } from './settings';

export interface PlatformOptions {
  readonly settings: LocalSettings;
  /** Delete all data of an earlier run. */
  readonly fresh: boolean;
  readonly choice: Choice;
  /** One line per event, for people. */
  readonly print: (line: string) => void;
  /** Aborts the start; parts that are already running are stopped. */
  readonly signal?: AbortSignal;
}

export interface Platform {
  readonly parts: () => readonly { readonly name: string; readonly pid: number; readonly running: boolean }[];
  /** SIGKILL, awaited. */
  kill(name: string): Promise<void>;
  /** Starts a part that has ended, and awaits its readiness. */
  restart(name: string): Promise<void>;
  /** Stops everything in reverse order. Safe to repeat. */
  stop(): Promise<void>;
}

interface Supervision {
  readonly settings: LocalSettings;
  readonly print: (line: string) => void;
  readonly parts: readonly Part[];
  readonly running: Map<string, RunningPart>;
  /** Parts whose process may exist already, but which are not in `running` yet. */
  readonly beginning: Set<Promise<RunningPart>>;
  /** Parts that are being stopped on purpose. */
  readonly endsExpected: Set<RunningPart>;
  /** Ends the periodic check of the topology. */
  readonly ended: AbortController;
  stopping?: Promise<void>;
}

/** The marker goes last: after an interruption, a folder that has it and lacks data is refused. */
const forgottenWhenFresh = ['nats', 'mongo', 'provider-twin.json', 'consumers', 'logs', 'pages', seededMarker] as const;

/** Throws with the reason and the end of the log when a part does not start; then all started parts are stopped. */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const { settings, choice } = options;
  const { localDir } = settings;
  // A wrong name is refused before the data of earlier runs is forgotten.
  chooseParts(listParts(settings, options.fresh), choice);
  claimFolder(localDir);
  try {
    return await startClaimed(options);
  } catch (error) {
    removePid(localDir, supervisorName);
    throw error;
  }
}

async function startClaimed({ settings, fresh, choice, print, signal }: PlatformOptions): Promise<Platform> {
  const { localDir } = settings;
  const leftovers = await endLeftovers(localDir);
  if (leftovers.length > 0) print(`ended what a killed start left behind: ${leftovers.join(', ')}`);
  if (fresh) forgottenWhenFresh.forEach((name) => rmSync(join(localDir, name), { recursive: true, force: true }));
  if (settings.pages.own) providePages({ root: settings.root, pagesDir: settings.pages.pagesDir });
  // Listed again: what was forgotten includes the keys of the consumers and the marker of the seed.
  const parts = chooseParts(listParts(settings), choice);
  assertPortsFree(parts);
  assertDataKept(localDir, parts);

  const supervision: Supervision = {
    settings,
    print,
    parts,
    running: new Map(),
    beginning: new Set(),
    endsExpected: new Set(),
    ended: new AbortController(),
  };
  try {
    await Promise.race([startInOrder(supervision), whenAborted(signal)]);
  } catch (error) {
    await stopAll(supervision);
    throw error;
  }
  keepStreams(supervision);
  return {
    parts: () =>
      [...supervision.running.values()].map((one) => ({ name: one.part.name, pid: one.pid, running: !one.hasEnded() })),
    kill: (name) => killPart(supervision, name),
    restart: (name) => restartPart(supervision, name),
    stop: () => stopAll(supervision),
  };
}

/** Each part starts as soon as its dependencies are ready. Throws the first failure at once. */
async function startInOrder(supervision: Supervision): Promise<void> {
  const ups = new Map<string, Promise<void>>();
  for (const part of layersOf(supervision.parts).flat()) {
    const needed = Promise.all(part.after.map((name) => ups.get(name)));
    ups.set(
      part.name,
      needed.then(() => bringUp(supervision, part)),
    );
  }
  await Promise.all(ups.values());
}

function whenAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(new Error('It was stopped before it was ready.')), { once: true });
  });
}

async function bringUp(supervision: Supervision, part: Part): Promise<void> {
  if (supervision.stopping) return;
  const startedAt = performance.now();
  const one = await begin(supervision, part);
  if (supervision.stopping) return;
  if (part.kind === 'once') await untilDone(supervision, one);
  else await untilServing(supervision, one);
  const name = part.name.padEnd(22);
  for (const [warning] of one.readOutput().matchAll(/^warning: .*/gm)) supervision.print(`${name} ${warning}`);
  supervision.print(
    `${name} ${part.kind === 'once' ? 'done in' : 'ready in'} ${Math.round(performance.now() - startedAt)} ms`,
  );
}

async function begin({ settings, running, beginning }: Supervision, part: Part): Promise<RunningPart> {
  const started = startPart(part, settings).then((one) => {
    running.set(part.name, one);
    return one;
  });
  beginning.add(started);
  try {
    return await started;
  } finally {
    beginning.delete(started);
  }
}

async function untilDone({ running, endsExpected }: Supervision, one: RunningPart): Promise<void> {
  endsExpected.add(one);
  const how = await one.ended;
  running.delete(one.part.name);
  if (how !== 'code 0') throw new Error(`${one.part.name} ended with ${how}:\n${tailOf(one)}`);
}

async function untilServing(supervision: Supervision, one: RunningPart): Promise<void> {
  const gone = new AbortController();
  let serving = false;
  void one.ended.then((how) => {
    gone.abort();
    if (serving && !supervision.stopping && !supervision.endsExpected.has(one)) reportDeath(supervision, one, how);
  });
  try {
    const { startTimeoutMs } = supervision.settings;
    if (one.part.readiness) await waitUntilReady(one.part.readiness, one.readOutput, startTimeoutMs, gone.signal);
    serving = true;
  } catch (error) {
    throw new Error(`${one.part.name} ${(error as Error).message}\n${tailOf(one)}${adviceAbout(one.part)}`);
  }
}

function reportDeath({ running, print }: Supervision, one: RunningPart, how: string): void {
  const others = [...running.values()].filter((other) => !other.hasEnded()).map((other) => other.part.name);
  print(`${one.part.name} ENDED with ${how}; the end of its log:\n${tailOf(one)}`);
  print(`still running: ${others.join(', ')}. Nothing is restarted by itself.`);
}

async function killPart(supervision: Supervision, name: string): Promise<void> {
  const one = named(supervision, name);
  supervision.endsExpected.add(one);
  if (!one.hasEnded()) process.kill(one.pid, 'SIGKILL');
  await one.ended;
}

async function restartPart(supervision: Supervision, name: string): Promise<void> {
  const one = named(supervision, name);
  if (!one.hasEnded()) throw new Error(`${name} still runs (process ${one.pid})`);
  await bringUp(supervision, one.part);
}

/** Like the keeper of a deployment: recreates parts of the topology that the broker loses, and reports it. */
function keepStreams({ settings, print, parts, ended }: Supervision): void {
  if (!parts.some(({ name }) => name === 'topology')) return;
  const { NATS_USER: user, NATS_PASSWORD: password } = brokerCredentials(settings, unrestrictedUser);
  void keepTopology({
    url: settings.natsUrl,
    topology: platformTopology(),
    ...(user !== undefined && password !== undefined && { credentials: { user, password } }),
    // The services report when the broker is unreachable.
    log: { error: ({ created }, message) => print(`${message}: ${String(created)}`), warn: () => undefined },
    signal: ended.signal,
  });
}

function stopAll(supervision: Supervision): Promise<void> {
  supervision.ended.abort();
  supervision.stopping ??= (async () => {
    await Promise.allSettled(supervision.beginning);
    for (const layer of layersOf(supervision.parts).reverse()) {
      await Promise.all(layer.map(({ name }) => supervision.running.get(name)?.stop()));
    }
    removePid(supervision.settings.localDir, supervisorName);
  })();
  return supervision.stopping;
}

function named({ running }: Supervision, name: string): RunningPart {
  const one = running.get(name);
  if (!one) throw new Error(`there is no part ${name}; there are ${[...running.keys()].join(', ')}`);
  return one;
}
