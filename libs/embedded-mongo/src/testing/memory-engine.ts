/**
 * The storage engine in memory, without a disk and without threads of its own: a commit is complete when `write`
 * returns its promise. For simulations, in which the machine's speed must decide nothing. The data ends with the
 * process, so it is no engine for a server that people use.
 */
import type { RangeOptions } from 'lmdb';
import type { Engine } from '../storage/engine';

interface Entry {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** Entries in the order of their keys. */
function createMap() {
  const entries: Entry[] = [];

  /** The place of the first entry whose key is not less than `key`. */
  function placeOf(key: Buffer): number {
    let [low, high] = [0, entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (Buffer.compare(entries[middle]!.key, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  const isAt = (place: number, key: Buffer): boolean => entries[place]?.key.equals(key) ?? false;

  /** As the engine on disk reads them: the start is included unless it is excluded, the end only when it is included. */
  function select({
    start,
    end,
    reverse = false,
    limit = Infinity,
    exclusiveStart,
    inclusiveEnd,
  }: RangeOptions): Entry[] {
    const [from, to] = [start as Buffer | undefined, end as Buffer | undefined];
    const found: Entry[] = [];
    let place = reverse
      ? from === undefined
        ? entries.length - 1
        : placeOf(from) - (isAt(placeOf(from), from) ? 0 : 1)
      : from === undefined
        ? 0
        : placeOf(from);
    if (exclusiveStart && from !== undefined && isAt(place, from)) place += reverse ? -1 : 1;
    for (; place >= 0 && place < entries.length && found.length < limit; place += reverse ? -1 : 1) {
      const entry = entries[place]!;
      const beyond = to === undefined ? -1 : Buffer.compare(entry.key, to) * (reverse ? -1 : 1);
      if (beyond > 0 || (beyond === 0 && !inclusiveEnd)) break;
      found.push(entry);
    }
    return found;
  }

  return {
    get: (key: Buffer) => (isAt(placeOf(key), key) ? entries[placeOf(key)]!.value : undefined),
    getRange: select,
    getKeys: (range: RangeOptions) => select(range).map(({ key }) => key),
    getKeysCount: (range: RangeOptions) => select(range).length,
    put(key: Buffer, value: Buffer): void {
      const place = placeOf(key);
      entries.splice(place, isAt(place, key) ? 1 : 0, { key: Buffer.from(key), value: Buffer.from(value) });
    },
    remove(key: Buffer): void {
      const place = placeOf(key);
      if (isAt(place, key)) entries.splice(place, 1);
    },
  };
}

const recordBytes = 6;

/** An empty engine. */
export function createMemoryEngine(): Engine {
  const records = createMap();
  return {
    catalog: createMap(),
    records,
    entries: createMap(),
    visitRecords: (range, visit) => {
      const found = records.getRange(range);
      for (const { value } of found) visit(value);
      const last = found.at(-1)?.key;
      return { last: last ? last.readUIntBE(last.length - recordBytes, recordBytes) : -1, count: found.length };
    },
    write: async (change) => change(),
    refresh: () => undefined,
    close: async () => undefined,
  };
}
