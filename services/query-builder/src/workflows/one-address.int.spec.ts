/** Two writers that want one URL for different pages at the same time: one of them has it, the other is refused. */
import type { AddQueryInput } from '@platform/builder';
import { dataOf, openScratchProject, type ScratchProject } from '../testing/scratch-project';
import { newPage } from './scaffold';

let scratch: ScratchProject;
beforeEach(async () => {
  scratch = await openScratchProject();
  dataOf(await newPage(scratch.project, { pageRef: '/shop', title: 'Shop', permission: 'shop.read' }));
});
afterEach(() => scratch.remove());

const count = (name: string, resource: string, endpoint: string): AddQueryInput => ({
  name,
  resource,
  template: 'count',
  endpoint,
});
const codes = (results: readonly { ok: boolean; error?: { code: string } }[]) =>
  results.map((each) => (each.ok ? 'ok' : each.error!.code)).sort();

describe('one address', () => {
  it('is not given to routes of two pages', async () => {
    const { builder } = scratch;
    const results = await Promise.all([
      builder.addQuery('/shop', count('one', 'customers', '/orders/stats/same/:a')),
      builder.addQuery('/shop/orders', count('two', 'products', '/stats/same/:b')),
    ]);
    expect(codes(results)).toEqual(['duplicate_name', 'ok']);
  });

  it('is not given to a new route and a moved one', async () => {
    const { builder } = scratch;
    dataOf(await builder.addQuery('/shop', count('one', 'customers', '/first')));
    const results = await Promise.all([
      builder.configureQuery('/shop@one', { endpoint: '/orders/stats/two' }),
      builder.addQuery('/shop/orders', { name: 'two', resource: 'products', template: 'count' }),
    ]);
    expect(codes(results)).toEqual(['duplicate_name', 'ok']);
  });

  it('is not given to a route and a new page', async () => {
    const page = { pageRef: '/shop/fresh', title: 'Fresh', permission: 'shop.read' };
    const results = await Promise.all([
      scratch.builder.addQuery('/shop', count('one', 'customers', '/fresh')),
      newPage(scratch.project, page),
    ]);
    expect(codes(results)).toEqual(['duplicate_name', 'ok']);
  });
});
