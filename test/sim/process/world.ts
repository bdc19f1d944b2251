/**
 * One world of processes: its time, network and machine, the infrastructure that survives every process, and what was
 * seen. A turn is one step of one process, which then has gone as far as it can; each takes a millisecond, so that
 * everything that is observed has its own instant.
 */
import { createHash, type Hash } from 'node:crypto';
import { mintToken, type Role } from '@platform/http-server';
import type { Evidence } from '@platform/testing';
import { createClocks } from '../engine/clocks';
import { createFaults, type FaultAt, type FaultRates, type Faults } from '../engine/faults';
import { createTimeline, type Process, type Timeline } from '../engine/timeline';
import { audience, issuer, openInfrastructure, signingKey, type Infrastructure } from './infrastructure';
import { useMachine, type Machine } from './machine';
import { createNetwork, type Network } from './network';
import { releasesOf, type Releases } from './releases';
import { seedWorld } from './seed';

export interface ProcessWorld {
  readonly timeline: Timeline;
  readonly faults: Faults;
  readonly network: Network;
  readonly machine: Machine;
  readonly infrastructure: Infrastructure;
  readonly releases: Releases;
  /** The time of the world from which on the broker has had every stream again; infinite while it has none. */
  readonly topology: { completeSince: number };
  readonly consumerRuns: Evidence['consumerRuns'][number][];
  readonly guardedReads: NonNullable<Evidence['guardedReads']>[number][];
  /** What a program said of itself that it cannot explain by a fault, and what no program may let escape. */
  readonly problems: string[];
  /** Lines of the programs' logs, for people who replay a history. */
  readonly lines: string[];
  /** Called with an error that no code of a process caught. */
  readonly fatal: Map<Process, (error: unknown, origin: string) => void>;
  /** Sends a signal to a process. */
  readonly signals: Map<Process, (signal: string) => void>;
  /** Processes that were asked to end, and which of them have ended. */
  readonly stops: Map<Process, Stop>;
  /** Every step so far, in one hash. */
  readonly trace: Hash;
  /** A token of the gateway's issuer. */
  token(of: { readonly role: Role; readonly subject: string; readonly owns?: string }): Promise<string>;
}

/** An orderly end, from its signal on. */
interface Stop {
  /** No fault was injected after the signal, so the end must succeed. */
  readonly undisturbed: boolean;
  ended: boolean;
}

const linesKept = 400;
const dayMs = 86_400_000;
const stuckAfter = 200_000;

/** One step; without one, time goes on to the next timer, at most to `until`. False when neither is possible. */
export async function turn(
  world: Pick<ProcessWorld, 'machine' | 'timeline' | 'trace'>,
  until?: number,
): Promise<boolean> {
  const { machine, timeline, trace } = world;
  await machine.rest();
  if (!timeline.step()) return timeline.jump(until);
  trace.update(`${timeline.time} ${timeline.current?.incarnation ?? ''}\n`);
  timeline.leap(1);
  return true;
}

/** Lets the world go on until this work, which belongs to no process, has ended. */
export async function finish<T>(
  world: Pick<ProcessWorld, 'machine' | 'timeline' | 'trace'>,
  work: () => Promise<T>,
): Promise<T> {
  let ended: { readonly value: T } | { readonly error: unknown } | undefined;
  world.timeline.enqueue(null, () => {
    work().then(
      (value) => (ended = { value }),
      (error: unknown) => (ended = { error }),
    );
  });
  for (let turns = 0; turns < stuckAfter; turns += 1) {
    await world.machine.rest();
    if (ended && 'error' in ended) throw ended.error;
    if (ended) return ended.value;
    if (!(await turn(world))) break;
  }
  throw new Error('the world cannot go on');
}

/** Lets this much time pass. */
export async function pass(world: ProcessWorld, milliseconds: number): Promise<void> {
  const until = world.timeline.time + milliseconds;
  while (world.timeline.time < until) if (!(await turn(world, until))) return;
}

/** Errors that reach the runtime belong to the process whose step it was. */
function watchStrays(world: Pick<ProcessWorld, 'timeline' | 'fatal' | 'problems'>): () => void {
  const stray = (origin: string) => (error: unknown) => {
    const { current } = world.timeline;
    if (current?.state === 'dead') return;
    const fatal = current && world.fatal.get(current);
    if (fatal) fatal(error, origin);
    else
      world.problems.push(
        `${current?.incarnation ?? 'the world'} let escape as ${origin} ${String((error as Error).message)}`,
      );
  };
  const [rejection, exception] = [stray('unhandledRejection'), stray('uncaughtException')];
  process.on('unhandledRejection', rejection).on('uncaughtException', exception);
  return () => void process.off('unhandledRejection', rejection).off('uncaughtException', exception);
}

export interface WorldOptions {
  readonly seed: number;
  readonly rates: FaultRates;
  readonly only?: readonly FaultAt[] | undefined;
  /** The bundle of an earlier release, whose programs some processes run. */
  readonly earlier?: string | undefined;
}

export interface OpenedWorld {
  readonly world: ProcessWorld;
  /** Ends every connection and gives the machine back. */
  close(): Promise<void>;
}

export async function openWorld(options: WorldOptions): Promise<OpenedWorld> {
  // Loaded before the machine is taken: a module is read from the disk once.
  await import('jose');
  const { seed } = options;
  const timeline = createTimeline(seed);
  const releases = releasesOf(seed, () => timeline.time, options.earlier);
  const faults = createFaults(options);
  faults.cease();
  const trace = createHash('sha256');
  const network = createNetwork({ timeline, faults, trace });
  const machine = useMachine(timeline, network, { seed, clocks: createClocks(seed) });
  const base = { timeline, faults, network, machine, trace };
  const seen = { consumerRuns: [], guardedReads: [], problems: [] as string[], lines: [], fatal: new Map() };
  const unwatch = watchStrays({ ...base, ...seen });
  const close = async (): Promise<void> => {
    network.close();
    await machine.rest();
    unwatch();
    machine.release();
  };
  try {
    const infrastructure = await finish(base, () =>
      openInfrastructure(network, {
        pick: (count) => timeline.random.below(count),
        topology: releases.topology,
        repeatsEvent: () => timeline.random.next() < 0.2,
        report: (error) => seen.problems.push(`the store failed: ${String((error as Error).stack)}`),
      }),
    );
    const tokens = new Map<string, Promise<string>>();
    // Issued a day ago, so that no skewed clock takes it for one of tomorrow.
    const clock = { now: () => new Date(timeline.time - dayMs) };
    const world: ProcessWorld = {
      ...base,
      ...seen,
      signals: new Map(),
      stops: new Map(),
      ...{ infrastructure, releases, topology: { completeSince: 0 } },
      token({ role, subject, owns }) {
        const key = JSON.stringify([role, subject, owns]);
        const email = `${subject}@example.com`;
        const workspaces: Record<string, 'owner'> = owns === undefined ? {} : { [owns]: 'owner' };
        const caller = { subject, email, role, workspaces, permissions: [] };
        const known =
          tokens.get(key) ??
          mintToken({ ...{ signingKey, issuer, audience, clock, caller }, lifetimeSeconds: 2_592_000 });
        tokens.set(key, known);
        return known;
      },
    };
    await finish(world, () => seedWorld(infrastructure));
    return { world, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Keeps a line of a program's log. */
export function keepLine({ lines }: Pick<ProcessWorld, 'lines'>, line: string): void {
  lines.push(line.trimEnd());
  if (lines.length > linesKept) lines.shift();
}
