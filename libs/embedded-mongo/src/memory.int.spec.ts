/**
 * Fenced updates must not make the process or its file grow, however many they are. The process collects garbage before
 * each sample, so its memory is known to some hundred kilobytes. `FENCED_UPDATES` sets the number of updates: the lean
 * proof shows a leak of a kilobyte per update in the heap, a million updates show one of a few bytes.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { proofSize } from '@platform/testing';
import { MongoClient } from 'mongodb';
import { storeProcesses } from './testing/store-process';

const updates = Number(process.env['FENCED_UPDATES'] ?? proofSize({ lean: 5_000, full: 50_000 }));
const documents = 500;
const writers = 50;
const sampleCount = 20;
/**
 * How much more memory the second half may use than the first. The heap size is exact and shows a leak of 1 kB a
 * command; the allocator keeps pages in steps of several MB, more of them on newer runtimes, while the heap does not
 * grow.
 */
const slackMb = { heapMb: 2, anonymousMb: 24, fileMb: 2 };
/** Loaded before the store: on a signal, collects garbage and reports the memory in use in bytes. */
const collectorConstant = `process.on('SIGUSR2', () => {
  gc();
  const { heapUsed, external } = process.memoryUsage();
  process.stdout.write('held ' + (heapUsed + external) + '\\n');
});`;

type Sample = Record<keyof typeof slackMb, number>;

/** The process's own memory: pages of the mapped data file belong to the kernel's cache. */
function createSampling(child: ChildProcess, dataFile: string): () => Promise<Sample> {
  const waiting: ((held: number) => void)[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const held = /^held (\d+)$/.exec(line)?.[1];
    if (held !== undefined) waiting.shift()?.(Number(held));
  });
  return async () => {
    const held = await new Promise<number>((answered) => {
      waiting.push(answered);
      child.kill('SIGUSR2');
    });
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    return {
      heapMb: held / 1024 / 1024,
      anonymousMb: Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1]) / 1024,
      fileMb: statSync(dataFile).size / 1024 / 1024,
    };
  };
}

let folder: string;
let started: ChildProcess | undefined;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'store-memory-'));
});
afterAll(() => {
  started?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

describe('the memory of the store', () => {
  it(
    `stays flat over ${updates} fenced updates`,
    async () => {
      const collector = join(folder, 'collector.js');
      writeFileSync(collector, collectorConstant);
      const start = await storeProcesses(folder, ['--expose-gc', '--require', collector]);
      const { child, url } = await start();
      started = child;
      const client = new MongoClient(url, { retryWrites: false, maxPoolSize: writers, w: 'majority', journal: true });
      const records = client.db('memory').collection<{ _id: number; revision: number; note: string }>('records');
      await records.insertMany(
        Array.from({ length: documents }, (_unused, number) => ({
          _id: number,
          revision: 0,
          note: 'note '.repeat(60),
        })),
      );
      const dataFile = join(folder, 'data', 'store.mdb');
      const sample = createSampling(child, dataFile);
      const samples: Sample[] = [];
      const revisions = new Int32Array(documents);
      let done = 0;
      const write = async (writer: number): Promise<void> => {
        for (let turn = 0; done < updates; turn += 1) {
          const id = (writer + turn * writers) % documents;
          const revision = revisions[id] as number;
          const after = await records.findOneAndUpdate(
            { _id: id, revision },
            { $set: { revision: revision + 1 } },
            { returnDocument: 'after' },
          );
          expect(after?.revision).toBe(revision + 1);
          revisions[id] = revision + 1;
          done += 1;
          if (done % Math.ceil(updates / sampleCount) === 0) samples.push(await sample());
        }
      };
      await Promise.all(Array.from({ length: writers }, (_unused, writer) => write(writer)));
      await client.close();
      const half = samples.length / 2;
      const highest = (some: Sample[], of: keyof Sample): number => Math.max(...some.map((each) => each[of]));
      const [first, second] = [samples.slice(0, half), samples.slice(half)];
      const shown = (of: keyof Sample): string => samples.map((each) => each[of].toFixed(1)).join(' ');
      process.stdout.write(
        `${done} fenced updates: heap in MB ${shown('heapMb')}; memory in MB ${shown('anonymousMb')}; data file in MB ${shown('fileMb')}\n`,
      );
      expect(samples.length).toBeGreaterThanOrEqual(sampleCount - 1);
      const grown = (['heapMb', 'anonymousMb', 'fileMb'] as const).filter(
        (of) => highest(second, of) >= highest(first, of) + slackMb[of],
      );
      expect(grown).toEqual([]);
    },
    15 * 60_000 + updates * 30,
  );
});
