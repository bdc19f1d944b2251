/** A program that ends before it works is reported, unless faults explain it. */
import { createTimeline } from '../engine/timeline';
import { supervise } from '../world/fleet';
import { bootIn } from './boot';
import type { ProcessWorld } from './world';

/** Boots the services once, with programs that end at once. */
async function boot(ceased: boolean, completeSince = 0): Promise<readonly string[]> {
  const timeline = createTimeline(1);
  const ends = async () => 1;
  const world = {
    ...{ timeline, faults: { ceased }, problems: [], lines: ['the reason'] },
    ...{ stops: new Map(), signals: new Map(), fatal: new Map() },
    network: { drop: () => undefined },
    topology: { completeSince },
    infrastructure: { environmentOf: () => ({}) },
    releases: {
      programsOf: () => ({ operator: ends, provisioning: ends, 'lifecycle-delivery': ends, 'billing-webhook': ends }),
    },
  };
  supervise(world as never, bootIn(world as unknown as ProcessWorld)).start();
  for (let steps = 0; steps < 20; steps += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    timeline.step();
  }
  return world.problems;
}

describe('a program of a history that ends before it works', () => {
  it('is a violation where nothing fails', async () => {
    expect(await boot(true)).toContain(
      'operator-1-boot-1 could not boot: Error: its program ended with code 1: the reason',
    );
  });

  it('is none while faults go on', async () => {
    expect(await boot(false)).toEqual([]);
  });

  it('is none at a broker that has lost its streams', async () => {
    expect(await boot(true, Infinity)).toEqual([]);
  });
});
