/** The browser session on the running services: how it begins, which pages it opens, and which it never opens. */
import { newSigningKey } from '@platform/http-server';
import { callers, nowhere, openRouteMatrix, own, type RouteMatrix } from './route-matrix';

let mint: RouteMatrix['mint'];
let ask: RouteMatrix['ask'];

beforeAll(async () => {
  ({ mint, ask } = await openRouteMatrix());
});

describe('the session of a browser', () => {
  const form = (fields: Record<string, string>) =>
    ask(
      'query-builder',
      'POST',
      '/dms/pages-session',
      { 'content-type': 'application/x-www-form-urlencoded' },
      new URLSearchParams(fields).toString(),
    );
  const orders = '/dms/pages/shop/orders';

  it('begins with a good token alone, in a cookie that no script reads and no other address gets', async () => {
    const reader = await mint(callers['a reader of the pages']);
    const { status, headers } = await form({ token: reader, to: orders });
    expect([status, headers.get('location')]).toEqual([303, orders]);
    expect(headers.get('set-cookie')).toBe(`page_session=${reader}; Path=/dms/pages; HttpOnly; SameSite=Lax`);
    for (const token of [
      await mint(callers['a reader of the pages'], { signingKey: newSigningKey() }),
      `${reader}\r\nset-cookie: a=b`,
      '',
    ]) {
      const refused = await form({ token, to: orders });
      expect([refused.status, refused.headers.get('set-cookie')]).toEqual([401, null]);
    }
  });

  it('leads back to pages and to nowhere else', async () => {
    const token = await mint(callers['a reader of the pages']);
    for (const to of [
      'https://evil.example',
      '//evil.example',
      '/dms/pages//evil.example',
      '/dms/pages/../console',
      'javascript:alert(1)',
    ])
      expect((await form({ token, to })).headers.get('location')).toBe('/dms/pages');
  });

  it('opens the chart pages that the token opens, never queries, builder or other services', async () => {
    const cookie = `page_session=${await mint({ ...callers['the platform owner'], permissions: ['shop.orders.read'] })}`;
    const asking = async (path: string): Promise<number> =>
      (await ask('query-builder', 'GET', path, { cookie })).status;
    expect([await asking(orders), await asking('/dms/pages/shop/customers')]).toEqual([200, 403]);
    expect([await asking(`${orders}/stats/open-orders`), await asking('/api/builder/ListPages')]).toEqual([401, 401]);
    expect((await ask('operator', 'GET', '/api/saas/operations', { cookie })).status).toBe(401);
  });

  it('shows nothing of a foreign workspace on a chart page', async () => {
    const authorization = `Bearer ${await mint(callers['a reader in another workspace'])}`;
    const shown = async (workspace: string): Promise<string> =>
      (await ask('query-builder', 'GET', `${orders}?workspace=${workspace}`, { authorization })).text.replaceAll(
        workspace,
        'W',
      );
    expect(await shown(own)).toBe(await shown(nowhere));
  });
});
