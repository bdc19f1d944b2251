/** The dependencies of one booting process: its ports with faults, and its own clock. */
import type { Executor } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import { StoreUnavailableError, type Store } from '@platform/mongo';
import type { PaymentProvider } from '@platform/payment-provider';
import { createCaller, type Caller, type CallerOptions } from '../engine/calls';
import { providerOf, storeOf } from '../engine/ports';
import type { Process, Timeline } from '../engine/timeline';
import type { ServiceName, World } from './world';

export interface ProcessDependencies {
  readonly world: World;
  readonly process: Process;
  readonly caller: Caller;
  readonly executor: Executor;
  readonly messaging: Messaging;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /**
   * Repeats `work` with this pause while the process lives; an error that it must not throw is reported as a problem.
   */
  readonly every: (milliseconds: number, work: () => Promise<unknown>) => void;
  readonly quietly: (work: Promise<unknown>) => Promise<void>;
}

export interface ServiceDependencies extends ProcessDependencies {
  readonly store: Store;
}

export interface PayingServiceDependencies extends ServiceDependencies {
  readonly provider: PaymentProvider;
}

/** The interval of sweeps and reconciliations. Simulated time costs nothing, but each round is work. */
export const sweepEveryMs = 240_000;

export function dependenciesOf(
  world: World,
  process: Process,
  hooks: Pick<CallerOptions, 'crash' | 'freeze' | 'wake'>,
): ProcessDependencies {
  const { timeline, faults } = world;
  const caller = createCaller(process, { timeline, faults, ...hooks });
  const sleep = (milliseconds: number) => timeline.sleep(process, milliseconds);
  const quietly = (work: Promise<unknown>): Promise<void> =>
    work.then(
      () => undefined,
      (error: unknown) => {
        if (!(error instanceof StoreUnavailableError))
          world.problems.push(`${process.incarnation} let escape ${String(error)}`);
      },
    );
  // It reads its own clock wherever it asks the world for the time.
  const own: Timeline = Object.create(timeline, {
    clock: { value: world.clocks.ofProcess(timeline.wall) },
  }) as Timeline;
  return {
    world: { ...world, timeline: own },
    process,
    caller,
    executor: { service: process.service, instance: process.instance, incarnation: process.incarnation },
    messaging: world.broker.connect(caller),
    sleep,
    quietly,
    every: (milliseconds, work) => {
      const loop = async (): Promise<void> => {
        for (;;) {
          await sleep(milliseconds);
          await quietly(work());
        }
      };
      void loop();
    },
  };
}

export function serviceDependencies(dependencies: ProcessDependencies, service: ServiceName): ServiceDependencies {
  return { ...dependencies, store: storeOf(dependencies.world.databases[service].watched, dependencies.caller) };
}

/** The dependencies of services that call the payment provider. */
export function payingServiceDependencies(
  dependencies: ProcessDependencies,
  service: ServiceName,
): PayingServiceDependencies {
  return {
    ...serviceDependencies(dependencies, service),
    provider: providerOf(dependencies.world.provider, dependencies.caller),
  };
}
