/**
 * A page over a collection of another system, over HTTP: ids are checked before the database is asked, and labels are
 * shown.
 */
import { storedValues, type Document } from '@platform/mongo/test-database';
import { servePages, writeProject } from '../testing/serve-pages';

const files = {
  'resources/invoices/resource.ts': `import { defineResource } from '@platform/page-runtime';
export const invoices = defineResource('invoices', {
  collection: 'crm.invoices',
  tenantScoped: true,
  tenantField: 'account.org',
  fields: {
    gross: { type: 'price', path: 'totals.gross', stored: 'decimal' },
    customer: { type: 'relation', path: 'refs.customer', stored: 'objectId', labels: { from: 'customers', field: 'name' } },
  },
});
`,
  'resources/invoices/model.ts': `import { TableModel } from '@platform/page-runtime';
import { invoices } from './resource';
export class InvoicesModel extends TableModel<typeof invoices> {
  readonly resource = invoices;
  of(customer: string) {
    return this.rows().where('customer', 'eq', customer).aggregate('sum', 'gross');
  }
  best() {
    return this.rows().groupBy('customer').measure('sum', 'gross').orderBy('measure', 'desc');
  }
}
`,
  'pages/crm/page.ts': `import { Get, Model, Page, PagePermission, type PageUser, Query, arrange } from '@platform/page-runtime';
import { InvoicesModel } from '../../resources/invoices/model';
@Page({ title: 'Invoices', permission: 'shop.read', blocks: [{ kind: 'list', title: 'Best', rows: ['gross'], fetchUrl: '/dms/pages/crm/stats/best' }] })
export class CrmPage {
  @Get('/stats/of')
  async of(@PagePermission(CrmPage) _user: PageUser, @Model(InvoicesModel) model: InvoicesModel, @Query('customer') customer: string) {
    return { value: await model.of(customer) };
  }
  @Get('/stats/best')
  async best(@PagePermission(CrmPage) _user: PageUser, @Model(InvoicesModel) model: InvoicesModel) {
    return arrange(await model.best(), { response: 'items', measure: 'sum' });
  }
}
`,
};

const [ann, bo] = ['a'.repeat(24), 'b'.repeat(24)];

describe.each([
  ['within this process', {}],
  ['in a process of its own', { apart: {} }],
])('a page over a collection of another system whose code runs %s', (_where, options) => {
  it('finds rows by id and tenant where the declaration says, and labels them', async () => {
    const pages = await servePages(writeProject(files), options);
    const invoice = (org: string, customer: string, gross: string) =>
      storedValues({
        account: { org },
        refs: { customer: { $oid: customer } },
        totals: { gross: { $numberDecimal: gross } },
      }) as Document;
    await pages.insert('crm.invoices', [
      invoice('t1', ann!, '1.1'),
      invoice('t1', ann!, '2.2'),
      invoice('t1', bo!, '5'),
      invoice('t2', bo!, '700'),
    ]);
    await pages.insert('customers', [
      storedValues({ _id: { $oid: ann }, tenantId: 't1', name: 'Ann' }) as Document,
      storedValues({ _id: { $oid: bo }, tenantId: 't2', name: 'Bo of others' }) as Document,
    ]);
    expect(JSON.parse((await pages.get(`/dms/pages/crm/stats/of?customer=${ann}`)).text)).toEqual({ value: 3.3 });
    expect(JSON.parse((await pages.get('/dms/pages/crm/stats/best')).text)).toEqual({
      items: [
        { x: bo, y: 5 },
        { x: ann, y: 3.3, label: 'Ann' },
      ],
    });
    pages.commands();
    const refused = await pages.get('/dms/pages/crm/stats/of?customer=ann');
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('an id of 24 hexadecimal digits')]);
    expect(pages.commands()).toEqual([]);
    expect((await pages.get('/dms/pages/crm')).text).toContain('<bdi>Ann</bdi>');
    const rows = await pages.get(`/dms/pages/crm?rows=best&at=${encodeURIComponent(JSON.stringify(ann))}`);
    expect(rows.text).toContain('<h2><bdi>Best</bdi> · <bdi>Ann</bdi></h2>');
    await pages.close();
  });
});
