/** A query or page that a person or another writer has edited since it was read is not overwritten. */
import type { BuilderError, BuilderResult } from '@platform/builder';
import { dataOf, modelPath, openScratchProject, pagePath, type ScratchProject } from '../testing/scratch-project';
import { count, ordersPage as page, refusalOf } from '../testing/refusals';

let scratch: ScratchProject;
beforeEach(async () => void (scratch = await openScratchProject()));
afterEach(() => scratch.remove());
const refusal = (run: () => Promise<BuilderResult<unknown>>): Promise<BuilderError> => refusalOf(scratch, run);

describe('a query that was edited beyond its grammar', () => {
  it('is not configured, but removed', async () => {
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
    expect(scratch.read(modelPath)).toContain('fresh() {');
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
});
