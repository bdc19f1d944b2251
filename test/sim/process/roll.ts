/** A rolling upgrade as `docs/operations.md` has it: the topology first, then provisioning, then the other services. */
import { ensureTopology, platformTopology } from '@platform/messaging';
import type { Process } from '../engine/timeline';
import { serving, stop } from './stops';
import { finish, type ProcessWorld } from './world';

/** Provisioning has been replaced then. */
const rollsOnMs = 6_000;

/** Begins the upgrade where the earlier release is still alone. */
export async function roll(world: ProcessWorld): Promise<void> {
  const { releases, infrastructure, timeline } = world;
  if (!releases.awaitsRolling) return;
  await finish(world, () => ensureTopology({ url: infrastructure.natsUrl, topology: platformTopology() }));
  releases.rolled();
  const replace = (isNext: (process: Process) => boolean) => () => {
    for (const process of serving(world)) if (isNext(process)) stop(world, process);
  };
  replace(({ service }) => service === 'provisioning')();
  // The second replicas serve on beside the new ones, until they die.
  timeline.alarm(
    null,
    rollsOnMs,
    replace(({ service, instance }) => service !== 'provisioning' && instance.endsWith('-1')),
  );
}
