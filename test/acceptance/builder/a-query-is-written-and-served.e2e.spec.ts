/**
 * The query builder as a service: operations over HTTP and on the command line, and pages that answer the written
 * queries.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@platform/testing';
import { runProgram } from '../../support/run-program';
import { startBuilderService, type BuilderService } from './builder-service';

const page = '/shop/orders';

let service: BuilderService | undefined;
let project: string;
let ask: BuilderService['ask'];
let operate: BuilderService['operate'];
let owner: string;
let reader: string;

beforeAll(async () => {
  service = await startBuilderService();
  ({ project, ask, operate, owner, reader } = service);
});
afterAll(() => service?.stop());

describe('the builder operations over HTTP', () => {
  it('are for platform owners', async () => {
    for (const [method, path] of [
      ['GET', '/api/builder/ListQueryTemplates'],
      ['GET', `/api/builder/GetPageStructure?pageRef=${page}`],
      ['POST', '/api/builder/AddQuery'],
    ] as const) {
      expect((await ask(method, path)).status).toBe(401);
      expect((await ask(method, path, reader)).status).toBe(403);
    }
  });

  it('list templates, resources and pages', async () => {
    const templates = (await ask('GET', '/api/builder/ListQueryTemplates', owner)).body as { data: { id: string }[] };
    expect(templates.data.map(({ id }) => id)).toEqual(['count', 'aggregate', 'series']);
    expect((await ask('GET', '/api/builder/ListPages', owner)).body).toMatchObject({
      data: { pages: ['/shop/customers', '/shop/orders', '/shop/products'] },
    });
    const resources = (await ask('GET', '/api/builder/ListResources', owner)).body as {
      data: { resources: { name: string; fields: object[] }[] };
    };
    expect(resources.data.resources.map(({ name }) => name)).toEqual(['customers', 'orders', 'products']);
    expect(resources.data.resources[1]!.fields).toContainEqual({
      name: 'total',
      type: 'price',
      kind: 'number',
      ops: ['eq', 'ne', 'gt', 'ge', 'lt', 'le'],
    });
  });

  it('write a query that the page answers, change it, and take it back to the byte', async () => {
    const before = ['pages/shop/orders/page.ts', 'resources/orders/model.ts'].map((file) =>
      readFileSync(join(project, file), 'utf8'),
    );
    const draft = {
      name: 'bigOrders',
      resource: 'orders',
      template: 'count',
      params: { where: [{ field: 'total', op: 'ge', value: { $param: { name: 'least' } } }] },
    };
    const preview = await operate('PreviewQuery', { query: draft, args: { least: '50' }, tenant: 'acme' });
    expect(preview.body).toMatchObject({
      ok: true,
      data: { output: 'scalar', truncated: false, body: { value: expect.any(Number) as number } },
    });

    const added = await operate('AddQuery', { pageRef: page, input: draft });
    expect(added).toMatchObject({
      status: 200,
      body: { ok: true, data: { query: `${page}@bigOrders`, route: '/dms/pages/shop/orders/stats/big-orders' } },
    });
    const route = '/dms/pages/shop/orders/stats/big-orders';
    // For a moment the previous version still answers requests on its connections.
    let served: object = {};
    await eventually(
      async () => {
        const answer = await ask('GET', `${route}?least=50`, reader);
        served = answer.body;
        return answer.status === 200;
      },
      { describe: 'a page that answers the new query' },
    );
    expect(served).toEqual((preview.body as { data: { body: object } }).data.body);
    const structure = await ask('GET', `/api/builder/GetPageStructure?pageRef=${page}`, owner);
    const { queries } = (structure.body as { data: { queries: { opaque: boolean; uncertified?: string }[] } }).data;
    expect(queries.filter(({ opaque, uncertified }) => opaque || uncertified !== undefined)).toEqual([]);
    await eventually(async () => (await ask('GET', `${route}?least=50`)).status === 401, {
      describe: 'a new query that is guarded',
    });
    await eventually(async () => (await ask('GET', `${route}?least=many`, reader)).status === 400, {
      describe: 'a new query that judges its values',
    });

    await operate('ConfigureQuery', {
      query: `${page}@bigOrders`,
      patch: { params: { where: [{ field: 'total', op: 'lt', value: { $param: { name: 'least' } } }] } },
    });
    await eventually(async () => Number((await ask('GET', `${route}?least=1000000`, reader)).body['value']) > 0, {
      describe: 'a page that answers the changed query',
    });

    expect((await operate('RemoveQuery', { query: `${page}@bigOrders` })).body).toMatchObject({ ok: true });
    expect(
      ['pages/shop/orders/page.ts', 'resources/orders/model.ts'].map((file) =>
        readFileSync(join(project, file), 'utf8'),
      ),
    ).toEqual(before);
    await eventually(async () => (await ask('GET', `${route}?least=1`, reader)).status === 404, {
      describe: 'a page without the removed query',
    });
  });

  it('refuse with a stable code and pointers', async () => {
    expect(
      await operate('AddQuery', {
        pageRef: page,
        input: { name: 'then', resource: 'orders', template: 'count', params: { $expr: 1 } },
      }),
    ).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_config',
        ok: false,
        errors: [{ pointer: '/input/params/$expr' }, { pointer: '/input/name' }],
      },
    });
    expect(
      await operate('AddQuery', {
        pageRef: page,
        input: { name: 'openOrders', resource: 'orders', template: 'count' },
      }),
    ).toMatchObject({ status: 409, body: { code: 'duplicate_name', error: { scope: 'query' } } });
    expect(await operate('ConfigureQuery', { query: `${page}@nothing`, patch: {} })).toMatchObject({
      status: 404,
      body: { code: 'not_found', detail: `The project has no ${page}@nothing.` },
    });
    expect(await operate('RemoveQuery', { query: `${page}@openOrders`, expectedVersion: 'old' })).toMatchObject({
      status: 409,
      body: { code: 'conflict', error: { currentVersion: expect.stringMatching(/^[0-9a-f]{64}$/) as string } },
    });
    expect(await operate('PreviewQuery', { query: `${page}@dailyOrders`, tenant: 'acme' })).toMatchObject({
      status: 400,
      body: { error: { issues: [{ pointer: '/args/from' }] } },
    });
    expect(await operate('AddQuery', { pageRef: page })).toMatchObject({ status: 400 });
  });

  it('preview a series with its pipeline and explanation, cut at 500 points', async () => {
    const written = await operate('PreviewQuery', {
      query: `${page}@dailyOrders`,
      args: { from: '2024-01-01' },
      tenant: 'acme',
    });
    expect(written.body).toMatchObject({ ok: true, data: { output: 'series', truncated: false } });
    const { body } = await operate('PreviewQuery', {
      query: { resource: 'orders', template: 'series', params: { groupBy: 'number' } },
      tenant: 'acme',
    });
    expect(body).toMatchObject({ ok: true, data: { output: 'series', truncated: true } });
    const { data } = body as unknown as {
      data: { body: { series: { x: number }[] }; pipeline: object[]; explain: object };
    };
    expect(data.body.series).toHaveLength(500);
    expect(data.pipeline.map((stage) => Object.keys(stage)[0])).toEqual(['$match', '$group', '$sort', '$limit']);
    expect(data.explain).not.toBeNull();
  });
});

describe('npm run builder', () => {
  const builder = (...args: string[]) =>
    runProgram(['dist/services/query-builder/builder.js', ...args, '--project', project]);

  it('shows what it would write before it writes', async () => {
    const input = [
      'add',
      page,
      '--name',
      'gifts',
      '--resource',
      'orders',
      '--template',
      'count',
      '--params',
      '{"where":[{"field":"gift","op":"eq","value":true}]}',
    ];
    const shown = await builder(...input, '--dry-run');
    const [diff, said] = shown.stdout.split(/\n(?=nothing was written)/);
    expect(diff).toContain("+      .where('gift', 'eq', true)");
    expect(said).toContain('--dry-run');
    expect((await builder('list', page)).stdout).not.toContain('gifts');
    const written = await builder(...input);
    expect(written.stdout).toContain(diff!.trim());
    expect(written.stdout).toContain('/shop/orders@gifts answers at /dms/pages/shop/orders/stats/gifts');
    expect(JSON.parse((await builder('show', `${page}@gifts`)).stdout)).toMatchObject({
      template: 'count',
      opaque: false,
    });
    expect((await builder('configure', `${page}@gifts`, '--endpoint', '/gifts')).stdout).toContain("+  @Get('/gifts')");
    expect((await builder('remove', `${page}@gifts`)).status).toBe(0);
  });

  it('explains what is wrong', async () => {
    expect(await builder('add', page, '--name', 'then')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/invalid_config[\s\S]*\/name is reserved/) as string,
    });
    expect(await builder('dance')).toMatchObject({
      status: 2,
      stderr: 'builder: unknown command dance; --help lists the options\n',
    });
    expect(await builder('show', '/shop/orders@nothing')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('not_found') as string,
    });
  });

  it('answers a program with one document also when the store cannot be reached', async () => {
    const env = { ...process.env, MONGODB_URL: 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=500' };
    const words = ['preview', `${page}@openOrders`, '--tenant', 'acme', '--project', project, '--json'];
    const failed = await runProgram(['dist/services/query-builder/builder.js', ...words], { env });
    expect(failed).toMatchObject({ status: 1, stderr: expect.stringContaining('npm start') as string });
    expect(JSON.parse(failed.stdout)).toMatchObject({ ok: false, error: { code: 'store_unavailable' } });
  });
});
