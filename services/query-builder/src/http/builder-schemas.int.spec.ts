/** The documented shapes of the builder operations are those that the operations accept and return. */
import { describeTemplate } from '@platform/builder';
import { createAuthenticator, createHttpServer, mergeCodes, newSigningKey, publicKeySet } from '@platform/http-server';
import { placeholdersIn, type DescribedService } from '@platform/http-server/testing';
import { silentLog } from '@platform/kernel';
import fc from 'fast-check';
import type { z } from 'zod';
import { configJsonSchema } from '../domain/config-json-schema';
import { pageCodes } from '../host/serving/codes';
import { names, whereOf } from '../domain/testing/arbitrary-queries';
import { count, ordersPage as page, where } from '../testing/refusals';
import { dataOf, openScratchProject, type ScratchProject } from '../testing/scratch-project';
import { listPages, listResources } from '../workflows/list-project';
import { authoringRoutes } from './authoring-routes';
import { builderCodes } from './builder-codes';
import { builderRoutes } from './builder-routes';
import * as schemas from './builder-schemas';
import { builderFieldWords } from './field-words';
import { pageHealthRoutes } from './pages-health';
import { studioRoutes } from './studio-routes';

const asked = () => new Promise<never>(() => undefined);
const unread = () => {
  throw new Error('no page is read');
};

let scratch: ScratchProject;
beforeAll(async () => void (scratch = await openScratchProject()));
afterAll(() => scratch.remove());

/** Every key of an answer is documented: parsing by the schema loses nothing. */
const isDocumented = (schema: z.ZodType, answer: unknown): void => {
  expect(schema.parse(answer)).toEqual(JSON.parse(JSON.stringify(answer)));
};

describe('the document of the builder', () => {
  it('names every part of what operations answer', async () => {
    const { builder, project, templates } = scratch;
    const added = dataOf(await builder.addQuery(page, { ...schemas.examples.added.input, compare: true }));
    isDocumented(schemas.writtenQuery, added);
    isDocumented(schemas.writtenQuery, dataOf(await builder.addQuery(page, count({ name: 'noticed', compare: true }))));
    isDocumented(schemas.pageStructure, dataOf(await builder.getPageStructure(page)));
    const patch = schemas.examples.configured.patch as never;
    isDocumented(schemas.writtenQuery, dataOf(await builder.configureQuery(added.query, patch)));
    isDocumented(schemas.removedQuery, dataOf(await builder.removeQuery(added.query)));
    isDocumented(schemas.resourceList, dataOf(await listResources(project)));
    isDocumented(schemas.pageList, dataOf(await listPages(project)));
    for (const template of templates.list()) {
      const described = describeTemplate(template);
      isDocumented(schemas.templateDescriptor, { ...described, schema: configJsonSchema(described.params) });
    }
  });

  it('takes what the operations take', () => {
    fc.assert(
      fc.property(names, whereOf, (name, filters) => {
        schemas.queryInput.parse({ name, resource: 'orders', template: 'count', params: { where: filters } });
      }),
      { numRuns: 50 },
    );
    schemas.queryPatch.parse(schemas.examples.configured.patch);
    schemas.previewedQuery.parse(schemas.examples.previewed.query);
    schemas.previewedQuery.parse('/shop/orders@fresh');
  });

  it.each<[string, unknown]>([
    ['a name that is code', count({ name: 'a()' })],
    ['a part that does not exist', count({ blocks: [] })],
    ['a filter without a value', where({ field: 'status', op: 'eq' })],
    ['an unknown operator', where({ field: 'status', op: 'in', value: 'paid' })],
    ['an expression', where({ field: 'status', op: 'eq', value: { $expr: '1' } })],
    ['an unknown shape', count({ response: 'table' })],
    ['a limit beyond all', count({ template: 'series', params: { groupBy: 'status', limit: 1_001 } })],
  ])('refuses as the operation does: %s', async (_name, input) => {
    expect(schemas.queryInput.safeParse(input).success).toBe(false);
    expect(await scratch.builder.addQuery(page, input as never)).toMatchObject({ ok: false });
  });

  it('is one that a server serves', async () => {
    const keySet = publicKeySet(newSigningKey());
    const server = createHttpServer({
      name: 'test',
      version: '1.0.0',
      routes: [...authoringRoutes({ call: asked, callUntil: asked, drained: asked() }), ...pageHealthRoutes(unread)],
      codes: mergeCodes(pageCodes, builderCodes),
      auth: createAuthenticator({ keys: { kind: 'keys', keySet }, issuer: 'test', audience: 'test' }),
      readiness: {},
      log: silentLog,
      openapi: { title: 'Builder', words: builderFieldWords },
    });
    const answer = await server.inject({ method: 'GET', url: '/openapi.json' });
    const { paths, components } = answer.json<DescribedService>();
    const taken = JSON.stringify(paths['/api/builder/AddQuery']?.['post']?.requestBody);
    expect(taken).toContain('"input":{"$ref":"#/components/schemas/QueryInput"');
    expect(components.schemas).toMatchObject({
      QueryInput: { type: 'object', required: ['name', 'resource', 'template'] },
      TemplateParams: { properties: { where: { items: { $ref: '#/components/schemas/Filter' } } } },
      Filter: { required: ['field', 'op', 'value'] },
    });
    expect(JSON.stringify(answer.json())).not.toContain('$defs');
    expect(placeholdersIn(Object.values(paths).flatMap((methods) => Object.values(methods)))).toEqual([]);
    await server.close();
  });

  it('shows an example of every input', () => {
    const bodies = builderRoutes(asked, asked).filter(({ body }) => body !== undefined);
    expect(bodies.map(({ examples }) => Object.keys(examples?.body ?? {}))).toEqual(
      bodies.map(() => [expect.any(String)]),
    );
  });
});

it.each(['$x', 'a$b', '.x', 'x.', 'a..b'])(
  'a proposal over %j, which no collection is called, is refused unasked',
  (collection) => {
    const route = studioRoutes(asked).find(({ path }) => path.endsWith('/Introspect'));
    const body = route?.body as z.ZodType;
    expect(body.safeParse({ collection }).success).toBe(false);
    expect(body.safeParse({ collection: 'crm.invoices' }).success).toBe(true);
  },
);
