/**
 * Fenced updates without end must not make the process or its file grow. `FENCED_UPDATES` sets their number: the default
 * shows a leak of a few kilobytes per update, a million shows one of some tens of bytes.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { storeProcesses } from './testing/store-process';

const UPDATES = Number(process.env['FENCED_UPDATES'] ?? '20000');
const DOCUMENTS = 500;
const WRITERS = 50;
const SAMPLES = 20;
/** What the collector may leave lying about between two samples. */
const SLACK_MB = 24;

interface Sample {
  anonymousMb: number;
  fileMb: number;
}

/** Memory that is the process's own: pages of the mapped data file are the kernel's cache. */
function sampleOf(pid: number, dataFile: string): Sample {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return {
    anonymousMb: Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1]) / 1024,
    fileMb: statSync(dataFile).size / 1024 / 1024,
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
    `stays flat over ${UPDATES} fenced updates`,
    async () => {
      const { child, url } = await (await storeProcesses(folder))();
      started = child;
      const client = new MongoClient(url, { retryWrites: false, maxPoolSize: WRITERS, w: 'majority', journal: true });
      const records = client.db('memory').collection<{ _id: number; revision: number; note: string }>('records');
      await records.insertMany(
        Array.from({ length: DOCUMENTS }, (_unused, number) => ({
          _id: number,
          revision: 0,
          note: 'note '.repeat(60),
        })),
      );
      const dataFile = join(folder, 'data', 'store.mdb');
      const samples: Sample[] = [];
      const revisions = new Int32Array(DOCUMENTS);
      let done = 0;
      const write = async (writer: number): Promise<void> => {
        for (let turn = 0; done < UPDATES; turn += 1) {
          const id = (writer + turn * WRITERS) % DOCUMENTS;
          const revision = revisions[id] as number;
          const after = await records.findOneAndUpdate(
            { _id: id, revision },
            { $set: { revision: revision + 1 } },
            { returnDocument: 'after' },
          );
          expect(after?.revision).toBe(revision + 1);
          revisions[id] = revision + 1;
          done += 1;
          if (done % Math.ceil(UPDATES / SAMPLES) === 0) samples.push(sampleOf(child.pid as number, dataFile));
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, (_unused, writer) => write(writer)));
      await client.close();
      const half = samples.length / 2;
      const highest = (some: Sample[], of: keyof Sample): number => Math.max(...some.map((sample) => sample[of]));
      const [first, second] = [samples.slice(0, half), samples.slice(half)];
      const shown = (of: keyof Sample): string => samples.map((sample) => sample[of].toFixed(0)).join(' ');
      process.stdout.write(
        `${done} fenced updates: memory in MB ${shown('anonymousMb')}; data file in MB ${shown('fileMb')}\n`,
      );
      expect(samples.length).toBeGreaterThanOrEqual(SAMPLES - 1);
      expect(highest(second, 'anonymousMb')).toBeLessThan(highest(first, 'anonymousMb') + SLACK_MB);
      expect(highest(second, 'fileMb')).toBeLessThan(highest(first, 'fileMb') + SLACK_MB);
    },
    120_000 + UPDATES * 30,
  );
});
