/** A page whose declarations the serving process does not accept fails its trial, and never ends the code of others. */
import { rmSync } from 'node:fs';
import { servePages, writeProject } from '../testing/serve-pages';
import { testProject } from '../testing/project';

const page = testProject['pages/shop/orders/page.ts']!;
const resource = testProject['resources/orders/resource.ts']!;
const inBlock = (more: string): Record<string, string> => ({
  'pages/shop/orders/page.ts': page.replace("title: 'Revenue',", `title: 'Revenue', ${more},`),
});

describe('a page fails its trial', () => {
  it.each([
    ['a unit of 13 characters', inBlock("unit: 'orders/month '"), /blocks\.0\.unit/],
    ['a direction that is none', inBlock("better: 'sideways' as never"), /blocks\.0\.better/],
    ['seven decimal places', inBlock('decimals: 7'), /blocks\.0\.decimals/],
    [
      'a resource of another name than its folder could have',
      { 'resources/orders/resource.ts': resource.replace("'orders'", "'orderLines'") },
      /resource\.name/,
    ],
  ])('for %s', async (_what, changed, message) => {
    const folder = writeProject({ ...testProject, ...changed });
    await expect(servePages(folder, { apart: {} })).rejects.toThrow(message);
    rmSync(folder, { recursive: true });
  });
});
