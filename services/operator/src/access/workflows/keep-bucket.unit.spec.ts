/** When the bucket of access is filled from the records, and what a round that breaks off leaves to the next one. */
import { workspaceAccessBucket } from '@platform/contracts-operator';
import { silentLog } from '@platform/kernel';
import { platformTopology, type Messaging } from '@platform/messaging';
import { createFakeBuckets } from '@platform/messaging/testing';
import { createFakeStore } from '@platform/mongo/testing';
import { settle } from '@platform/testing';
import { subscriptionsCollection } from '../../mirror/store/subscriptions';
import { accessPublisher, keepBucket, publishAccess } from './publish-access';

type Write = Messaging['writeKey'];

const idOf = (at: number) => `tn-${String(at).padStart(3, '0')}`;

async function open(workspaces: number) {
  const subscriptions = createFakeStore().collection(subscriptionsCollection);
  for (let at = 0; at < workspaces; at += 1)
    await subscriptions.insert({
      _id: idOf(at),
      workspaceName: 'a workspace',
      status: 'active',
      access: { state: 'open', since: new Date(0), operationId: null },
      accessRevision: 1,
      planId: 'free',
      provider: {},
      isComplimentary: false,
    });
  const buckets = createFakeBuckets(platformTopology());
  const writes: string[] = [];
  const said: object[] = [];
  let finds = 0;
  const plainly: Write = async (bucket, key, value, over) => buckets.write(bucket, key, value, over);
  const broker = { write: plainly };
  const keep = keepBucket({
    subscriptions: { find: (...query) => ((finds += 1), subscriptions.find(...query)) },
    messaging: {
      readKey: async (bucket, key) => buckets.read(bucket, key),
      writeKey: (bucket, key, ...value) => (writes.push(key), broker.write(bucket, key, ...value)),
      bucketIdentity: async (bucket) => buckets.identity(bucket),
    },
    log: { ...silentLog, info: (fields) => void said.push(fields) },
  });
  const missing = () =>
    Array.from({ length: workspaces }, (_, at) => idOf(at)).filter((id) => !buckets.read(workspaceAccessBucket, id));
  return { keep, buckets, broker, plainly, writes, said, missing, finds: () => finds };
}

/** A broker that gives no answer to the write of one key. */
const losing =
  (write: Write, lost: string): Write =>
  async (bucket, key, ...value) =>
    key === lost ? 'unknown' : write(bucket, key, ...value);

describe('the fill of the bucket', () => {
  it('writes every workspace, however many there are, and no more than 32 at a time', async () => {
    const { keep, broker, plainly, missing } = await open(70);
    let [running, most] = [0, 0];
    broker.write = async (...write) => {
      most = Math.max(most, (running += 1));
      await settle();
      running -= 1;
      return plainly(...write);
    };
    await keep();
    expect([missing(), most]).toEqual([[], 32]);
  });

  it('reads the records once for one bucket, and not while the broker has none', async () => {
    const { keep, buckets, finds } = await open(3);
    await keep();
    const once = finds();
    await keep();
    buckets.wipe();
    await keep();
    expect(finds()).toBe(once);
  });

  it('is reported to operators when the broker had lost the bucket, and not at the start', async () => {
    const { keep, buckets, said } = await open(3);
    await keep();
    expect(said).toEqual([]);
    buckets.wipe();
    buckets.apply();
    await keep();
    expect(said).toEqual([{ bucket: 'workspace_access' }]);
  });

  it.each([3, 32, 70])('of %i workspaces that lost one write is done again by the next round', async (workspaces) => {
    const { keep, broker, plainly, missing } = await open(workspaces);
    broker.write = losing(plainly, idOf(1));
    await keep();
    expect(missing()).toContain(idOf(1));
    broker.write = plainly;
    await keep();
    expect(missing()).toEqual([]);
  });

  it('breaks off after the wave that lost a write, because the broker may be unreachable', async () => {
    const { keep, broker, plainly, writes } = await open(70);
    broker.write = losing(plainly, idOf(1));
    await keep();
    expect(writes).toHaveLength(32);
  });

  it('breaks off when the process stops, and is not taken for a whole one', async () => {
    const { keep, missing } = await open(40);
    await keep(() => true);
    expect(missing()).toHaveLength(40);
    await keep();
    expect(missing()).toEqual([]);
  });
});

describe('one value of the bucket', () => {
  const open1 = { state: 'open', revision: 1 } as const;

  it('is left to the next sweep by a writer that loses every race', async () => {
    const bucket = { readKey: async () => null, writeKey: async () => 'conflict' as const };
    expect(await publishAccess(bucket, 'acme', open1)).toBe('unknown');
  });

  it('is left to the next sweep when it could not be read, or its write has no answer', async () => {
    const writes: string[] = [];
    const writeKey: Write = async (_bucket, key) => {
      writes.push(key);
      return 'unknown';
    };
    const unreadable = { readKey: () => Promise.reject(new Error('the broker is unreachable')), writeKey };
    expect(await publishAccess(unreadable, 'acme', open1)).toBe('unknown');
    expect(writes).toEqual([]);
    expect(await publishAccess({ readKey: async () => null, writeKey }, 'acme', open1)).toBe('unknown');
    expect(writes).toEqual(['acme']);
  });

  it('is replaced under the same revision when another build gave another reason, and not by itself', async () => {
    const buckets = createFakeBuckets(platformTopology());
    let writes = 0;
    const bucket = {
      readKey: async (name: string, key: string) => buckets.read(name, key),
      writeKey: async (...write: Parameters<Write>) => ((writes += 1), buckets.write(...write)),
    };
    for (const reason of ['suspended', 'unpaid', 'unpaid'] as const)
      expect(await publishAccess(bucket, 'acme', { state: 'closed', reason, revision: 1 })).toBe('acknowledged');
    expect(buckets.read(workspaceAccessBucket, 'acme')?.value).toMatchObject({ reason: 'unpaid' });
    expect(writes).toBe(2);
  });

  it('comes from no other message of the outbox', () => {
    const bucket = { readKey: async () => null, writeKey: async () => 'written' as const };
    expect(() => accessPublisher(bucket)({ body: { tenantId: 'acme', planId: 'pro' } })).toThrow();
  });
});
