/** A query or page that a person or another writer has edited since it was read is not overwritten. */
import type { BuilderError, BuilderResult } from '@platform/builder';
import {
  dataOf,
  modelPath,
  openScratchProject,
  pagePath,
  resourcePath,
  type ScratchProject,
} from '../testing/scratch-project';
import { count, ordersPage as page, refusalOf } from '../testing/refusals';

let scratch: ScratchProject;
beforeEach(async () => void (scratch = await openScratchProject()));
afterEach(() => scratch.remove());
const refusal = (run: () => Promise<BuilderResult<unknown>>): Promise<BuilderError> => refusalOf(scratch, run);

describe('a query that was edited beyond its grammar', () => {
  it('is not configured, but removed with its method, and can be added again', async () => {
    const before = scratch.files();
    dataOf(await scratch.builder.addQuery(page, count()));
    scratch.write(
      modelPath,
      scratch
        .read(modelPath)
        .replace('return this.rows().count();', "console.log('asked');\n    return this.rows().count();"),
    );
    expect(await refusal(() => scratch.builder.configureQuery(`${page}@fresh`, { endpoint: '/x' }))).toMatchObject({
      code: 'opaque_target',
      reason: 'unparseable_chain',
    });
    dataOf(await scratch.builder.removeQuery(`${page}@fresh`));
    expect(scratch.read(pagePath)).not.toContain('fresh');
    expect(scratch.files()).toEqual(before);
    dataOf(await scratch.builder.addQuery(page, count()));
    dataOf(await scratch.builder.removeQuery(`${page}@fresh`));
    expect(scratch.files()).toEqual(before);
  });

  it('is removed with its method also when its route was edited', async () => {
    const before = scratch.files();
    dataOf(await scratch.builder.addQuery(page, count()));
    scratch.write(
      pagePath,
      scratch.read(pagePath).replace('value: await model.fresh()', 'value: (await model.fresh())! + 1'),
    );
    dataOf(await scratch.builder.removeQuery(`${page}@fresh`));
    expect(scratch.files()).toEqual(before);
  });

  it('leaves a method that something else calls, and the refusal of its name says what frees it', async () => {
    dataOf(await scratch.builder.addQuery(page, count()));
    scratch.write(
      modelPath,
      scratch
        .read(modelPath)
        .replace('return this.rows().count();', "console.log('asked');\n    return this.rows().count();"),
    );
    scratch.write('reports/use.js', 'export const use = (model) => model.fresh();\n');
    dataOf(await scratch.builder.removeQuery(`${page}@fresh`));
    expect(scratch.read(modelPath)).toContain("console.log('asked');");
    expect(await refusal(() => scratch.builder.addQuery(page, count()))).toMatchObject({
      code: 'duplicate_name',
      detail: expect.stringContaining(`rename or remove that member in ${modelPath}`) as string,
    });
    scratch.write(modelPath, scratch.read(modelPath).replace('fresh() {', 'earlier() {'));
    dataOf(await scratch.builder.addQuery(page, count()));
  });
});

describe('an expected version', () => {
  it('lets an edit pass when it is the one on disk, and is a conflict with the current one otherwise', async () => {
    const { version } = dataOf(await scratch.builder.getPageStructure(page));
    dataOf(await scratch.builder.addQuery(page, count(), { expectedVersion: version }));
    const { version: current } = dataOf(await scratch.builder.getPageStructure(page));
    expect(current).not.toBe(version);
    expect(
      await refusal(() => scratch.builder.removeQuery(`${page}@fresh`, { expectedVersion: version })),
    ).toMatchObject({ code: 'conflict', currentVersion: current });
    expect(
      await refusal(() => scratch.builder.configureQuery(`${page}@fresh`, {}, { expectedVersion: 'x' })),
    ).toMatchObject({ code: 'conflict', currentVersion: current });
  });

  it.each<[string, string, (text: string) => string]>([
    ['the model', modelPath, (text) => `${text}\n// saved by hand\n`],
    ['the resource', resourcePath, (text) => `${text}\n// saved by hand\n`],
  ])('changes with %s that the queries of the page are read from', async (_what, path, change) => {
    const { version } = dataOf(await scratch.builder.getPageStructure(page));
    scratch.write(path, change(scratch.read(path)));
    const { version: current } = dataOf(await scratch.builder.getPageStructure(page));
    expect(current).not.toBe(version);
    expect(await refusal(() => scratch.builder.addQuery(page, count(), { expectedVersion: version }))).toMatchObject({
      code: 'conflict',
      currentVersion: current,
    });
  });

  it('keeps the second of two authors who change params from overwriting the first', async () => {
    dataOf(await scratch.builder.addQuery(page, count()));
    const { version } = dataOf(await scratch.builder.getPageStructure(page));
    const params = (gift: boolean) => ({ params: { where: [{ field: 'gift', op: 'eq', value: gift } as const] } });
    dataOf(await scratch.builder.configureQuery(`${page}@fresh`, params(true), { expectedVersion: version }));
    expect(
      await refusal(() => scratch.builder.configureQuery(`${page}@fresh`, params(false), { expectedVersion: version })),
    ).toMatchObject({ code: 'conflict' });
    const { queries } = dataOf(await scratch.builder.getPageStructure(page));
    expect(queries.find(({ name }) => name === 'fresh')).toMatchObject(params(true));
  });
});
