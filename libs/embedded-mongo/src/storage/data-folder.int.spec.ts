import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDocumentStore } from '../server';
import { openTestStore } from '../testing/open-test-store';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'data-folder-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const snapshot = (): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString('hex')]));

async function filled(): Promise<void> {
  const store = await startDocumentStore({ port: 0, dataDir: folder });
  await store.close();
}

async function refusal(): Promise<string> {
  const before = snapshot();
  const message = await startDocumentStore({ port: 0, dataDir: folder }).then(
    () => 'opened',
    (error: Error) => `${error.name}: ${error.message}`,
  );
  expect(snapshot()).toEqual(before);
  return message;
}

describe('a data folder', () => {
  it('is refused and left as it is when it belongs to something else', async () => {
    writeFileSync(join(folder, 'thesis.txt'), 'irreplaceable');
    expect(await refusal()).toMatch(/DataFolderError: .*holds no document store/);
  });

  it('is refused and left as it is when its data file is cut', async () => {
    await filled();
    truncateSync(join(folder, 'store.mdb'), 5000);
    expect(await refusal()).toMatch(/DataFolderError: .*damaged/);
  });

  it('is refused and left as it is when its data file holds other bytes', async () => {
    await filled();
    writeFileSync(join(folder, 'store.mdb'), Buffer.alloc(65_536, 7));
    expect(await refusal()).toMatch(/DataFolderError: .*damaged/);
  });

  it('is refused when its marker is damaged or of another format', async () => {
    await filled();
    writeFileSync(join(folder, 'embedded-mongo.json'), '{');
    expect(await refusal()).toMatch(/marker .* is damaged/);
    writeFileSync(join(folder, 'embedded-mongo.json'), '{"format":99}');
    expect(await refusal()).toMatch(/format 99/);
  });

  it('is used after a first start that ended while it wrote its marker', async () => {
    writeFileSync(join(folder, 'embedded-mongo.json.new'), '{"for');
    await filled();
    expect(readdirSync(folder)).not.toContain('embedded-mongo.json.new');
    expect(JSON.parse(readFileSync(join(folder, 'embedded-mongo.json'), 'utf8'))).toEqual({ format: 1 });
    await filled();
  });

  it('is refused while another store has it open, and free again afterwards', async () => {
    const store = await startDocumentStore({ port: 0, dataDir: folder });
    await expect(startDocumentStore({ port: 0, dataDir: folder })).rejects.toThrow(/in use by process/);
    await store.close();
    await (await startDocumentStore({ port: 0, dataDir: folder })).close();
  });

  it('keeps collections, indexes and documents over a restart', async () => {
    const first = await openTestStore();
    const things = first.client.db('kept').collection('things');
    await things.createIndex({ a: 1 }, { unique: true });
    await things.insertMany([{ a: 1 }, { a: [2, 3] }]);
    await first.client.close();
    await first.store.close();
    const second = await openTestStore({ dataDir: first.folder });
    const again = second.client.db('kept').collection('things');
    expect(await again.countDocuments({ a: 3 })).toBe(1);
    await expect(again.insertOne({ a: 2 })).rejects.toMatchObject({ code: 11000 });
    await again.insertOne({ a: 4 });
    expect((await again.find().toArray()).map((found) => found['a'])).toEqual([1, [2, 3], 4]);
    await second.close();
    rmSync(first.folder, { recursive: true, force: true });
  });
});
