import { introspected } from '../http/studio-schemas';
import { introspect } from './introspect';

class Stored {
  constructor(readonly _bsontype: string) {}
}
const id = (): Stored => new Stored('ObjectId');
const decimal = (): Stored => new Stored('Decimal128');

const documents = Array.from({ length: 60 }, (_unused, index) => ({
  _id: id(),
  account: { org: 'acme', country: index % 2 === 0 ? 'ch' : 'fr' },
  totals: { gross: decimal(), net_price: index + 0.5, count: index },
  dates: { issued: new Date(0), 'last seen': new Date(0) },
  owner: `p${index}@example.com`,
  site: 'https://example.com',
  customer: id(),
  tags: ['a', 'b'],
  lines: [{ sku: 'x' }],
  odd: index === 0 ? 'n/a' : index,
  paid: true,
  comment: `text ${index}`,
  nothing: null,
}));

describe('a resource that is proposed from documents', () => {
  it('has names, types, paths and forms of storage as they are found', () => {
    const found = introspect(documents, { collection: 'crm.invoices', tenantField: 'account.org' });
    expect(found?.resource).toEqual({
      name: 'crm-invoices',
      title: 'Crm invoices',
      collection: 'crm.invoices',
      tenantScoped: true,
      tenantField: 'account.org',
      fields: [
        { name: 'accountCountry', type: 'select', options: ['ch', 'fr'], path: 'account.country' },
        { name: 'totalsGross', type: 'price', stored: 'decimal', path: 'totals.gross' },
        { name: 'totalsNetPrice', type: 'price', path: 'totals.net_price' },
        { name: 'totalsCount', type: 'number', path: 'totals.count' },
        { name: 'datesIssued', type: 'date', path: 'dates.issued' },
        { name: 'datesLastSeen', type: 'date', path: 'dates.last seen' },
        { name: 'owner', type: 'email' },
        { name: 'site', type: 'url' },
        { name: 'customer', type: 'relation', stored: 'objectId' },
        { name: 'tags', type: 'string', multiple: true },
        { name: 'odd', type: 'number' },
        { name: 'paid', type: 'boolean' },
        { name: 'comment', type: 'string' },
      ],
    });
  });

  it('says what the sample cannot prove', () => {
    const { notes = [] } = introspect(documents, { collection: 'crm.invoices', tenantField: 'account.org' }) ?? {};
    expect(notes.join('\n')).toMatch(/odd holds 59 × number, 1 × text/);
    expect(notes.join('\n')).toMatch(/account\.country is a select of the 2 texts in 60 rows/);
    expect(notes.join('\n')).toMatch(/lines is left out/);
    expect(notes).toHaveLength(3);
  });

  it('takes tenantId for the workspace only where each row has one, and says where none is named', () => {
    const own = [{ tenantId: 'a', x: 1 }];
    expect(introspect(own, { collection: 'orders' })?.resource).toEqual({
      name: 'orders',
      title: 'Orders',
      tenantScoped: true,
      fields: [{ name: 'x', type: 'number' }],
    });
    const some = introspect([...own, { x: 2 }], { collection: 'orders' });
    expect(some?.resource.tenantScoped).toBe(false);
    expect(some?.notes[0]).toMatch(/sees all of them/);
    expect(introspect([...own, { x: 2 }], { collection: 'orders', tenantField: 'tenantId' })?.notes[0]).toMatch(
      /1 of 2 rows have no text in tenantId/,
    );
  });

  it.each([
    [
      'a path',
      { ok: 1, byAddress: { ['https://example'.repeat(20)]: 1 } },
      'c',
      'byAddress.https://examplehttps://example',
    ],
    [
      'the list of fields',
      Object.fromEntries(Array.from({ length: 203 }, (_unused, at) => [`f${at}`, at])),
      'c',
      '3 of 203 fields are left out',
    ],
    ['the name of the collection', { ok: 1 }, 'archive-of-the-year-'.repeat(6), 'rows name no workspace'],
  ])('is one that a resource can be made of, and says what it leaves out, where %s is too long', (...given) => {
    const [, document, collection, said] = given;
    const found = introspect([document], { collection });
    expect(introspected.safeParse(found).error?.issues).toBeUndefined();
    expect(found?.notes.join('\n')).toContain(said);
  });

  it('makes names that queries can use, each once, and nothing of what is no field', () => {
    const names = (document: Readonly<Record<string, unknown>>) =>
      introspect([document], { collection: 'c' })?.resource.fields.map(({ name, path }) => [name, path]);
    expect(names({ 'a-b': 1, aB: 2, '9': 3, constructor: 4 })).toEqual([
      ['value', '9'],
      ['aB', 'a-b'],
      ['aB2', 'aB'],
      ['constructorValue', 'constructor'],
    ]);
    expect(names({ $where: 1, 'a.b': 2, '': 3 })).toBeUndefined();
    expect(introspect([], { collection: 'c' })).toBeUndefined();
  });
});
