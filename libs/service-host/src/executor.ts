/** Who this process is: its configured instance name and an incarnation that no other boot has had (architecture §6). */
import { createIds, type Executor, type Ids } from '@platform/kernel';

/** The instance name of a service that is not told another: right for exactly one replica. */
export function defaultInstance(service: string): string {
  return `${service}-1`;
}

/** A fresh executor; call it once per boot. */
export function createExecutor(
  { service, instance }: { readonly service: string; readonly instance: string },
  ids: Ids = createIds(),
): Executor {
  return Object.freeze({ service, instance, incarnation: ids.next() });
}
