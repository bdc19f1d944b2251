import { routesOfPage } from './page-queries';
import { readPageSource } from './source/class-source';
import type { ts } from './source/parse';

/** A page with so many routes. */
function pageOf(routes: number) {
  const list = Array.from({ length: routes }, (_unused, at) => `  @Get('/r${at}')\n  async r${at}() {}\n`).join('');
  const head = "import { Get, Page } from '@platform/page-runtime';\n@Page({ title: 'Shop', permission: 'p' })\n";
  return readPageSource('pages/shop/page.ts', `${head}export class ShopPage {\n${list}}\n`);
}

/** How often the statements of a page are walked while its routes are read. */
function walksOf(routes: number): number {
  let walks = 0;
  const page = pageOf(routes);
  const file = new Proxy(page.file, {
    get(target, key) {
      if (key === 'statements') walks += 1;
      return Reflect.get(target, key) as unknown;
    },
  }) as ts.SourceFile;
  expect(routesOfPage({ ...page, file })).toHaveLength(routes);
  return walks;
}

describe('the routes of a page', () => {
  it('are read with as many walks of the whole file, however many there are', () => {
    expect(walksOf(2)).toBeGreaterThan(0);
    expect(walksOf(40)).toBe(walksOf(2));
  });
});
