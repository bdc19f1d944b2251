/**
 * The shapes of the builder operations for the OpenAPI document. Answers are encoded by their schemas. Inputs are
 * checked by the operation, which knows the templates and the resource and reports every issue with its pointer; their
 * schemas are only in the document, and a test compares them with what the operations accept.
 */
import { buckets, filterOps, responseShapes, storedForms } from '@platform/page-runtime';
import { z } from 'zod';
import { maxFilters } from '../domain/templates/where';

const text = z.string();
const queryName = text.regex(/^[a-z][A-Za-z0-9]{0,63}$/).describe('camelCase; also the name of the model method');
const response = z.enum(responseShapes).meta({ id: 'ResponseShape' });
const scalar = z.union([text, z.number(), z.boolean()]);
const binding = z
  .strictObject({ $param: z.strictObject({ name: queryName, in: z.enum(['query', 'param']).optional() }) })
  .meta({ id: 'Binding', description: 'a value that each request supplies' });
const filter = z
  .strictObject({ field: text, op: z.enum(filterOps), value: z.union([scalar, binding]) })
  .meta({ id: 'Filter' });

/** The parameters of each template are in its descriptor; these are the parameters of the built-in templates. */
const params = z
  .object({
    op: text.optional().describe('`sum`, `avg`, `min` or `max`; of a series also `count`, its default'),
    field: text.optional().describe('numeric field that is measured'),
    groupBy: text.optional().describe('series: text, number, truth value, or a date with `bucket`'),
    bucket: z.enum(buckets).optional(),
    timezone: text.optional().describe('IANA zone of the days; default UTC'),
    orderBy: z.enum(['group', 'measure']).optional(),
    direction: z.enum(['asc', 'desc']).optional(),
    limit: z.int().min(1).max(1_000).optional(),
    where: z.array(filter).max(maxFilters).optional(),
  })
  .catchall(z.union([scalar, z.array(filter)]))
  .meta({
    id: 'TemplateParams',
    description: 'parameters that the template declares (GET /api/builder/ListQueryTemplates)',
  });

/** The input of AddQuery. */
export const queryInput = z
  .strictObject({
    name: queryName,
    resource: text.describe('a resource of the project'),
    template: text.describe('id of a registered template'),
    params: params.optional(),
    endpoint: text.startsWith('/').optional().describe('default: /stats/<kebab-case-name>'),
    response: response.optional().describe('default: what the calculation computes'),
    compare: z.boolean().optional().describe('also answer the preceding period'),
  })
  .meta({ id: 'QueryInput' });
/** What a draft holds: half a query, such as a name that is still being typed. */
export const draftInput = z
  .strictObject({
    name: text.optional(),
    resource: text.optional(),
    template: text.optional(),
    params: z.record(text, z.unknown()).optional(),
    endpoint: text.optional(),
    response: response.optional(),
    compare: z.boolean().optional(),
  })
  .meta({ id: 'DraftInput', description: 'parts of a query; they are checked when they are previewed or published' });

/** The changes of ConfigureQuery; null sets a part back to its default. A name cannot be changed. */
export const queryPatch = queryInput
  .partial()
  .extend({
    endpoint: queryInput.shape.endpoint.nullable(),
    response: queryInput.shape.response.nullable(),
    compare: queryInput.shape.compare.nullable(),
  })
  .meta({ id: 'QueryPatch' });

/** A query in the page's code, by its ref, or a complete draft. */
export const previewedQuery = z.union([
  text.describe('`<pageRef>@<name>`'),
  queryInput.partial({ name: true }).meta({ id: 'UnnamedQuery', description: 'a draft' }),
]);

/** A part of a body that the document describes and the operation checks; a schema with an id is a component there. */
export function documented(schema: z.ZodType) {
  const { $schema: _dialect, id, $defs, ...described } = z.toJSONSchema(schema, { io: 'input' });
  if (id === undefined) return z.unknown().meta({ ...described, ...($defs && { $defs }) });
  return z.unknown().meta({ $ref: `#/$defs/${id}`, $defs: { ...$defs, [id]: described } });
}

export const change = z
  .object({ path: text, kind: z.enum(['created', 'changed']), diff: text.describe('unified diff') })
  .meta({ id: 'FileChange' });
const issue = z.object({ pointer: text, message: text });
const position = z.object({ file: text, line: z.int(), column: z.int() });
const output = z.enum(['scalar', 'series']);
const anyObject = z.record(text, z.unknown());

export const removedQuery = z
  .object({ query: text.describe('ref'), changes: z.array(change) })
  .meta({ id: 'RemovedQuery' });
export const writtenQuery = removedQuery
  .extend({
    route: text.describe('whole path, ready to be the fetchUrl of a block'),
    notices: z.array(issue).optional().describe('what was asked for and has no effect'),
  })
  .meta({ id: 'WrittenQuery' });

const readQuery = z
  .object({
    name: text,
    endpoint: text,
    resource: text.optional(),
    modelMethod: text.optional(),
    output: output.optional(),
    template: text.optional(),
    params: anyObject.optional(),
    response: response.optional(),
    compare: z.boolean().optional(),
    routeParams: z.array(z.object({ name: text, in: z.enum(['query', 'param', 'header']) })),
    opaque: z.boolean(),
    opaqueReason: z.enum(['unparseable_route', 'unparseable_chain']).optional(),
    opaqueDetail: text.optional(),
    opaqueAt: position.optional(),
    uncertified: text.optional(),
  })
  .meta({ id: 'ReadQuery' });
export const pageStructure = z
  .object({
    pageRef: text,
    version: text.describe('expectedVersion of an edit; covers the page, its models and its resources'),
    queries: z.array(readQuery),
  })
  .meta({ id: 'PageStructure' });

export const queryPreview = z
  .object({
    output,
    response: response.optional(),
    body: anyObject.describe('what the route would answer, with at most 500 points'),
    truncated: z.boolean(),
    pipeline: z.array(anyObject),
    explain: z.unknown(),
    examined: z.int().optional().describe('documents that the database looked at, where it says that'),
    index: z
      .object({ fields: z.array(text), exists: z.boolean() })
      .optional()
      .describe('the index that serves it'),
  })
  .meta({ id: 'QueryPreview' });

export const templateDescriptor = z
  .object({
    id: text,
    resourceType: z.literal('database-table'),
    title: text,
    description: text,
    output,
    params: z.record(text, anyObject),
    schema: anyObject.describe('JSON Schema of `params`, drawn from them; `x-control` names the control of an editor'),
  })
  .meta({ id: 'TemplateDescriptor' });

const listedField = z
  .object({
    name: text,
    type: text,
    options: z.array(text).optional(),
    multiple: z.boolean().optional(),
    kind: z.enum(['text', 'select', 'number', 'date', 'boolean', 'opaque']),
    ops: z.array(z.enum(filterOps)).describe('operators that a filter on it may use'),
    path: text.optional(),
    stored: z.enum(storedForms).optional(),
    labels: z
      .object({
        from: text,
        key: text.optional(),
        field: text,
        tenantField: text.optional(),
        shared: z.boolean().optional(),
      })
      .optional(),
  })
  .meta({ id: 'ListedField' });
const loadedResource = z
  .object({
    name: text,
    collection: text.optional(),
    tenantScoped: z.boolean(),
    tenantField: text.optional(),
    fields: z.array(listedField),
  })
  .meta({ id: 'LoadedResource' });
const brokenResource = z
  .object({ name: text, error: z.object({ file: text, line: z.int(), message: text }) })
  .meta({ id: 'BrokenResource' });
export const resourceList = z.object({ resources: z.array(z.union([loadedResource, brokenResource])) });
export const pageList = z.object({ pages: z.array(text) });

/** One of the specification's own examples of each input, for readers of the document. */
export const examples = {
  added: {
    pageRef: '/shop/orders',
    input: {
      name: 'paidByMonth',
      resource: 'orders',
      template: 'series',
      params: {
        op: 'sum',
        field: 'total',
        groupBy: 'createdAt',
        bucket: 'month',
        timezone: 'Europe/Paris',
        where: [
          { field: 'status', op: 'eq', value: 'paid' },
          { field: 'createdAt', op: 'ge', value: { $param: { name: 'from' } } },
          { field: 'createdAt', op: 'lt', value: { $param: { name: 'to' } } },
        ],
      },
      response: 'card',
      compare: true,
    },
  },
  configured: { query: '/shop/orders@paidByMonth', patch: { response: null, compare: false } },
  removed: { query: '/shop/orders@paidByMonth' },
  previewed: {
    query: { resource: 'orders', template: 'count', params: { where: [{ field: 'gift', op: 'eq', value: true }] } },
    tenant: 'acme',
  },
} as const;
