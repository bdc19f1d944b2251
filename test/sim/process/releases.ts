/**
 * Two releases side by side: some processes of a history run the programs of an earlier commit, on the same store,
 * broker and provider. What an incarnation runs is drawn apart from everything else in the seed, so that the weather of
 * a history is the same with one release and with two.
 *
 * Where both declare the same topology, either may boot at any time, also the earlier one after the later one. Otherwise
 * a history begins with the earlier release alone, on its topology. While people are at work the topology is applied and
 * the services roll (`roll.ts`), and no process of the earlier release boots any more.
 */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Observed } from '../../chaos/observer/outside-evidence';
import type { Process } from '../engine/timeline';
import { services, type ServiceName } from '../world/world';
import * as present from './services';

/** What a bundle of programs exports. */
type Release = Pick<typeof present, 'programs' | 'topology'>;

export interface Releases {
  /** The topology with which the history begins. */
  readonly topology: ReturnType<Release['topology']>;
  programsOf(process: Process): Release['programs'];
  /** The program of this process works. */
  booted(process: Process): void;
  /** No process may run the later programs yet, because the broker has the topology of the earlier ones. */
  readonly awaitsRolling: boolean;
  /** From now on every process that boots runs the later programs. */
  rolled(): void;
  /** What was played of the two releases; empty where there is one. */
  reached(observed: Pick<Observed, 'changes'>): readonly string[];
}

interface Boot {
  readonly service: ServiceName;
  readonly instance: string;
  readonly at: number;
  readonly isEarlier: boolean;
  /** False until its program works. */
  isReady: boolean;
}

/** A record on which executors of both releases have worked, one after the other. */
const handedOver = 'record that both releases have worked on';
export const bootOf = (service: ServiceName, isEarlier: boolean): string =>
  `boot of ${service} ${isEarlier ? 'of the earlier release' : 'of this one'}`;

/** True for about half of the processes of a seed. */
const isDrawn = (seed: number, { incarnation }: Process): boolean =>
  createHash('sha256').update(`${seed} ${incarnation}`).digest()[0]! < 128;

/** `earlier`: the bundle of the earlier programs. It is read from the disk here, before the machine is replaced. */
export function releasesOf(seed: number, now: () => number, earlier: string | undefined): Releases {
  const idle = { booted: () => undefined, awaitsRolling: false, rolled: () => undefined, reached: () => [] };
  if (earlier === undefined) return { ...idle, topology: present.topology(), programsOf: () => present.programs };
  const former = createRequire(__filename)(earlier) as Release;
  const topology = former.topology();
  const isOneWay = JSON.stringify(topology) !== JSON.stringify(present.topology());
  let hasRolled = !isOneWay;
  const boots = new Map<Process, Boot>();
  return {
    topology,
    programsOf(process) {
      const { service, instance } = process;
      const isEarlier = isOneWay ? !hasRolled : isDrawn(seed, process);
      boots.set(process, { service: service as ServiceName, instance, at: now(), isEarlier, isReady: false });
      return isEarlier ? former.programs : present.programs;
    },
    booted(process) {
      const boot = boots.get(process);
      if (boot) boot.isReady = true;
    },
    get awaitsRolling() {
      return !hasRolled;
    },
    rolled: () => void (hasRolled = true),
    reached: (observed) => [
      ...[...boots.values()].filter((each) => each.isReady).map((each) => bootOf(each.service, each.isEarlier)),
      ...handOvers(observed, [...boots.values()]).map(() => handedOver),
    ],
  };
}

interface Executed {
  readonly executor?: { readonly incarnation: string };
  readonly attempts?: readonly { readonly executor?: { readonly incarnation: string } }[];
}

/** Ids of the records of all services that executors of both releases have written themselves into. */
function handOvers({ changes }: Pick<Observed, 'changes'>, boots: readonly Boot[]): readonly string[] {
  const releases = new Map<string, boolean>();
  const workers = new Map<string, Set<boolean>>();
  for (const { collection, id, at, record } of changes) {
    if (collection === 'executor_incarnations' && record && !releases.has(id)) {
      const own = boots.findLast((each) => each.instance === record['instance'] && each.at <= at);
      if (own) releases.set(id, own.isEarlier);
    }
    const { executor, attempts = [] } = (record ?? {}) as Executed;
    for (const each of [executor, ...attempts.map((attempt) => attempt.executor)]) {
      const release = each && releases.get(each.incarnation);
      if (release !== undefined) workers.set(id, (workers.get(id) ?? new Set()).add(release));
    }
  }
  return [...workers].flatMap(([id, seen]) => (seen.size > 1 ? [id] : []));
}

/** What a hundred histories of two releases have played at least. */
export const releasesPerHundred: Readonly<Record<string, number>> = {
  ...Object.fromEntries(services.flatMap((each) => [true, false].map((earlier) => [bootOf(each, earlier), 100]))),
  [handedOver]: 10,
};
