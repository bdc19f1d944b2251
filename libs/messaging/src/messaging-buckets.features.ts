/** The part of the shared suite about the keys of a bucket. */
import type { Parts } from './messaging.harness';

const bucket = 'workspace_access';
const open = { state: 'open', revision: 1 };
const closed = { state: 'closed', reason: 'suspended', revision: 2 };

export function bucketFeatures(parts: Parts): void {
  it('keeps the last value of each key, and none of a key that was never written', async () => {
    const { operator, delivery } = parts();
    expect(await delivery.readKey(bucket, 'acme')).toBeNull();
    expect(await operator.writeKey(bucket, 'acme', open, 0)).toBe('written');
    expect(await operator.writeKey(bucket, 'globex', open, 0)).toBe('written');
    const first = await delivery.readKey(bucket, 'acme');
    expect(await operator.writeKey(bucket, 'acme', closed, first!.sequence)).toBe('written');
    expect((await delivery.readKey(bucket, 'acme'))?.value).toEqual(closed);
    expect((await delivery.readKey(bucket, 'globex'))?.value).toEqual(open);
  });

  it('lets one of two writers over the same value through, and tells the other one', async () => {
    const { operator, delivery } = parts();
    const outcomes = await Promise.all([
      operator.writeKey(bucket, 'acme', open, 0),
      delivery.writeKey(bucket, 'acme', closed, 0),
    ]);
    expect(outcomes.sort()).toEqual(['conflict', 'written']);
    const standing = await operator.readKey(bucket, 'acme');
    expect(await delivery.writeKey(bucket, 'acme', open, standing!.sequence + 1)).toBe('conflict');
    expect(await operator.readKey(bucket, 'acme')).toEqual(standing);
  });

  it('is another bucket, and empty, after the broker lost it', async () => {
    const { harness, operator } = parts();
    await operator.writeKey(bucket, 'acme', open, 0);
    const before = await operator.bucketIdentity(bucket);
    expect(await operator.bucketIdentity(bucket)).toBe(before);
    await harness.wipe();
    expect(await operator.bucketIdentity(bucket)).toBeNull();
    expect(await operator.writeKey(bucket, 'acme', open, 0)).toBe('unknown');
    await harness.applyTopology();
    const after = await operator.bucketIdentity(bucket);
    expect(typeof after).toBe('string');
    expect(after).not.toBe(before);
    expect(await operator.readKey(bucket, 'acme')).toBeNull();
  });

  it('is part of what services refuse to start without', async () => {
    const { harness, operator } = parts();
    await operator.assertTopology();
    await harness.wipe();
    await expect(operator.assertTopology()).rejects.toThrow(/workspace_access is missing/);
  });
}
