/** A consumer service of another team: the published SDK with one consumer, and a listener for creations. */
import type { LifecycleTransition } from '@platform/contracts-lifecycle-delivery';
import { listenerSubjects, provisioningEvents } from '@platform/contracts-provisioning';
import { ok, refused, silentLog } from '@platform/kernel';
import { createMessagingPlatform } from '../../../libs/interfaces/workspace-platform/src/connect/messaging-platform';
import type { ProcessDependencies } from './dependencies';
import { seededTenants } from './seeds';

export const consumers: Readonly<Record<string, readonly LifecycleTransition[]>> = {
  storage: ['created', 'suspended', 'reactivation_requested'],
  'search-index': ['suspended', 'reactivation_requested'],
};

/** The SDK checks for a lost connection twice a second; in simulated time that frequency only costs work. */
const slowdown = 60;
const chanceOfFailure = 0.1;

export async function bootConsumer(
  { world, caller, process, messaging, sleep, every, quietly }: ProcessDependencies,
  { readEveryMs = 120_000 }: { readonly readEveryMs?: number } = {},
): Promise<object> {
  const { timeline, faults, consumerRuns } = world;
  const name = process.service;
  const platform = createMessagingPlatform({
    messaging,
    instance: process.instance,
    clock: timeline.clock,
    monotonic: () => timeline.wall.now().getTime(),
    ids: timeline.ids,
    log: silentLog,
    wait: (milliseconds) => sleep(milliseconds * slowdown),
    limits: { consumeTimeoutMs: 60_000, runsMax: 8 },
    stopGraceMs: 10_000,
  });
  /** Data of the workspace that the consumer serves when its guard allows it. */
  const protectedRead = async (tenantId: string): Promise<void> => {
    if ((await platform.decideAccess(tenantId)).state !== 'open') return;
    world.guardedReads.push({ tenantId, guard: process.incarnation, at: timeline.wall.now(), boundMs: 1_000 });
  };
  platform.connectConsumer({
    name,
    transitions: consumers[name]!,
    consume: async ({ operationId, tenantId }) => {
      await quietly(protectedRead(tenantId));
      const failed = !faults.ceased && timeline.random.next() < chanceOfFailure;
      await caller.call(
        `${name}.effect`,
        async () => void consumerRuns.push({ operationId, consumer: name, outcome: failed ? 'failed' : 'receipt' }),
      );
      if (failed) throw new Error('simulated: the consumer is unreachable');
      return { receiptId: `${name}:${operationId}`, effectiveAt: timeline.clock.now() };
    },
  });
  every(readEveryMs, async () => {
    for (const tenantId of seededTenants) await protectedRead(tenantId);
  });
  await messaging.serve(
    { name, version: '0.1.0', description: 'simulated' },
    provisioningEvents.map((event) => ({
      name: event.toLowerCase(),
      subject: listenerSubjects[event](name),
      answer: async () =>
        !faults.ceased && timeline.random.next() < chanceOfFailure / 2
          ? refused({ code: 'not_now', message: 'simulated' })
          : ok({ done: true }),
    })),
  );
  return {};
}
