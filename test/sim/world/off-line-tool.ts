/** The off-line tools of people: processes like any other, which meet faults, die between two writes, or sleep and go on. */
import { silentLog } from '@platform/kernel';
import { createCaller } from '../engine/calls';
import { storeOf } from '../engine/ports';
import type { Process } from '../engine/timeline';
import type { ServiceName, World } from './world';

/** Starts a tool; `freeze` keeps one that falls asleep, until its owner lets it go on. */
export function openTool({ timeline, faults, databases }: World, name: string, freeze: (process: Process) => void) {
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
  const store = (service: ServiceName) => storeOf(databases[service].watched, caller);
  const retryPolicy = { tries: 3, pause: (attempt: number) => timeline.sleep(process, 200 * attempt) };
  return { process, store, shared: { clock: timeline.clock, log: silentLog, retryPolicy } };
}
