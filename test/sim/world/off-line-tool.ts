/**
 * The off-line tools as simulated processes, which meet faults, die between two writes, or sleep and continue. They
 * have exactly the rights of their database users; a write beyond these rights is a problem of the history.
 */
import { silentLog } from '@platform/kernel';
import type { Store } from '@platform/mongo';
import { serviceGrants } from '../../../infra/mongo/roles';
import { createCaller } from '../engine/calls';
import { storeOf } from '../engine/ports';
import type { Process } from '../engine/timeline';
import type { ServiceName, World } from './world';

/** Starts a tool; `freeze` suspends a tool that falls asleep until its owner resumes it. */
export function openTool(
  { timeline, faults, databases, problems, provider }: World,
  name: string,
  freeze: (process: Process) => void,
) {
  const process = timeline.spawn('ops', name);
  const caller = createCaller(process, {
    timeline,
    faults,
    crash: (crashed) => timeline.kill(crashed),
    freeze: (frozen) => {
      frozen.state = 'frozen';
      freeze(frozen);
    },
  });
  const store = (service: ServiceName) => asResolver(storeOf(databases[service].watched, caller), service, problems);
  const retryPolicy = { tries: 3, pause: (attempt: number) => timeline.sleep(process, 200 * attempt) };
  return { process, store, shared: { clock: timeline.clock, log: silentLog, retryPolicy, provider } };
}

/** The store as the user `<service>-resolve` may use it (infra/mongo/roles.ts). */
function asResolver(inner: Store, service: ServiceName, problems: string[]): Store {
  const grant = serviceGrants.find(({ user }) => user === service);
  const guarded = <F extends (...args: never[]) => unknown>(name: string, granted: boolean | undefined, write: F): F =>
    ((...args: never[]) => {
      if (!granted) problems.push(`an off-line tool may not ${name}`);
      return write(...args);
    }) as F;
  return {
    ...inner,
    collection: (declaration) => {
      const collection = inner.collection(declaration);
      const { name } = collection;
      return {
        ...collection,
        insert: guarded(`add to ${service}/${name}`, grant?.noted?.includes(name), collection.insert),
        mutate: guarded(`change ${service}/${name}`, grant?.resolved?.includes(name), collection.mutate),
        remove: guarded(`remove from ${service}/${name}`, false, collection.remove),
      };
    },
  };
}
