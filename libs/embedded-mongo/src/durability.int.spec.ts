/**
 * Kills the store's process with SIGKILL during writes, starts it again on the same folder and searches for lost or
 * torn documents. `KILL_ROUNDS` sets the number of rounds.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient, MongoServerError } from 'mongodb';
import type { Collection } from 'mongodb';
import { proofSize } from '@platform/testing';
import { storeProcesses } from './testing/store-process';
import type { StoreProcess } from './testing/store-process';

const rounds = Number(process.env['KILL_ROUNDS'] ?? proofSize({ lean: 2, full: 10 }));
const writers = 16;

interface Record {
  _id: string;
  serial: string;
  revision: number;
  padding: string;
  digest: string;
}

const digestOf = (id: string, revision: number, padding: string): string =>
  createHash('sha256').update(`${id}:${revision}:${padding}`).digest('hex');

function record(id: string, revision: number): Record {
  const padding = `${id}-${revision}-`.repeat(20 + (revision % 50));
  return { _id: id, serial: `serial-${id}`, revision, padding, digest: digestOf(id, revision, padding) };
}

let folder: string;
let startProcess: () => Promise<StoreProcess>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'durability-'));
  startProcess = await storeProcesses(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const connect = (url: string): MongoClient =>
  new MongoClient(url, { retryWrites: false, w: 'majority', journal: true, serverSelectionTimeoutMS: 60_000 });

/** Writes until the connection ends; notes the acknowledged writes and those that were at least tried. */
async function writeUntilKilled(
  records: Collection<Record>,
  acknowledged: Map<string, number>,
  tried: Map<string, number>,
  prefix: string,
  onAcknowledged: () => void,
): Promise<void> {
  try {
    for (let n = 0; ; n += 1) {
      const id = `${prefix}-${n}`;
      tried.set(id, 1);
      await records.insertOne(record(id, 1));
      acknowledged.set(id, 1);
      tried.set(id, 2);
      const { _id, ...changed } = record(id, 2);
      const result = await records.updateOne({ _id, revision: 1 }, { $set: changed });
      if (result.modifiedCount !== 1) throw new Error(`fenced update of ${id} matched nothing`);
      acknowledged.set(id, 2);
      onAcknowledged();
    }
  } catch (error) {
    if (error instanceof MongoServerError || (error as Error).message.startsWith('fenced')) throw error;
  }
}

describe('a store that is killed while it is written to', () => {
  it(
    `loses nothing it acknowledged and tears no document in ${rounds} rounds`,
    async () => {
      const acknowledged = new Map<string, number>();
      const tried = new Map<string, number>();
      for (let round = 0; round < rounds; round += 1) {
        const { child, url } = await startProcess();
        const client = connect(url);
        const records = client.db('durability').collection<Record>('records');
        await records.createIndex({ serial: 1 }, { unique: true });
        await checkEverything(records, acknowledged, tried);
        const exited = new Promise((resolve) => child.once('exit', resolve));
        let left = 20 + ((round * 37) % 150);
        const onAcknowledged = (): void => {
          left -= 1;
          if (left === 0) child.kill('SIGKILL');
        };
        await Promise.all(
          Array.from({ length: writers }, (_, writer) =>
            writeUntilKilled(records, acknowledged, tried, `${round}-${writer}`, onAcknowledged),
          ),
        );
        await exited;
        await client.close();
      }
      const { child, url } = await startProcess();
      const client = connect(url);
      const records = client.db('durability').collection<Record>('records');
      await checkEverything(records, acknowledged, tried);
      expect(acknowledged.size).toBeGreaterThan(rounds * 20);
      await client.close();
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      expect(await exited).toBe(0);
    },
    15 * 60_000 + rounds * 20_000,
  );
});

async function checkEverything(
  records: Collection<Record>,
  acknowledged: Map<string, number>,
  tried: Map<string, number>,
): Promise<void> {
  const stored = new Map((await records.find().toArray()).map((found) => [found._id, found]));
  const problems: string[] = [];
  for (const [id, revision] of acknowledged) {
    if ((stored.get(id)?.revision ?? 0) < revision) problems.push(`lost ${id} revision ${revision}`);
  }
  for (const [id, found] of stored) {
    if (found.revision > (tried.get(id) ?? 0)) problems.push(`invented ${id}`);
    if (found.digest !== digestOf(id, found.revision, found.padding)) problems.push(`torn ${id}`);
  }
  expect(problems).toEqual([]);
  const bySerial = await records
    .find({ serial: { $gte: '' } })
    .hint({ serial: 1 })
    .project({ _id: 1 })
    .toArray();
  expect(bySerial).toHaveLength(stored.size);
  const [some] = stored.values();
  if (some) await expect(records.insertOne({ ...some, _id: 'other' })).rejects.toMatchObject({ code: 11000 });
}
