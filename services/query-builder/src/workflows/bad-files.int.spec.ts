/** Project files that cannot be read or may not be written are refused by name, and pages are found only inside the project. */
import type { BuilderError, BuilderResult } from '@platform/builder';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataOf, modelPath, openScratchProject, pagePath, type ScratchProject } from '../testing/scratch-project';
import { count, errorOf, ordersPage as page, refusalOf } from '../testing/refusals';

let scratch: ScratchProject;
beforeEach(async () => void (scratch = await openScratchProject()));
afterEach(() => scratch.remove());
const refusal = (run: () => Promise<BuilderResult<unknown>>): Promise<BuilderError> => refusalOf(scratch, run);

describe('files that are not as they should be', () => {
  it('name their line when they cannot be parsed', async () => {
    scratch.write(pagePath, `${scratch.read(pagePath)}\nexport class {`);
    expect(await refusal(() => scratch.builder.addQuery(page, count()))).toMatchObject({
      code: 'source_error',
      file: pagePath,
    });
    expect(await refusal(() => scratch.builder.getPageStructure(page))).toMatchObject({
      code: 'source_error',
      file: pagePath,
    });
  });

  it.each<[string, string, (text: string) => string]>([
    [
      'two page classes',
      pagePath,
      (text) => `${text}\n@Page({ title: 'x', permission: 'y' })\nexport class Second {}\n`,
    ],
    ['an anonymous page class', pagePath, (text) => text.replace('export class OrdersPage', 'export default class')],
    ['no page class', pagePath, (text) => text.replace('@Page(', 'Page(')],
    ['a model that is not exported', modelPath, (text) => text.replace('export class', 'class')],
    ['a model of another resource', modelPath, (text) => text.replace('= orders;', '= customers;')],
    [
      'a resource of another name',
      'resources/orders/resource.ts',
      (text) => text.replace("defineResource('orders'", "defineResource('others'"),
    ],
    [
      'a resource that is computed',
      'resources/orders/resource.ts',
      (text) => text.replace("type: 'price'", 'type: kind()'),
    ],
  ])('are refused: %s', async (_what, path, change) => {
    scratch.write(path, change(scratch.read(path)));
    expect(await refusal(() => scratch.builder.addQuery(page, count()))).toMatchObject({
      code: 'source_error',
      file: path,
    });
  });

  it.each([
    ['runs code of its own', (text: string) => `${text}\nOrdersPage.prototype;\n`, 'OrdersPage.prototype'],
    [
      'has a base class',
      (text: string) => text.replace('class OrdersPage', 'class OrdersPage\n  extends Base'),
      'extends',
    ],
  ])('are refused with their line when the page %s', async (why, change, shown) => {
    scratch.write(pagePath, change(scratch.read(pagePath)));
    const line = scratch.read(pagePath).split(shown)[0]!.split('\n').length;
    expect(await refusal(() => scratch.builder.addQuery(page, count()))).toMatchObject({
      code: 'source_error',
      file: pagePath,
      line,
      message: expect.stringMatching(`^the page ${why}.* could exchange its routes$`) as string,
    });
  });

  it('are refused when they are no UTF-8, too large, read-only or lead out of the project', async () => {
    const before = scratch.read(pagePath);
    scratch.write(pagePath, Buffer.from([0xff, 0xfe, 0x41, 0x00]));
    expect(errorOf(await scratch.builder.addQuery(page, count())).code).toBe('source_error');
    scratch.write(pagePath, `${before}// ${'x'.repeat(4_000_000)}`);
    expect(errorOf(await scratch.builder.addQuery(page, count())).code).toBe('unsupported');
    scratch.write(pagePath, before);
    chmodSync(join(scratch.folder, pagePath), 0o444);
    expect(await refusal(() => scratch.builder.addQuery(page, count()))).toMatchObject({
      code: 'unsupported',
      detail: expect.stringContaining('read-only') as string,
    });
    chmodSync(join(scratch.folder, pagePath), 0o644);
    writeFileSync('/tmp/outside-page.ts', before);
    rmSync(join(scratch.folder, pagePath));
    symlinkSync('/tmp/outside-page.ts', join(scratch.folder, pagePath));
    expect(errorOf(await scratch.builder.addQuery(page, count()))).toMatchObject({
      code: 'unsupported',
      detail: expect.stringContaining('out of the project') as string,
    });
    rmSync('/tmp/outside-page.ts');
  });

  it('are refused by name when they are a link to themselves', async () => {
    rmSync(join(scratch.folder, pagePath));
    symlinkSync('page.ts', join(scratch.folder, pagePath));
    const refused = { code: 'unsupported', detail: `${pagePath} is a link that leads to itself` };
    expect(errorOf(await scratch.builder.getPageStructure(page))).toMatchObject(refused);
    expect(errorOf(await scratch.builder.addQuery(page, count()))).toMatchObject(refused);
  });

  it('hold no removal up when another source is a link to itself', async () => {
    symlinkSync('self.ts', join(scratch.folder, 'self.ts'));
    dataOf(await scratch.builder.removeQuery(`${page}@openOrders`));
    expect(scratch.read(modelPath)).not.toContain('openOrders');
  });

  it('are written through a link that stays inside, and keep their mode', async () => {
    mkdirSync(join(scratch.folder, 'shared'));
    writeFileSync(join(scratch.folder, 'shared/page.ts'), scratch.read(pagePath), { mode: 0o600 });
    rmSync(join(scratch.folder, pagePath));
    symlinkSync('../../../shared/page.ts', join(scratch.folder, pagePath));
    dataOf(await scratch.builder.addQuery(page, count({ endpoint: '/fresh' })));
    expect(scratch.read('shared/page.ts')).toContain("@Get('/fresh')");
  });

  it.each([
    '/../../etc/passwd',
    '/shop/../shop/orders',
    'shop/orders',
    '/shop//orders',
    '/Shop',
    '',
    '/shop/orders\0',
    7,
    null,
  ])('are not found under %p', async (pageRef) => {
    expect((await refusal(() => scratch.builder.addQuery(pageRef as string, count()))).code).toBe('not_found');
    expect((await refusal(() => scratch.builder.getPageStructure(pageRef as string))).code).toBe('not_found');
    expect((await refusal(() => scratch.builder.removeQuery(`${String(pageRef)}@x`))).code).toBe('not_found');
  });
});
