/**
 * Resources over collections that other systems fill: names, paths and forms of storage by mapping, labels by relation.
 */
import { Decimal128, ObjectId } from 'bson';
import { TableModel, type RowAccess } from './chain';
import { BadValueError } from './coercions';
import { defineResource } from './resource';
import { openTestStore, type TestStore } from './testing/store';

const invoices = defineResource('invoices', {
  collection: 'crm.invoices',
  tenantScoped: true,
  tenantField: 'account.org',
  fields: {
    amount: { type: 'price', path: 'totals.gross', stored: 'decimal' },
    issued: { type: 'date', path: 'dates.issued' },
    state: { type: 'select', path: 's', options: ['open', 'paid'] },
    customer: {
      type: 'relation',
      path: 'refs.customer',
      stored: 'objectId',
      labels: { from: 'crm.customers', field: 'name.full', tenantField: 'org' },
    },
    country: { type: 'string', path: 'account.country', labels: { from: 'countries', field: 'en', shared: true } },
  },
});

class Invoices extends TableModel<typeof invoices> {
  readonly resource = invoices;
  all = () => this.rows();
}

const ids = [1, 2, 3].map((each) => new ObjectId(String(each).padStart(24, 'a')));
const row = (org: string, gross: string, customer: unknown, s: string, issued: string, country: string) => ({
  account: { org, country },
  totals: { gross: Decimal128.fromString(gross) },
  dates: { issued: new Date(issued) },
  refs: { customer },
  s,
});

describe('a resource over any collection', () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openTestStore('mapped');
    await store.insert('crm.invoices', [
      row('acme', '0.1', ids[0], 'open', '2026-03-01T09:00:00Z', 'ch'),
      row('acme', '10.25', ids[0], 'paid', '2026-03-02T09:00:00Z', 'ch'),
      row('acme', '4', ids[1], 'paid', '2026-03-02T10:00:00Z', 'fr'),
      row('acme', '1', ids[2], 'paid', '2026-03-03T10:00:00Z', 'xx'),
      row('acme', '2', 'a text', 'paid', '2026-03-03T11:00:00Z', 'fr'),
      row('other', '1000', ids[0], 'paid', '2026-03-02T10:00:00Z', 'ch'),
    ]);
    await store.insert('crm.customers', [
      { _id: ids[0], org: 'acme', name: { full: 'Ann' } },
      { _id: ids[1], org: 'acme', name: { full: 'Bo' } },
      { _id: ids[2], org: 'other', name: { full: 'A secret of others' } },
    ]);
    await store.insert('countries', [
      { _id: 'ch', en: 'Switzerland' },
      { _id: 'fr', en: 'France' },
    ]);
  });
  afterAll(() => store.close());
  const rows = (access: RowAccess = store.access({ tenantId: 'acme' })) => new Invoices(access).all();

  it('reads nested fields and the tenant where the declaration says that they are', async () => {
    expect(await rows().count()).toBe(5);
    expect(await rows().where('state', 'eq', 'paid').aggregate('sum', 'amount')).toBe(17.25);
    const access = store.access({ tenantId: 'acme' });
    const days = await rows(access)
      .groupBy('issued', { bucket: 'day' })
      .measure('max', 'amount')
      .orderBy('group', 'asc');
    expect(days).toEqual([
      { x: 20_260_301, y: 0.1 },
      { x: 20_260_302, y: 10.25 },
      { x: 20_260_303, y: 2 },
    ]);
    expect(access.leftOut()).toEqual({ withoutDate: 0, withoutNumber: 0 });
  });

  it('compares decimals as decimals and ids as ids', async () => {
    expect(await rows().where('amount', 'eq', 0.1).count()).toBe(1);
    expect(await rows().where('amount', 'gt', 4).count()).toBe(1);
    expect(await rows().where('customer', 'eq', ids[0]!.toHexString().toUpperCase()).count()).toBe(2);
    await expect(rows().where('customer', 'eq', 'ann').count()).rejects.toThrow(BadValueError);
  });

  it('labels the groups of a relation by one look-up in the same command, with rows of its own tenant only', async () => {
    store.commands();
    const byCustomer = await rows().groupBy('customer').measure('count').orderBy('measure', 'desc').limit(4);
    expect(store.commands()).toEqual(['aggregate']);
    expect(byCustomer).toEqual([
      { x: ids[0]!.toHexString(), y: 2, label: 'Ann' },
      { x: null, y: 1 },
      { x: ids[1]!.toHexString(), y: 1, label: 'Bo' },
      { x: ids[2]!.toHexString(), y: 1 },
    ]);
    expect(await rows().groupBy('country').measure('sum', 'amount').orderBy('group', 'asc')).toEqual([
      { x: 'ch', y: 10.35, label: 'Switzerland' },
      { x: 'fr', y: 6, label: 'France' },
      { x: 'xx', y: 1 },
    ]);
  });

  it('refuses a mapping that the database would read as something else', () => {
    const fields = { a: { type: 'string' } } as const;
    const faults: [Parameters<typeof defineResource>[1], RegExp][] = [
      [{ collection: 'system.users', fields }, /names no collection/],
      [{ collection: 'a$b', fields }, /names no collection/],
      [{ tenantField: '$where', fields }, /its tenant is no path/],
      [{ fields: { a: { type: 'string', path: 'b..c' } } }, /the path of a/],
      [{ fields: { a: { type: 'string', path: '$$ROOT' } } }, /the path of a/],
      [{ fields: { a: { type: 'number', stored: 'objectId' } } }, /only a text/],
      [{ fields: { a: { type: 'string', stored: 'decimal' } } }, /no number/],
      [{ fields: { a: { type: 'string', labels: { from: 'x', field: '$y' } } } }, /the labels of a/],
    ];
    for (const [definition, fault] of faults) expect(() => defineResource('r', definition)).toThrow(fault);
  });
});
