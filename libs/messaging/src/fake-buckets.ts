/** Buckets in memory, for the fake broker and the simulated one: the same answers as the real ones, lost with the disk. */
import type { KeyedValue, KeyWritten } from './port';
import type { Topology } from './topology';

export interface FakeBuckets {
  /** Throws for a bucket that no longer exists. */
  read(bucket: string, key: string): KeyedValue | null;
  write(bucket: string, key: string, value: Readonly<Record<string, unknown>>, overSequence: number): KeyWritten;
  identity(bucket: string): string | null;
  absent(): readonly string[];
  wipe(): void;
  /** Recreates the missing declared buckets. */
  apply(): void;
}

interface FakeBucket {
  readonly identity: string;
  sequence: number;
  readonly keys: Map<string, { readonly json: string; readonly sequence: number }>;
}

export function createFakeBuckets({ buckets: declared }: Pick<Topology, 'buckets'>): FakeBuckets {
  const buckets = new Map<string, FakeBucket>();
  let made = 0;
  const apply = (): void => {
    for (const { name } of declared)
      if (!buckets.has(name)) buckets.set(name, { identity: `made-${(made += 1)}`, sequence: 0, keys: new Map() });
  };
  apply();
  return {
    read(bucket, key) {
      const found = buckets.get(bucket);
      if (!found) throw new Error(`bucket not found: ${bucket}`);
      const kept = found.keys.get(key);
      return kept ? { value: JSON.parse(kept.json) as unknown, sequence: kept.sequence } : null;
    },
    write(bucket, key, value, overSequence) {
      const found = buckets.get(bucket);
      if (!found) return 'unknown';
      if ((found.keys.get(key)?.sequence ?? 0) !== overSequence) return 'conflict';
      found.sequence += 1;
      found.keys.set(key, { json: JSON.stringify(value), sequence: found.sequence });
      return 'written';
    },
    identity: (bucket) => buckets.get(bucket)?.identity ?? null,
    absent: () => declared.map(({ name }) => name).filter((name) => !buckets.has(name)),
    wipe: () => buckets.clear(),
    apply,
  };
}
