/** What is written beside a query's method and route keeps its text and its meaning when the query changes or goes. */
import { count, ordersPage } from '../../testing/refusals';
import { dataOf, modelPath, openScratchProject, pagePath, type ScratchProject } from '../../testing/scratch-project';

let scratch: ScratchProject;
beforeEach(async () => {
  scratch = await openScratchProject();
  dataOf(await scratch.builder.addQuery(ordersPage, count()));
});
afterEach(() => scratch.remove());

/** Writes text around the method or the route of the query, and returns what the file is without the query. */
function between(path: string, before: string, after: string): string {
  const member = /\n\n( {2}(?:@Get\('\/stats\/fresh'\)\n {2}async )?fresh\([\s\S]*?\n {2}\})/;
  const text = scratch.read(path);
  scratch.write(
    path,
    text.replace(member, (_all, own: string) => `\n\n${before}\n${own}\n${after}`),
  );
  return text.replace(member, () => `\n\n${before}#\n${after}`);
}

describe('a property without a semicolon', () => {
  it.each([
    ['a generator', '  *each() { yield 1; }'],
    ['a computed member', "  ['a' + 1]() { return 1; }"],
    ['a computed property below a comment', "  // next\n  ['a'] = 1"],
    ['a property with the name of an operator', '  in = 1'],
  ])('is ended where a removed query was between it and %s', async (_what, next) => {
    const property = '  kept = [1] // of all';
    const expected = [modelPath, pagePath].map((path) => between(path, property, next));
    dataOf(await scratch.builder.removeQuery(`${ordersPage}@fresh`));
    expect([modelPath, pagePath].map((path) => scratch.read(path))).toEqual(
      expected.map((text) => text.replace('[1] // of all#', '[1]; // of all')),
    );
  });

  it('stays as it is where the next member cannot be read as a part of it', async () => {
    const expected = between(modelPath, '  kept = [1]', '  each() { return 1; }');
    dataOf(await scratch.builder.removeQuery(`${ordersPage}@fresh`));
    expect(scratch.read(modelPath)).toBe(expected.replace('#', ''));
  });
});

describe('a semicolon right behind a query', () => {
  it.each(['', ' // since May'])('goes with its method and its route: %j behind it', async (comment) => {
    const expected = [modelPath, pagePath].map((path) => between(path, '  kept = [1];', '  each() { return 1; };'));
    for (const path of [modelPath, pagePath])
      scratch.write(
        path,
        scratch.read(path).replace(/\}\n {2}each/, () => `};${comment}\n  each`),
      );
    dataOf(await scratch.builder.removeQuery(`${ordersPage}@fresh`));
    expect([modelPath, pagePath].map((path) => scratch.read(path))).toEqual(
      expected.map((text) => text.replace('#', '')),
    );
  });
});

describe('a comment on the line of the opening brace', () => {
  it.each(['\n', '\r\n'])('stays when the only member of the class is removed: line end %j', async (eol) => {
    const page = scratch.read(pagePath);
    const route = /@Get\('\/stats\/fresh'\)[\s\S]*?\n {2}\}\n/.exec(page)![0];
    const alone = page.slice(0, page.indexOf('export class')) + `export class OrdersPage { // since May\n  ${route}}\n`;
    scratch.write(pagePath, alone.replaceAll('\n', eol));
    dataOf(await scratch.builder.removeQuery(`${ordersPage}@fresh`));
    expect(scratch.read(pagePath)).toMatch(new RegExp(`export class OrdersPage \\{ // since May${eol}\\}${eol}$`));
  });
});

describe('a comment behind a method', () => {
  it('stays behind it when the method is a property without a semicolon whose chain gains steps', async () => {
    const method = /fresh\(\) \{[\s\S]*?\n {2}\}/;
    scratch.write(modelPath, scratch.read(modelPath).replace(method, 'fresh = () => this.rows().count() // of all'));
    const params = { op: 'sum', field: 'total', groupBy: 'createdAt', bucket: 'day' };
    dataOf(await scratch.builder.configureQuery(`${ordersPage}@fresh`, { template: 'series', params }));
    expect(scratch.read(modelPath)).toMatch(/\.orderBy\('group', 'asc'\) \/\/ of all\n/);
  });
});
