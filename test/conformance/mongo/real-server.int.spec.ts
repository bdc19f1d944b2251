/**
 * Reports in the closing lines of a run whether a real MongoDB was used, and checks that the server was one. Every
 * other suite here runs on that server too, so the address of another embedded store would prove nothing.
 */
import { openTarget, realIsThere } from './support/targets';

const there = realIsThere();
const onRealServer = there ? it : it.skip;
const hint = there ? '' : ': set MONGODB_URL, or TEST_CONTAINERS=1 where a container runtime is there';

describe(`document store conformance on a real MongoDB${hint}`, () => {
  onRealServer('runs on a server that computes what the embedded store refuses', async () => {
    const target = await openTarget('real');
    try {
      const database = target.client.db('conformance');
      await database.collection('real').insertOne({ kept: true });
      const bucketed = await database
        .collection('real')
        .aggregate([{ $bucketAuto: { groupBy: '$kept', buckets: 1 } }])
        .toArray();
      expect(bucketed).toHaveLength(1);
      await database.collection('real').drop();
    } finally {
      await target.close();
    }
  });
});
