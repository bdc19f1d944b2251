/** The members of the broker's cluster, by their own health checks. */
import { eventually } from '@platform/testing';
import { slowMachineMs } from './patience';
import type { Stage } from './stage';

/** After this time the alert `StreamCopiesMissing` calls a person, who restarts the member. */
const calledAfterMs = 900_000;

/** Why members are not current, by name. */
async function behind(stage: Stage, ids: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const [name, id] of ids) {
    const asks = ['exec', id, 'wget', '-q', '-O', '/dev/null', 'http://127.0.0.1:8222/healthz'];
    const health = await stage.engine.tryDocker(asks);
    if (health.code !== 0) found.set(name, health.output);
  }
  return found;
}

async function untilCurrent(stage: Stage, ids: ReadonlyMap<string, string>, deadlineMs: number): Promise<void> {
  await eventually(
    async () => {
      for (const [name, why] of await behind(stage, ids)) throw new Error(`${name}: ${why}`);
      return true;
    },
    { describe: 'members of the cluster that are current', deadlineMs },
  );
}

/**
 * Waits until every member reports that all its streams are current. Seen once, with 2.10.27 on a loaded machine: a
 * member came back and served, but its copies stayed behind until it was started again. The scene then does what the
 * alert asks of a person, and says so.
 */
export async function untilMembersAgree(stage: Stage, members: readonly string[]): Promise<void> {
  // Asked once: Compose takes seconds of a processor to name a container, which the members need to catch up.
  const ids = new Map<string, string>();
  for (const name of members) ids.set(name, await stage.deployment.containerOf(name));
  try {
    await untilCurrent(stage, ids, calledAfterMs);
  } catch {
    for (const [name, why] of await behind(stage, ids)) {
      stage.show(`  ${name} stays behind and is started again, as the alert StreamCopiesMissing asks: ${why.trim()}`);
      await stage.engine.docker(['restart', ids.get(name)!]);
    }
    await untilCurrent(stage, ids, slowMachineMs);
  }
}
