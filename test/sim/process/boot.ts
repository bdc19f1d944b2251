/** Boots the processes of a history: the services' own programs, and the consumers of other teams with the real adapter. */
import { silentLog } from '@platform/kernel';
import { connectMessaging, platformTopology } from '@platform/messaging';
import { bootConsumer } from '../world/consumer';
import { dependenciesOf } from '../world/dependencies';
import type { Boot } from '../world/fleet';
import { services, type ServiceName, type World } from '../world/world';
import type { Process } from '../engine/timeline';
import { endsAsAsked } from './stops';
import { keepLine, type ProcessWorld } from './world';

const isService = (name: string): name is ServiceName => (services as readonly string[]).includes(name);
/** A history lasts minutes, of which a workspace is closed for some. */
const readEveryMs = 5_000;
const ready = '"message":"ready"';

/** Runs the program until it says that it is ready; a program that ends before was not booted. */
function runProgram(world: ProcessWorld, process: Process, crash: (process: Process) => void): Promise<object> {
  const service = process.service as ServiceName;
  const replica = Number(process.instance.split('-').at(-1));
  const bootedAt = world.timeline.time;
  let works = false;
  return new Promise((resolve, reject) => {
    const environment = world.infrastructure.environmentOf(service, process.instance, replica);
    const write = (line: string): void => {
      if (line.includes(ready)) {
        works = true;
        world.releases.booted(process);
        resolve({});
      } else if (!line.includes('"level":"info"')) keepLine(world, line);
    };
    const program = world.releases.programsOf(process)[service]({
      environment,
      interactive: false,
      write,
      complain: (line) => keepLine(world, `${process.incarnation} ${line}`),
      onSignal: (listener) => void world.signals.set(process, listener),
      onFatal: (listener) => void world.fatal.set(process, listener),
      exit: () => undefined,
    });
    void program.then((code) => {
      if (process.state === 'dead') return;
      // A supervisor learns of a boot that fails by its rejection, and of every other end by the death. No program boots
      // at a broker that has lost its streams.
      const isExcused = world.topology.completeSince > bootedAt;
      if (endsAsAsked(world, process, code) || works || isExcused) crash(process);
      else reject(new Error(`its program ended with code ${code}: ${world.lines.at(-1) ?? ''}`));
    });
  });
}

async function runConsumer(world: ProcessWorld, process: Process, hooks: Parameters<Boot>[1]): Promise<object> {
  const { timeline, infrastructure } = world;
  const connected = await connectMessaging({
    url: infrastructure.natsUrl,
    name: process.instance,
    topology: platformTopology(),
    log: silentLog,
  });
  const surroundings = {
    ...world,
    clocks: { skewed: false, ofProcess: () => timeline.wall },
    broker: { connect: () => connected },
  } as unknown as World;
  return bootConsumer(dependenciesOf(surroundings, process, hooks), { readEveryMs });
}

/** What a fleet boots in this world. A process that dies loses its connections and its ports. */
export function bootIn(world: ProcessWorld): Boot {
  return (process, hooks) => {
    world.network.hooks = hooks;
    process.mourners.add(() => {
      world.fatal.delete(process);
      world.signals.delete(process);
      world.network.drop(process);
    });
    return new Promise<object>((resolve, reject) => {
      world.timeline.enqueue(process, () => {
        const booting = isService(process.service)
          ? runProgram(world, process, hooks.crash)
          : runConsumer(world, process, hooks);
        booting.then(resolve, reject);
      });
    });
  };
}
