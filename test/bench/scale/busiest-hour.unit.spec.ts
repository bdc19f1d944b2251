import { createRandom } from '@platform/testing';
import { busiestShard, coresFor, costOfMix, heldWorkspaces, playHour, type Hour } from './busiest-hour';

const random = createRandom(7);
const hour = (more: Partial<Hour> = {}): Hour => ({
  perSecond: 1_000,
  mix: { credit: 0.75, suspend: 0.25 },
  costs: { credit: { gateway: 4, store: 2 }, suspend: { gateway: 12, store: 6, delivery: 8 } },
  cores: { gateway: 10, store: 5, delivery: 4 },
  burst: { times: 1, seconds: 0 },
  random: () => random.next(),
  ...more,
});

describe('the costs of a mix', () => {
  it('are the shares of its kinds, by part', () => {
    expect(costOfMix(hour())).toEqual({ gateway: 6, store: 3, delivery: 2 });
  });

  it('need as many cores as keep the wanted share free', () => {
    expect(coresFor(hour(), 0.6)).toEqual({ gateway: 10, store: 5, delivery: 4 });
    expect(coresFor(hour({ perSecond: 1 }), 0.6)).toEqual({ gateway: 1, store: 1, delivery: 1 });
  });
});

describe('the busiest hour', () => {
  it('uses what was planned, and nothing waits while no part is full', () => {
    const { gateway } = playHour(hour());
    expect(gateway!.used).toBeCloseTo(0.6, 2);
    expect(gateway!.usedAtMost).toBeCloseTo(0.72, 1);
    expect(gateway!.longestWaitMs).toBe(0);
  });

  it('makes requests wait in a burst that is more than the cores can do, until they have caught up', () => {
    const { gateway } = playHour(hour({ burst: { times: 3, seconds: 60 } }));
    // 18 s of work come in each second of the minute, and 10 are done: at its end 480 s wait for ten cores.
    expect(gateway!.longestWaitMs).toBeGreaterThan(45_000);
    expect(gateway!.longestWaitMs).toBeLessThan(50_000);
    expect(gateway!.usedAtMost).toBeCloseTo(1, 5);
  });

  it('never ends for a part that is too small', () => {
    const { store } = playHour(hour({ cores: { gateway: 10, store: 2, delivery: 4 } }));
    expect(store!.used).toBeCloseTo(1, 5);
    expect(store!.longestWaitMs).toBeGreaterThan(1_000_000);
  });
});

describe('workspaces', () => {
  it('that are equally busy fill shards evenly', () => {
    expect(busiestShard({ count: 1_000_000, skew: 0 }, 24)).toBeLessThan(1.02);
  });

  it('of which one does most make its shard busier than the others', () => {
    expect(busiestShard({ count: 100_000, skew: 1.5 }, 24)).toBeGreaterThan(5);
  });

  it('refuse an operation while another one holds them', () => {
    const one = heldWorkspaces({ count: 1, skew: 0 }, 10, 100);
    expect(one).toEqual({ refused: 0.5, busiest: 0.5 });
    expect(heldWorkspaces({ count: 1_000_000, skew: 0 }, 10, 100).refused).toBeLessThan(0.000_01);
  });
});
