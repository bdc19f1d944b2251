/**
 * Queries are compared with what their page does when it runs: this shows the effects of modules that the reader of a
 * query does not open.
 */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createPageCatalog } from '../host/project/page-catalog';
import { openCodeStore } from '../host/project/code-store';
import { createCompiler } from '../host/project/compile-pages';
import { positionOf } from '../host/project/source-position';
import { scanProject } from '../host/project/scan-project';
import { createExecutions } from '../host/supervision/executions';
import { createPageTrial } from '../host/supervision/page-trial';
import { openPageCode } from '../host/page-code/open-page-code';
import { openTemplatePackages } from '../store/template-packages';
import { buildPageCode } from '../host/testing/serve-pages';
import { silentLog } from '@platform/kernel';
import {
  dataOf,
  modelPath,
  openScratchProject,
  pagePath,
  resourcePath,
  type ScratchProject,
} from '../testing/scratch-project';
import { createRowAccess } from '@platform/page-runtime';
import { queryTemplates } from '@platform/builder';
import { builtInTemplates } from '../domain/templates';
import { createQueryBuilder } from './create-query-builder';
import { configureQuery } from './configure-query';
import { pageStructure } from './page-structure';
import type { BuilderPorts } from './ports';
import { previewQuery } from './preview-query';

const ref = '/shop/orders';
const beside = 'lib/beside.ts';

let scratch: ScratchProject;
let close: () => void;

beforeEach(async () => void (scratch = await openScratchProject()));
afterEach(() => {
  close?.();
  scratch.remove();
});

/** Writes a module that a file imports only for its effects, and tries the pages as the service does. */
async function tried(text: string | undefined, importer = pagePath) {
  if (text !== undefined) {
    const up = '../'.repeat(importer.split('/').length - 1);
    scratch.write(beside, text);
    scratch.write(importer, `import '${up}lib/beside';\n${scratch.read(importer)}`);
  }
  const store = openCodeStore();
  const compiler = createCompiler(scratch.folder, store);
  const compilation = await compiler.compile(await scanProject(scratch.folder));
  const place = { program: await buildPageCode(), codeFolder: store.folder };
  const trial = createPageTrial({ ...place, timeMs: 20_000, idleMs: 60_000 });
  const catalog = createPageCatalog((page, place) => positionOf(page, store.folder, place));
  const verdicts = await trial.judge(compilation.pages);
  compilation.pages.forEach((page, at) => catalog.judge(page, verdicts[at]!));
  catalog.settle(compilation);
  const { signatureOf } = compiler;
  const executions = createExecutions(scratch.folder, { signatureOf, verdictOf: catalog.verdictOf }, 50);
  executions.settled({ compilation });
  const { executionOf } = executions;
  const code = openPageCode({
    ...place,
    log: silentLog,
    tenantTables: () => new Map(),
    restore: async () => undefined,
  });
  close = () => {
    trial.close();
    code.close();
    store.remove();
  };
  const ports: BuilderPorts = { ...scratch.ports, executions: { executionOf } };
  const served = catalog.served().find(({ compiled }) => compiled.pageRef === ref);
  const load = () => code.load(served!.compiled);
  /** What the serving process asks when the route is called. */
  const asked = async (method: string): Promise<object[]> => {
    const loading = await load();
    if (loading.kind === 'failed') throw new Error(loading.problem.message);
    const seen: object[] = [];
    const access = createRowAccess({
      tenantId: 't1',
      aggregate: async () => [],
      observe: (_resource, { where }) => void seen.push(...where),
    });
    await code.call(loading.loaded, method, { texts: {}, user: { id: 'u1', tenantId: 't1', permissions: [] }, access });
    return seen;
  };
  return { ports, load, asked };
}

async function read(ports: BuilderPorts) {
  const { queries } = dataOf(await pageStructure(ports, ref));
  return new Map(queries.map((query) => [query.name, query]));
}

const imports = `import { OrdersModel } from '../resources/orders/model';\nimport { orders } from '../resources/orders/resource';\n`;
/** A chain of the current version with another question. */
const other = `function () { return this.rows().where('status', 'eq', 'cancelled').count(); }`;

describe('queries whose page ran', () => {
  it('are certified where the page does what its source says, with everything that pages may contain beside', async () => {
    const { ports } = await tried(`
      export const registry = new Map<string, () => string>();
      registry.set('a', () => 'b');
      export class Money { static made = 0; constructor(readonly cents: number) { Money.made += 1; } plus(more: number) { return new Money(this.cents + more); } }
      Object.assign({}, new Money(1).plus(2));
      setTimeout(() => registry.clear(), 1);
    `);
    const queries = await read(ports);
    expect(queries.size).toBeGreaterThan(5);
    for (const query of queries.values()) expect(query).toMatchObject({ opaque: false });
    for (const query of queries.values()) expect(query).not.toHaveProperty('uncertified');
  });

  const laws: Readonly<Record<string, string>> = {
    'the prototype of the model, at load': `${imports}(OrdersModel.prototype).openOrders = ${other};`,
    'the prototype of the model, by a definition': `${imports}Object.defineProperty(OrdersModel.prototype, 'openOrders', { value: ${other} });`,
    'what the model inherits': `${imports}
const rows = (OrdersModel.prototype).rows;
      Object.defineProperty(OrdersModel.prototype, 'rows', { value() { return rows.call(this).where('status', 'ne', 'open'); } });`,
    'the prototype of the model, for values that no trial has': `${imports}
      const own = OrdersModel.prototype.openOrders;
      (OrdersModel.prototype).openOrders = function () { return this.access.tenantId === 'rehearsal' ? own.call(this) : this.rows().where('status', 'eq', 'cancelled').count(); };`,
    'the base of the model': `${imports}
      class Odd extends (Object.getPrototypeOf(OrdersModel)) { rows() { return super.rows().where('status', 'eq', 'cancelled'); } }
      Object.setPrototypeOf(OrdersModel.prototype, Odd.prototype);`,
    'the constructor of the base': `${imports}
      const base = Object.getPrototypeOf(OrdersModel);
      Object.setPrototypeOf(OrdersModel, class extends (base) { constructor(access) { super({ ...access, scalar: async () => 42 }); } });`,
    'the resource': `${imports}(orders.fields).status.path = 'shadow.status';`,
    'the options of every chain': `Object.defineProperty(Object.prototype, 'zone', { value: 'Asia/Tokyo', configurable: true });\nexport {};`,
    'the language': `const filter = Array.prototype.map;\nArray.prototype.map = function (...given) { return filter.apply(this, given); };\nexport {};`,
  };

  it.each(Object.entries(laws))('are opaque where an imported module replaces %s', async (_what, text) => {
    const { ports } = await tried(text);
    const query = (await read(ports)).get('openOrders')!;
    expect(query).toMatchObject({ opaque: true, opaqueReason: 'unparseable_chain' });
    expect(query.opaqueDetail).toMatch(/another file|does not load: lib\/beside/);
    const input = { query: `${ref}@openOrders`, args: {} };
    expect(await configureQuery(ports, input.query, { endpoint: '/stats/elsewhere' })).toMatchObject({
      error: { code: 'opaque_target' },
    });
    const reads = { aggregate: async () => [], explain: async () => null, indexes: async () => [] };
    expect(await previewQuery(ports, reads, input)).toMatchObject({ error: { code: 'opaque_target' } });
  });

  const inVain: Readonly<Record<string, string>> = {
    'the base class': `import { TableModel } from '@platform/page-runtime';\n(TableModel.prototype).rows = function () { throw new Error('mine'); };`,
    'a step of the chain': `import { Rows } from '@platform/page-runtime';\n(Rows.prototype).count = function () { return this.aggregate('max', 'total'); };`,
    'the model, by a timer and a promise': `${imports}
      const meddle = () => { (OrdersModel.prototype).openOrders = ${other}; };
      setTimeout(meddle, 1);
      queueMicrotask(meddle);`,
    'the model, again and again': `${imports}
      const meddle = () => { Reflect.defineProperty(OrdersModel.prototype, 'openOrders', { value: ${other} }); };
      setInterval(meddle, 0);
      setImmediate(meddle);`,
    'the base of the model, later': `${imports}
      const base = Object.getPrototypeOf(OrdersModel.prototype);
      const odd = Object.create(base, { rows: { value() { return base.rows.call(this).where('status', 'eq', 'cancelled'); } } });
      queueMicrotask(() => { Reflect.setPrototypeOf(OrdersModel.prototype, odd); });`,
  };

  it.each(Object.entries(inVain))(
    'are certified where a module tries to replace %s and cannot',
    async (_what, text) => {
      const { ports, asked } = await tried(text);
      const query = (await read(ports)).get('openOrders')!;
      expect(query).toMatchObject({ opaque: false });
      expect(query).not.toHaveProperty('uncertified');
      // The second call comes after the effects of the first one.
      for (const _call of [1, 2])
        expect(await asked('openOrders')).toEqual([{ field: 'status', op: 'eq', value: 'pending' }]);
    },
  );

  it('are opaque where a module breaks the page because the runtime is final', async () => {
    const { ports } = await tried(
      `import { Rows } from '@platform/page-runtime';\nObject.defineProperty(Rows.prototype, 'count', { value: () => 7 });`,
    );
    expect((await read(ports)).get('openOrders')).toMatchObject({
      opaque: true,
      opaqueDetail: expect.stringMatching(/^the page does not load: lib\/beside.ts:2: Cannot redefine property: count/),
    });
  });

  it('are not served where a module exchanges them in the process that serves and not in the one that tries', async () => {
    const { ports, load } = await tried(`${imports}
      Error.stackTraceLimit = 100;
      if (!new Error().stack!.includes('judgePage')) (OrdersModel.prototype).openOrders = ${other};`);
    expect((await read(ports)).get('openOrders')).toMatchObject({ opaque: false });
    expect(await load()).toMatchObject({
      kind: 'failed',
      problem: { message: expect.stringMatching(/replaced OrdersModel.openOrders .* did not when the page was tried/) },
    });
  });

  it('are certified with a calculation of a package too, and opaque without the package that they name', async () => {
    const name = '@platform/example-query-templates';
    mkdirSync(join(scratch.folder, 'node_modules/@platform'), { recursive: true });
    symlinkSync(join(__dirname, '../../../../examples/query-templates'), join(scratch.folder, 'node_modules', name));
    scratch.write('templates.json', JSON.stringify([name]));
    const file = join(scratch.folder, 'templates.json');
    const removals = builtInTemplates.map((template) => queryTemplates.register(template));
    const packages = await openTemplatePackages({ file, registry: queryTemplates, log: silentLog, lookMs: 0 });
    const params = { field: 'channel', where: [{ field: 'total', op: 'ge', value: { $param: { name: 'least' } } }] };
    const builder = createQueryBuilder(scratch.project, queryTemplates);
    dataOf(await builder.addQuery(ref, { name: 'channels', resource: 'orders', template: 'distinct-count', params }));
    const { ports: tests } = await tried(undefined);
    const ports = { ...tests, templates: queryTemplates };
    const { executionOf } = tests.executions!;
    const held = await read({ ...ports, executions: { executionOf, exported: packages.exported } });
    expect(held.get('channels')).toMatchObject({ opaque: false, template: 'distinct-count' });
    expect(held.get('channels')).not.toHaveProperty('uncertified');
    expect((await read(ports)).get('channels')).toMatchObject({ opaque: true });
    packages.close();
    removals.forEach((remove) => remove());
  });

  it('are uncertified, and editable, where the code did not run', async () => {
    const queries = await read(scratch.ports);
    expect(queries.get('openOrders')).toMatchObject({
      opaque: false,
      uncertified: expect.stringMatching(/no process runs/),
    });
  });

  it('are uncertified, and editable, where the page itself does not load', async () => {
    scratch.write(pagePath, scratch.read(pagePath).replace("'shop.orders.read'", "''"));
    const { ports } = await tried(undefined);
    expect((await read(ports)).get('openOrders')).toMatchObject({
      opaque: false,
      uncertified: expect.stringMatching(/does not load: pages\/shop\/orders\/page.ts:\d+: a page needs/),
    });
  });

  it.each([pagePath, modelPath, resourcePath])('are uncertified while %s is newer than what ran', async (path) => {
    const { ports } = await tried(undefined);
    scratch.write(path, `${scratch.read(path)}\n`);
    expect((await read(ports)).get('openOrders')).toMatchObject({
      uncertified: expect.stringMatching(/not run this version/),
    });
  });

  it.each([pagePath, modelPath, resourcePath])(
    'are uncertified for a reader whose text of %s is older than what ran, because another one wrote meanwhile',
    async (path) => {
      const { ports } = await tried(undefined);
      const now = Object.fromEntries([pagePath, modelPath, resourcePath].map((each) => [each, scratch.read(each)]));
      const { executionOf } = ports.executions!;
      expect(await executionOf(ref, now)).toMatchObject({ kind: 'ran' });
      expect(await executionOf(ref, { ...now, [path]: `${now[path]}\n` })).toEqual({
        kind: 'not_run',
        why: 'the service has not run this version of the page yet',
      });
    },
  );
});
