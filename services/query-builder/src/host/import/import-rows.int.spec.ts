import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTables, type Tables } from '@platform/mongo';
import { defineResource } from '@platform/page-runtime';
import { createProgressBar } from './progress-bar';
import { ImportError, importRows, type ImportProgress } from './import-rows';

const goods = defineResource('goods', {
  tenantScoped: true,
  fields: {
    name: { type: 'string' },
    price: { type: 'price' },
    sold: { type: 'boolean' },
    since: { type: 'date' },
    kind: { type: 'select', options: ['tea', 'cup'] },
    tags: { type: 'string', multiple: true },
    place: { type: 'address' },
  },
});

describe('an import', () => {
  const folder = mkdtempSync(join(tmpdir(), 'import-'));
  let tables: Tables;
  let number = 0;
  const resource = () => ({ ...goods, name: `goods${(number += 1)}` });
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const rows = (table: string) =>
    tables.aggregate(table, [{ $match: {} }, { $sort: { _id: 1 } }], { maxTimeMs: 5_000 });

  beforeAll(
    async () =>
      void (tables = await openTables({
        url: process.env['TEST_MONGODB_URL']!,
        database: `import-${process.pid}`,
        appName: 'test',
      })),
  );
  afterAll(async () => {
    await tables.close();
    rmSync(folder, { recursive: true });
  });

  it('reads CSV by the types of the fields, and reports each refused row with its line and every reason', async () => {
    const table = resource();
    const text =
      '\ufeff_id,name,price,sold,since,kind,tags\r\n1,"Tea, green",4.50,true,2026-03-29,tea,"[""a"",""b""]"\r\n2,"Two\nlines",,,,,\r\n3,Cup,0x10,yes,2026-02-30,plate,a\r\n4,too,few\r\n1,again,1,true,,tea,\r\n';
    const path = file('goods.csv', text);
    const report = await importRows({ tables, resource: table, file: path, tenantId: 't1' });
    expect(report).toMatchObject({ imported: 2, refused: 3, refusedFile: `${path}.refused.jsonl` });
    expect(await rows(table.name)).toEqual([
      {
        _id: '1',
        name: 'Tea, green',
        price: 4.5,
        sold: true,
        since: new Date('2026-03-29T00:00:00Z'),
        kind: 'tea',
        tags: ['a', 'b'],
        tenantId: 't1',
      },
      { _id: '2', name: 'Two\nlines', tenantId: 't1' },
    ]);
    const refused = readFileSync(`${path}.refused.jsonl`, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { line: number; reasons: string[] });
    expect(refused.map(({ reasons }) => reasons.length).sort()).toEqual([1, 1, 5]);
    expect(refused).toContainEqual({ line: expect.any(Number), reasons: ['a row with this key exists'] });
    expect(report.examples).toHaveLength(3);
  });

  it('reads JSON Lines by their own types', async () => {
    const table = resource();
    const lines = [
      '{"_id":"1","name":"Tea","price":4.5,"sold":false,"place":{"city":"Paris"},"tenantId":"t2"}',
      '',
      '{"_id":"2","price":"4.5","tenantId":"t2"}',
      'no json',
      '[1]',
      '{"_id":"3","__proto__":{"x":1},"tenantId":"t2"}',
      '{"_id":"4","name":"x"}',
      '{"_id":"5","place":{"$where":"x"},"tenantId":"t2"}',
      '{"_id":"6","nothing":1,"tenantId":"t2"}',
    ];
    const report = await importRows({ tables, resource: table, file: file('goods.jsonl', lines.join('\n')) });
    expect(report).toMatchObject({ imported: 1, refused: 7 });
    expect(report.examples.map(({ line }) => line)).toEqual([3, 4, 5, 6, 7, 8, 9]);
    expect(await rows(table.name)).toEqual([
      { _id: '1', name: 'Tea', price: 4.5, sold: false, place: { city: 'Paris' }, tenantId: 't2' },
    ]);
  });

  it.each([
    ['large.jsonl', '{"_id":"1","price":9007199254740993}\n{"_id":"2","price":1,"name":"9007199254740993"}\n'],
    ['large.csv', '_id,price,name,tags\n1,1,,[9007199254740993]\n2,1,9007199254740993,\n'],
  ])('stores no other number than %s has', async (name, text) => {
    const table = resource();
    const report = await importRows({ tables, resource: table, file: file(name, text), tenantId: 't1' });
    expect(report).toMatchObject({
      imported: 1,
      examples: [{ reasons: [expect.stringContaining('9007199254740993')] }],
    });
    expect(await rows(table.name)).toEqual([{ _id: '2', price: 1, name: '9007199254740993', tenantId: 't1' }]);
  });

  it('names refused rows in the order of their lines, and forgets what an earlier import refused', async () => {
    const table = resource();
    const path = file('order.csv', '_id,name,price\n1,Tea,4\n2,Tea,x\n3,short\n1,again,4\n');
    const run = () => importRows({ tables, resource: table, file: path, tenantId: 't1' });
    expect((await run()).examples.map(({ line }) => line)).toEqual([3, 4, 5]);
    expect(existsSync(`${path}.refused.jsonl`)).toBe(true);
    writeFileSync(path, '_id,name\n9,Tea\n');
    expect(await run()).toEqual({ imported: 1, refused: 0, examples: [] });
    expect(existsSync(`${path}.refused.jsonl`)).toBe(false);
  });

  it.each([
    ['latin.csv', '_id,name\n1,Caf\u00e9\n2,Tea\n'],
    ['latin.jsonl', '{"_id":"1","name":"Caf\u00e9"}\n{"_id":"2","name":"Tea"}\n'],
  ])('refuses the rows of %s that are no UTF-8, instead of other letters', async (name, text) => {
    const table = resource();
    const path = join(folder, name);
    writeFileSync(path, Buffer.from(text, 'latin1'));
    const report = await importRows({ tables, resource: table, file: path, tenantId: 't1' });
    expect(report.examples).toMatchObject([{ reasons: ['name is no UTF-8 text: save the file in this encoding'] }]);
    expect(await rows(table.name)).toEqual([{ _id: '2', name: 'Tea', tenantId: 't1' }]);
  });

  it('is not ended by a refused row that cannot be written beside the file, and says so', async () => {
    const path = file('beside.jsonl', '{"_id":"1","nope":1}\n{"_id":"2","name":"Tea"}\n{"_id":"3","nope":1}\n');
    mkdirSync(`${path}.refused.jsonl`);
    const table = resource();
    const report = await importRows({ tables, resource: table, file: path, tenantId: 't1' });
    expect(report).toMatchObject({ imported: 1, refused: 2, examples: [{ line: 1 }, { line: 3 }] });
    expect(report.unwritten).toMatch(/EISDIR/);
    expect(report.refusedFile).toBeUndefined();
  });

  it('says how much of it is there when the store fails, and how much may be', async () => {
    const down = new Error('no answer');
    const answers = [Promise.resolve({ inserted: 999, refused: [{ index: 3, reason: 'a row with this key exists' }] })];
    const failing = { insert: () => answers.shift() ?? Promise.reject(down) };
    const path = file('half.csv', `name\n${'Tea\n'.repeat(1_700)}`);
    const stopped = importRows({ tables: failing, resource: resource(), file: path, tenantId: 't1' });
    await expect(stopped).rejects.toThrow(
      /^999 rows of the file are imported, and it is not known .* next 700 rows are/,
    );
    await expect(stopped).rejects.toMatchObject({ cause: down });
  });

  it('says that there is no such file', async () => {
    await expect(
      importRows({ tables, resource: resource(), file: join(folder, 'absent.csv'), tenantId: 't1' }),
    ).rejects.toThrow(new ImportError(`there is no file ${join(folder, 'absent.csv')}`));
  });

  it.each([
    ['goods.txt', 'x', /must end in/],
    ['unknown.csv', 'name,colour\nTea,red\n', /"colour" is no field/],
    ['twice.csv', 'name,name\nTea,Cup\n', /occurs twice/],
    ['foreign.csv', 'name,tenantId\nTea,t9\n', /"tenantId" is no field/],
  ])('refuses %s as a whole', async (name, text, message) => {
    const imported = importRows({ tables, resource: resource(), file: file(name, text), tenantId: 't1' });
    await expect(imported).rejects.toThrow(ImportError);
    await expect(imported).rejects.toThrow(message);
  });

  it('tells its progress to the end, and can be repeated without harm', async () => {
    const table = resource();
    const path = file(
      'many.csv',
      `_id,name\n${Array.from({ length: 2_500 }, (_unused, index) => `${index},n${index}`).join('\n')}\n`,
    );
    const seen: ImportProgress[] = [];
    const run = () =>
      importRows({
        tables,
        resource: table,
        file: path,
        tenantId: 't1',
        onProgress: (progress) => void seen.push(progress),
      });
    expect(await run()).toEqual({ imported: 2_500, refused: 0, examples: [] });
    expect(seen.at(-1)).toMatchObject({ imported: 2_500, bytes: seen.at(-1)!.totalBytes });
    expect(await run()).toMatchObject({ imported: 0, refused: 2_500 });
  });
});

describe('a progress bar', () => {
  const shown = (isTTY: boolean): string[] => {
    const written: string[] = [];
    const bar = createProgressBar({ isTTY, write: (text) => written.push(text) });
    for (let bytes = 0; bytes <= 100; bytes += 5)
      bar.show({ bytes, totalBytes: 100, imported: bytes * 100, refused: 0 });
    bar.end();
    return written;
  };
  it('moves on one line for a person', () => {
    expect(shown(true).at(-2)).toBe(`\r[${'█'.repeat(30)}] 100 %  10,000 rows\u001b[K`);
  });
  it('writes a line per tenth into a file', () => {
    expect(shown(false)).toHaveLength(11);
  });
});
