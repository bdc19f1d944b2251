/**
 * The OpenAPI 3.1 document, built from the same declarations that the server runs: addresses, schemas, policies and
 * the table of codes. A pure function, so the document can also be written to a file or compared in a test.
 */
import type { CodeTable } from '../codes';
import type { Policy } from '../policy';
import type { Route } from '../route';
import { parameterNames, paramsSchema } from '../server/read-request';
import { createComponents, type Components } from './components';
import { exampleOf, worded, type FieldWords } from './field-words';
import { headersOf, interfaceParts, isConditional, parametersOf } from './interface-parts';
import type { JsonSchema } from './json-schema';
import { problemResponses, problemSchema } from './problem-responses';

/** What the document says about the whole API. */
export interface OpenApiFacts {
  readonly title: string;
  readonly description?: string;
  /** Descriptions and example values of fields whose schemas have none. */
  readonly words?: FieldWords;
  /** Base addresses. Default: the server that serves the document. */
  readonly servers?: readonly { readonly url: string; readonly description?: string }[];
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly servers: readonly { readonly url: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  /**
   * Further registered addresses: pages for people. They are listed so that a security test can request every address.
   */
  readonly 'x-undocumented': readonly { readonly method: string; readonly path: string; readonly 'x-policy': Policy }[];
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly parameters: JsonSchema;
    readonly headers: JsonSchema;
    readonly securitySchemes: JsonSchema;
  };
}

export interface OpenApiInput {
  readonly facts: OpenApiFacts & { readonly name: string; readonly version: string };
  readonly routes: readonly Route[];
  readonly codes: CodeTable;
  /** Whether the server has a rate limit. */
  readonly limited: boolean;
  /** The version of the interface, if it has one. */
  readonly apiVersion?: string | undefined;
}

const policyText: Readonly<Record<Policy, string>> = {
  public: 'Open without signing in.',
  signed_in: 'For every signed-in caller.',
  staff: 'For the people of the platform, whatever their role.',
  case_worker: 'For the people of the platform who may more than read.',
  support: 'For support and the platform owner.',
  support_or_finance: 'For support, finance and the platform owner.',
  finance: 'For finance and the platform owner.',
  approver: 'For approvers and the platform owner.',
  platform_owner: 'For the platform owner.',
  workspace_owner: 'For the owner of the workspace.',
  workspace_owner_or_staff: 'For the owner of the workspace and the people of the platform.',
  consumer_team_or_staff: 'For the team of the consumer and the people of the platform.',
  consumer_team_or_platform_owner: 'For the team of the consumer and the platform owner.',
};

function operationIdOf(route: Route): string {
  if (route.name !== undefined) return route.name;
  const words = route.path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '' && word !== 'api');
  const capitalised = words.map((word) => word[0]!.toUpperCase() + word.slice(1));
  return [route.method.toLowerCase(), ...capitalised].join('');
}

function parameters(route: Route, components: Components): JsonSchema[] {
  const places = [
    { place: 'path', schema: parameterNames(route.path).length > 0 ? paramsSchema(route) : undefined },
    { place: 'query', schema: route.query },
    { place: 'header', schema: route.headers },
  ];
  return places.flatMap(({ place, schema }) => {
    if (!schema) return [];
    const { properties = {}, required = [] } = components.schemaOf(schema, 'inline') as {
      properties?: Record<string, JsonSchema>;
      required?: string[];
    };
    return Object.entries(properties).map(([name, { description, ...member }]) => ({
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: member,
    }));
  });
}

function named(examples: Readonly<Record<string, unknown>> | undefined): JsonSchema {
  if (!examples || Object.keys(examples).length === 0) return {};
  return { examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])) };
}

function requestBody(route: Route, components: Components): JsonSchema | undefined {
  if (route.rawBody) return { required: true, content: { '*/*': { schema: { type: 'string', format: 'binary' } } } };
  if (!route.body) return undefined;
  const schema = components.schemaOf(route.body);
  return { required: true, content: { 'application/json': { schema, ...named(route.examples?.body) } } };
}

function successes(route: Route, components: Components): JsonSchema {
  return Object.fromEntries(
    Object.entries(route.responses).map(([status, schema]) => {
      const description = schema.description ?? (status === '202' ? 'Accepted, not finished yet.' : 'Success.');
      if (schema._zod.def.type === 'undefined') return [status, { description }];
      const media = { schema: components.schemaOf(schema), ...named(route.examples?.responses?.[Number(status)]) };
      const further = status === '200' ? Object.entries(route.alsoProduces ?? {}) : [];
      const texts = further.map(([type, what]) => [type, { schema: { type: 'string', description: what } }] as const);
      const content = { [route.produces ?? 'application/json']: media, ...Object.fromEntries(texts) };
      return [status, { description, content }];
    }),
  );
}

/** Every answer with its headers. */
function answers(route: Route, input: OpenApiInput, components: Components): JsonSchema {
  const unchanged = isConditional(route) ? { 304: { description: 'The client has this content already.' } } : {};
  const all = {
    ...successes(route, components),
    ...unchanged,
    ...problemResponses(route, input.codes, input.limited),
  } as Readonly<Record<string, JsonSchema>>;
  const described = Object.entries(all).map(([status, answer]) => [
    status,
    { ...answer, headers: headersOf(route, Number(status), input) },
  ]);
  return Object.fromEntries(described) as JsonSchema;
}

function operation(route: Route, input: OpenApiInput, components: Components): JsonSchema {
  const body = requestBody(route, components);
  return {
    operationId: operationIdOf(route),
    summary: route.summary,
    description: [policyText[route.policy], route.description].filter(Boolean).join('\n\n'),
    ...(route.tags ? { tags: [...route.tags] } : {}),
    'x-policy': route.policy,
    ...(route.policy === 'public' ? { security: [] } : { security: [{ bearer: [] }] }),
    parameters: [...parameters(route, components), ...parametersOf(route, input)],
    ...(body ? { requestBody: body } : {}),
    ...(route.deprecated ? { deprecated: true } : {}),
    responses: answers(route, input, components),
  };
}

type Methods = Readonly<Record<string, JsonSchema>>;
type Media = Readonly<Record<string, JsonSchema>>;

/** Adds a description to every field of the path's own schemas, and an example to each JSON body that has none. */
function wordedPath(methods: Methods, schemas: Methods, words: FieldWords): Methods {
  const wordedContent = (content: Media): Media =>
    Object.fromEntries(
      Object.entries(content).map(([type, media]) => {
        const schema = worded(media['schema'] as JsonSchema, words, '');
        const made = type === 'application/json' && media['examples'] === undefined;
        const examples = made ? { examples: { example: { value: exampleOf(schema, schemas, words) } } } : {};
        return [type, { ...media, schema, ...examples }];
      }),
    );
  const withContent = (part: JsonSchema): JsonSchema =>
    part['content'] === undefined ? part : { ...part, content: wordedContent(part['content'] as Media) };
  const wordedOperation = ({ requestBody, responses, parameters: listed, ...rest }: JsonSchema): JsonSchema => ({
    ...rest,
    parameters: (listed as JsonSchema[]).map((each) => describedParameter(each, words)),
    ...(requestBody ? { requestBody: withContent(requestBody as JsonSchema) } : {}),
    responses: Object.fromEntries(
      Object.entries(responses as Methods).map(([status, answer]) => [status, withContent(answer)]),
    ),
  });
  return Object.fromEntries(Object.entries(methods).map(([method, each]) => [method, wordedOperation(each)]));
}

function describedParameter(parameter: JsonSchema, words: FieldWords): JsonSchema {
  const { name, in: place, description } = parameter;
  const keys =
    description === undefined && name !== undefined ? [`${String(place)}.${String(name)}`, String(name)] : [];
  const word = keys.map((key) => words[key]).find(Boolean);
  return word ? { ...parameter, description: word.text } : parameter;
}

/** The document of the documented routes; operations are sorted by path, then method. */
export function buildOpenApi(input: OpenApiInput): OpenApiDocument {
  const { facts, routes } = input;
  const components = createComponents({ Problem: problemSchema });
  const paths = new Map<string, Record<string, JsonSchema>>();
  const documented = routes.filter(({ undocumented }) => !undocumented);
  for (const route of [...documented].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))) {
    const path = route.path.replace(/:([A-Za-z0-9_]+)/g, '{$1}');
    paths.set(path, { ...paths.get(path), [route.method.toLowerCase()]: operation(route, input, components) });
  }
  const { words = {} } = facts;
  const schemas = Object.fromEntries(
    Object.entries(components.all()).map(([name, schema]) => [name, worded(schema, words, name)]),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: facts.title,
      version: input.apiVersion === undefined ? facts.version : `${input.apiVersion}.0.0`,
      ...(facts.description === undefined ? {} : { description: facts.description }),
    },
    servers: facts.servers ?? [{ url: '/' }],
    paths: Object.fromEntries([...paths].map(([path, methods]) => [path, wordedPath(methods, schemas, words)])),
    'x-undocumented': routes
      .filter(({ undocumented }) => undocumented)
      .map(({ method, path, policy }) => ({ method, path, 'x-policy': policy })),
    components: {
      schemas,
      ...interfaceParts(Object.fromEntries(paths)),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'Claims: sub, email, role (viewer, support, finance, approver, platform_owner or user), workspaces (tenant id to owner or member), permissions, consumers (names of the consumer services of a team).',
        },
      },
    },
  };
}
