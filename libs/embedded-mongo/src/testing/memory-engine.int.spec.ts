/** The engine in memory answers like the one on disk, whatever is put, removed and read in whatever direction. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '@platform/testing';
import { openEngine, type Engine } from '../storage/engine';
import { createMemoryEngine } from './memory-engine';

const random = createRandom(4_711);
/** Few short keys, so that they meet; the last six bytes are a record's number. */
const key = (): Buffer => Buffer.from([random.below(3), 0, 0, 0, 0, 0, random.below(12)]);
const flag = (): boolean => random.below(2) === 0;

function range() {
  const [one, two] = [key(), key()].sort((a, b) => Buffer.compare(a, b)) as [Buffer, Buffer];
  const reverse = flag();
  return {
    start: reverse ? two : one,
    end: reverse ? one : two,
    reverse,
    ...(flag() && { limit: 1 + random.below(5) }),
    ...(flag() && { exclusiveStart: true }),
    ...(flag() && { inclusiveEnd: true }),
  };
}

/** Copies, because the bytes of the engine on disk are valid until its next read. */
function read(engine: Engine, among: ReturnType<typeof range>) {
  const found = [...engine.records.getRange(among)].map((entry) => [
    Buffer.from(entry.key).toString('hex'),
    Buffer.from(entry.value).toString('hex'),
  ]);
  const visited: (number | undefined)[] = [];
  // Only the document in the bytes says where they end.
  const { last, count } = engine.visitRecords(among, (bytes) => visited.push(bytes[0]));
  const keys = [...engine.records.getKeys(among)].map((each) => Buffer.from(each).toString('hex'));
  // Keys are counted only from the lower end upwards.
  const [start, end] = [among.start, among.end].sort((a, b) => Buffer.compare(a, b));
  return { found, keys, visited, last, count, counted: engine.records.getKeysCount({ start, end }) };
}

describe('the engine in memory', () => {
  const folder = mkdtempSync(join(tmpdir(), 'memory-engine-'));
  const [disk, memory] = [openEngine(folder), createMemoryEngine()];
  afterAll(async () => {
    await disk.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('reads what the engine on disk reads', async () => {
    for (let round = 0; round < 60; round += 1) {
      const changes = Array.from({ length: 6 }, () => ({ at: key(), value: flag() ? Buffer.from([round]) : null }));
      for (const engine of [disk, memory])
        await engine.write(() => {
          for (const { at, value } of changes) value ? engine.records.put(at, value) : engine.records.remove(at);
        });
      disk.refresh();
      for (let look = 0; look < 20; look += 1) {
        const among = range();
        expect(read(memory, among)).toEqual(read(disk, among));
      }
      const at = key();
      expect(memory.records.get(at)?.toString('hex')).toEqual(disk.records.get(at)?.toString('hex'));
    }
  });

  it('refuses a change with its error', async () => {
    const refused = memory.write(() => {
      throw new RangeError('refused');
    });
    await expect(refused).rejects.toThrow('refused');
  });
});
