/**
 * Executors on simulated ports, wired as a service wires them at its start: the register, the liveness questions, and
 * the watch for executors that do not respond.
 */
import { incarnationsCollection } from '@platform/durable/boot';
import {
  createAskExecutors,
  createInterruptedWatch,
  createWorkRegister,
  interruptionNoticesCollection,
  workEndpoint,
  type AskExecutors,
  type RunningWork,
  type WorkRegister,
} from '@platform/durable/executors';
import type { RetryPolicy } from '@platform/durable/record';
import { silentLog } from '@platform/kernel';
import { createOutboxRelay } from '@platform/outbox';
import { sweepEveryMs, type ServiceDependencies } from './dependencies';

const lookEveryMs = 60_000;
const beyondMs = 5_000;

export function workOf(
  { world, sleep }: Pick<ServiceDependencies, 'world' | 'sleep'>,
  patience: RetryPolicy,
): WorkRegister {
  const { clock } = world.timeline;
  return createWorkRegister({ patience, pauseBeyond: () => sleep(beyondMs), clock, log: silentLog });
}

/** Answers questions about this boot's work, and takes over work of executors that do not respond. */
export async function watchInterrupted(
  { world, store, messaging, executor, every, sleep, process }: ServiceDependencies,
  register: WorkRegister,
  running: () => Promise<readonly RunningWork[]>,
): Promise<AskExecutors> {
  const { clock } = world.timeline;
  const endpoint = workEndpoint(executor, register);
  await messaging.serve({ name: process.service, version: '0.1.0', description: 'simulated' }, [endpoint]);
  const boots = store.collection(incarnationsCollection);
  const ask = createAskExecutors({ messaging, boots, own: { executor, register }, now: () => clock.now() });
  const notices = store.collection(interruptionNoticesCollection);
  const relay = createOutboxRelay({
    sources: { notices: notices.outbox },
    publish: messaging.publish,
    clock,
    log: silentLog,
    sweepIntervalMs: sweepEveryMs,
    wait: (milliseconds) => sleep(milliseconds),
  });
  relay.start();
  const watch = createInterruptedWatch({
    notices,
    ask,
    running,
    publishNow: (id, entries) => void relay.publishNow('notices', id, entries),
    service: executor.service,
    clock,
    log: silentLog,
  });
  every(lookEveryMs, () => watch.look());
  return ask;
}
