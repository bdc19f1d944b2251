/** The comments of a method whose query takes another one: in another model, or one that exists already. */
import { dataOf, modelPath, openScratchProject, pagePath, type ScratchProject } from '../testing/scratch-project';

const customersModel = 'resources/customers/model.ts';
const customersPage = 'pages/shop/customers/page.ts';
const ofGifts = { params: { where: [{ field: 'gift', op: 'eq', value: true }] } };
const gifts = (name: string) => `
  ${name}() {
    return this.rows()
      .where('gift', 'eq', true)
      .count();
  }
`;
const endOfClass = /\}\n$/;

/** A chain of one filter with a comment at every place. */
function withComments(text: string, name: string): string {
  return text.replace(new RegExp(`  ${name}\\(\\) \\{[\\s\\S]*?\\n  \\}\n`), (method) => {
    const inside = method
      .replace('{\n', '{\n    // agreed with finance\n')
      .replace("')\n", "') // asked for by mail\n")
      .replace('true)\n', 'true) // asked for by mail\n')
      .replace('.count()', '/* each once */ .count()');
    return `  /** Of those who pay. */\n  // since May\n${inside.trimEnd()} // as of today\n`;
  });
}

const commentsIn = (text: string): string[] => (text.match(/\/\/.*|\/\*.*?\*\//g) ?? []).sort();
const written = [
  '/* each once */',
  '/** Of those who pay. */',
  '// agreed with finance',
  '// as of today',
  '// asked for by mail',
  '// since May',
].sort();

describe('the comments of a method', () => {
  let scratch: ScratchProject;
  beforeEach(async () => void (scratch = await openScratchProject()));
  afterEach(() => scratch.remove());

  const commented = (path: string, name: string, more = '') => {
    scratch.write(path, withComments(scratch.read(path), name).replace(endOfClass, `${more}}\n`));
    expect(commentsIn(scratch.read(path))).toEqual(written);
    return scratch.read(path);
  };

  it('go with its query to the model of another resource, and the query can come back', async () => {
    const before = commented(customersModel, 'readers');
    const query = '/shop/customers@readers';
    dataOf(await scratch.builder.configureQuery(query, { resource: 'orders', ...ofGifts }));
    expect(scratch.read(customersModel)).not.toContain('readers');
    expect(commentsIn(scratch.read(modelPath))).toEqual(written);
    expect(scratch.read(modelPath)).toContain(".where('gift', 'eq', true) // asked for by mail\n");
    const { params } = { params: { where: [{ field: 'newsletter', op: 'eq', value: true }] } };
    dataOf(await scratch.builder.configureQuery(query, { resource: 'customers', params }));
    expect(scratch.read(customersModel)).toBe(before);
    expect(commentsIn(scratch.read(modelPath))).toEqual([]);
  });

  it('go with its query to a method of the same model, when the route needs another name', async () => {
    scratch.write(
      modelPath,
      scratch.read(modelPath).replace('  monthlyRevenue(', '  /** Net. */\n  // since May\n  monthlyRevenue('),
    );
    const before = scratch.read(modelPath);
    const query = '/shop/orders@monthlyRevenue';
    const { queries } = dataOf(await scratch.builder.getPageStructure('/shop/orders'));
    const { params } = queries.find(({ name }) => name === 'monthlyRevenue')!;
    dataOf(await scratch.builder.configureQuery(query, { params: { ...params, op: 'avg' } }));
    expect(scratch.read(modelPath)).toBe(
      before
        .replace("measure('sum', 'total')", "measure('avg', 'total')")
        .replace('monthlyRevenue(', 'monthlyRevenue2('),
    );
  });

  it('stay with it where its query takes a chain of the model that exists', async () => {
    const before = commented(modelPath, 'openOrders', gifts('openOrders2'));
    dataOf(await scratch.builder.configureQuery('/shop/orders@openOrders', ofGifts));
    expect(scratch.read(pagePath)).toContain('model.openOrders2()');
    expect(scratch.read(modelPath)).toBe(before);
  });

  it('stay with it where its query takes a chain of another model that exists', async () => {
    const before = commented(customersModel, 'readers');
    scratch.write(modelPath, scratch.read(modelPath).replace(endOfClass, `${gifts('readers')}}\n`));
    dataOf(await scratch.builder.configureQuery('/shop/customers@readers', { resource: 'orders', ...ofGifts }));
    expect(scratch.read(customersPage)).toContain('OrdersModel');
    expect(scratch.read(customersModel)).toBe(before);
  });

  it('keep no method that has none', async () => {
    scratch.write(modelPath, scratch.read(modelPath).replace(endOfClass, `${gifts('openOrders2')}}\n`));
    dataOf(await scratch.builder.configureQuery('/shop/orders@openOrders', ofGifts));
    expect(scratch.read(modelPath)).not.toContain('openOrders()');
  });
});
