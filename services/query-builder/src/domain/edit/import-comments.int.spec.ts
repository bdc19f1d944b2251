/** Comments in a list of imports: they stay with their name when the builder adds or removes other names. */
import { dataOf, openScratchProject, pagePath, type ScratchProject } from '../../testing/scratch-project';
import { count, ordersPage as page } from '../../testing/refusals';

let scratch: ScratchProject;
beforeEach(async () => void (scratch = await openScratchProject()));
afterEach(() => scratch.remove());

const list = /import \{[^}]*\} from '@platform\/page-runtime';/;
const rest = 'Model, Page, PagePermission, type PageUser, Query, arrange, asDate';
const write = (names: string): void => {
  expect(scratch.read(pagePath)).toMatch(list);
  const text = scratch.read(pagePath).replace(list, () => `import {${names}} from '@platform/page-runtime';`);
  scratch.write(pagePath, text);
};
const names = (): string => /import \{([^}]*)\}/.exec(scratch.read(pagePath))![1]!;

describe('a removed name of a list of imports', () => {
  it.each([
    ['the last', `\n  ${rest},\n  Get, // routes\n  Param, // segments, texts\n`, `\n  ${rest},\n  Get, // routes\n`],
    ['the last, no comma', `\n  ${rest},\n  Get, // routes\n  Param // texts\n`, `\n  ${rest},\n  Get // routes\n`],
    ['a middle one', `\n  Get, // routes\n  Param, // segments\n  ${rest},\n`, `\n  Get, // routes\n  ${rest},\n`],
    ['the first', `\n  Param,\n  // the others\n  Get,\n  ${rest},\n`, `\n  // the others\n  Get,\n  ${rest},\n`],
    ['one after a comma in a comment', ` Get, ${rest} /* a, b */, Param, `, ` Get, ${rest} /* a, b */, `],
    ['one on a line', ` Get, Param, ${rest} `, ` Get, ${rest} `],
  ])('that is %s leaves the comments of the others', async (_which, before, after) => {
    write(before);
    dataOf(await scratch.builder.removeQuery(`${page}@ordersOf`));
    expect(names()).toBe(after);
  });
});

describe('an added name of a list of imports', () => {
  const all = `Get, Param, ${rest}`;
  it.each([
    [`\n  ${all}, // the end\n`, `\n  ${all}, // the end\n  asNumber,\n`],
    [`\n  ${all} // the end\n`, `\n  ${all}, // the end\n  asNumber\n`],
    [` ${all} /* end */ `, ` ${all}, asNumber /* end */ `],
  ])('comes after the comment of the last one, and goes without it', async (before, after) => {
    write(before);
    const whole = scratch.files();
    const where = [{ field: 'total', op: 'ge', value: { $param: { name: 'least' } } }] as const;
    const { query } = dataOf(await scratch.builder.addQuery(page, count({ params: { where } })));
    expect(names()).toBe(after);
    dataOf(await scratch.builder.removeQuery(query));
    expect(scratch.files()).toEqual(whole);
  });
});
