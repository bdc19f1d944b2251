/** A save on which others built since: taking it back would break their queries or change them. */
import { count, ordersPage as page, refusalOf } from '../testing/refusals';
import { dataOf, modelPath, openScratchProject, pagePath, type ScratchProject } from '../testing/scratch-project';
import { builderOver, type ReviewedBuilder } from './create-query-builder';
import { newPage } from './scaffold';
import { createLastSave, lastSaveOf, undoSave, withLastSave, type LastSave } from './undo-save';

let scratch: ScratchProject;
let last: LastSave;
/** The studio, whose last save can be taken back; `scratch.builder` is another writer, such as the command line. */
let studio: ReviewedBuilder;
beforeEach(async () => {
  scratch = await openScratchProject();
  last = createLastSave();
  studio = withLastSave(builderOver(scratch.ports), last, () => new Date('2026-06-01T10:00:00Z'));
});
afterEach(() => scratch.remove());

const fresh = count();
const undo = () => undoSave(scratch.ports, last);

const offered = async () => dataOf(await lastSaveOf(scratch.ports, last)).save;

describe('a save is not taken back', () => {
  it('nor offered, while a route of another page calls the method that it added', async () => {
    dataOf(await studio.addQuery(page, fresh));
    expect(await offered()).toMatchObject({ query: `${page}@fresh` });
    dataOf(await scratch.builder.addQuery('/shop/products', fresh));
    expect(await offered()).toBeUndefined();
    dataOf(await scratch.builder.removeQuery('/shop/products@fresh'));
    expect(await offered()).toMatchObject({ query: `${page}@fresh` });
  });

  it('when a route of another page calls the method that it added', async () => {
    dataOf(await studio.addQuery(page, fresh));
    dataOf(await scratch.builder.addQuery('/shop/products', fresh));
    const detail = expect.stringContaining('pages/shop/products/page.ts') as string;
    expect(await refusalOf(scratch, undo)).toMatchObject({ code: 'conflict', detail });
  });

  it('when a route of another page calls the method whose chain it changed', async () => {
    dataOf(await studio.addQuery(page, fresh));
    const paid = { where: [{ field: 'status', op: 'eq', value: 'paid' }] };
    dataOf(await studio.configureQuery(`${page}@fresh`, { params: paid }));
    dataOf(await scratch.builder.addQuery('/shop/products', { ...fresh, params: paid }));
    expect(await refusalOf(scratch, undo)).toMatchObject({ code: 'conflict' });
  });

  it('when something else in its page calls the method whose chain it changed', async () => {
    const paid = { where: [{ field: 'status', op: 'eq', value: 'paid' }] };
    dataOf(await studio.addQuery(page, fresh));
    dataOf(await studio.configureQuery(`${page}@fresh`, { params: paid }));
    const other = '\n  again(orders: OrdersModel) {\n    return orders.fresh();\n  }\n}\n';
    scratch.write(pagePath, scratch.read(pagePath).replace(/\}\s*$/, other));
    const detail = expect.stringContaining('pages/shop/orders/page.ts') as string;
    expect(await refusalOf(scratch, undo)).toMatchObject({ code: 'conflict', detail });
  });

  it('when a page has the address of the route that it removed', async () => {
    dataOf(await newPage(scratch.project, { pageRef: '/shop', title: 'Shop', permission: 'shop.read' }));
    dataOf(await studio.addQuery('/shop', { ...fresh, endpoint: '/late' }));
    dataOf(await studio.removeQuery('/shop@fresh'));
    dataOf(await newPage(scratch.project, { pageRef: '/shop/late', title: 'Late', permission: 'shop.read' }));
    const detail = expect.stringContaining('/shop/late') as string;
    expect(await refusalOf(scratch, undo)).toMatchObject({ code: 'conflict', detail });
  });

  it('and is, when its own route alone calls the method whose chain it changed', async () => {
    dataOf(await studio.addQuery(page, fresh));
    const before = scratch.files();
    const saved = dataOf(
      await studio.configureQuery(`${page}@fresh`, {
        params: { where: [{ field: 'status', op: 'eq', value: 'paid' }] },
      }),
    );
    expect(saved.changes.map(({ path }) => path)).toEqual([modelPath]);
    dataOf(await undo());
    expect(scratch.files()).toEqual(before);
  });

  it('and is, when what others wrote does not need it', async () => {
    scratch.write('lib/freshness.ts', 'export const freshness = (row: { fresh: number }) => row.fresh;\n');
    const before = scratch.files();
    dataOf(await studio.addQuery(page, fresh));
    dataOf(await scratch.builder.addQuery('/shop/products', { ...fresh, name: 'other', resource: 'products' }));
    dataOf(await undo());
    for (const path of [pagePath, modelPath]) expect(scratch.read(path)).toBe(before[path]);
  });
});
