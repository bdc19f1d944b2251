/** The whole suite of the store's port; a fake that has not passed it is not a fake. */
import { describeInserts } from './inserts.features';
import { describeLists } from './lists.features';
import { describeMutations } from './mutations.features';
import { describeOutbox } from './outbox.features';
import { describeQuarantine } from './quarantine.features';
import { describeRemovals } from './removals.features';
import { jobsCollection, type StoreHarness } from './sample';

/** Runs the suite on the store that `setUp` opens once; `tearDown` releases it. */
export function describeStore(setUp: () => Promise<StoreHarness>, tearDown: () => Promise<void>): void {
  let harness: StoreHarness | null = null;
  const open = (): StoreHarness => {
    if (!harness) throw new Error('the store is not open');
    return harness;
  };

  beforeAll(async () => {
    harness = await setUp();
    harness.store.collection(jobsCollection);
    await harness.store.ensureIndexes();
  });
  afterAll(tearDown);

  describeInserts(open);
  describeMutations(open);
  describeRemovals(open);
  describeOutbox(open);
  describeLists(open);
  describeQuarantine(open);

  describe('a store', () => {
    it('answers with its clock', async () => {
      await open().store.ping();
      const [first, second] = [await open().store.now(), await open().store.now()];
      expect(second.getTime()).toBeGreaterThanOrEqual(first.getTime());
    });

    it('ensures indexes as often as it is asked', async () => {
      await open().store.ensureIndexes();
      await open().store.ensureIndexes();
    });
  });
}
