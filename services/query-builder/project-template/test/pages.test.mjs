// Every page loads, and every chain of every route can run. The service makes the same check before it serves a page;
// this test makes it in your own CI.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { isEndpoint } from '@platform/base/page';
import { pageOf, rehearse, routesOf } from '@platform/page-runtime';

const require = createRequire(import.meta.url);
const compiled = new URL('../.compiled/pages', import.meta.url).pathname;
const pages = readdirSync(compiled, { recursive: true }).filter((file) => file.endsWith('page.js'));

await test('the project has pages', () => assert.notEqual(pages.length, 0));

for (const file of pages)
  await test(`${file} can be served`, async () => {
    const page = Object.values(require(join(compiled, file))).find((each) => pageOf(each));
    assert.ok(page, 'the file exports a class with @Page');
    for (const route of routesOf(page)) {
      assert.ok(isEndpoint(route.endpoint), route.endpoint);
      // Throws for a chain that no request can run.
      const { calculations } = await rehearse(page, route);
      assert.notEqual(calculations.length, 0, `${route.method} asks for nothing`);
    }
  });
