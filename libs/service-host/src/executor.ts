/**
 * The identity of this process: its configured instance name and a random incarnation that is unique to this boot
 * (architecture §6).
 */
import { createIds, type Executor, type Ids } from '@platform/kernel';

/** The default instance name of a service; correct for exactly one replica. */
export function defaultInstance(service: string): string {
  return `${service}-1`;
}

/** A new executor; call it once per boot. */
export function createExecutor(
  { service, instance }: { readonly service: string; readonly instance: string },
  ids: Ids = createIds(),
): Executor {
  return Object.freeze({ service, instance, incarnation: ids.next() });
}
