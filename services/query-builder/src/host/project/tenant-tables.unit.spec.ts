import type { Resource } from '@platform/page-runtime';
import { joinTenantTables, ownedResource, tenantTablesOf } from './tenant-tables';

const calculation = { kind: 'scalar', where: [], op: 'count' } as const;
const resource = (more: Partial<Resource>): Resource => ({ name: 'orders', tenantScoped: false, fields: {}, ...more });
const honest = resource({
  collection: 'crm.orders',
  tenantScoped: true,
  tenantField: 'account.org',
  fields: { customer: { type: 'relation', labels: { from: 'customers', field: 'name' } } },
});
const tables = joinTenantTables(tenantTablesOf([{ resource: honest, calculation }]));

describe('rows of tenants', () => {
  it('are read as every page must that reads them, whatever it declares', () => {
    for (const collection of ['crm.orders'])
      expect(ownedResource(resource({ name: 'mine', collection }), tables)).toMatchObject({
        tenantScoped: true,
        tenantField: 'account.org',
      });
    expect(ownedResource(honest, tables)).toMatchObject({ tenantScoped: true, tenantField: 'account.org' });
    expect(ownedResource(resource({ name: 'countries' }), tables).tenantScoped).toBe(false);
  });

  it('are refused where a page names another tenant of them', () => {
    const other = resource({ collection: 'crm.orders', tenantScoped: true, tenantField: 'status' });
    expect(() => ownedResource(other, tables)).toThrow('different tenants');
  });

  it('give labels of the own tenant alone', () => {
    const labels = { from: 'customers', field: 'secret', shared: true };
    const fields = { customer: { type: 'relation', labels } } as const;
    const scoped = ownedResource(resource({ collection: 'crm.orders', fields }), tables);
    expect(scoped.fields['customer']?.labels).toMatchObject({ shared: false, tenantField: 'tenantId' });
    expect(ownedResource(resource({ name: 'countries', fields }), tables).fields['customer']?.labels).toBeUndefined();
  });
});
