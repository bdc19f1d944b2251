/** The service on fakes, started, for the tests that call its workflows with the ports of the running service. */
import type { RunningDelivery } from '../delivery';
import type { DeliveryPorts } from '../workflows/ports';
import { createFakeWorld, type FakeWorld } from './fake-world';

export interface StartedService {
  readonly world: FakeWorld;
  readonly running: RunningDelivery;
  readonly ports: DeliveryPorts;
}

/** The test closes `running`. */
export async function startService(): Promise<StartedService> {
  const world = createFakeWorld();
  const running = await world.boot();
  return { world, running, ports: running.ports };
}

/** A service with one consumer, to which the delivery of `operation-1` is sent. */
export async function startWithDelivery(): Promise<StartedService> {
  const started = await startService();
  await started.world.register('storage');
  await started.world.announce('operation-1');
  await started.world.broker.settle();
  return started;
}
