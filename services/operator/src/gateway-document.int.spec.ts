/** The document of the gateway's interface: complete, in one style, and the source of the published client. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fieldWords } from '@platform/contracts-operator';
import { placeholdersIn, type DescribedService } from '@platform/http-server/testing';
import { runProgram } from '../../../test/support/run-program';
import { sendExamples, sendWrongValues } from './testing/documented-requests';
import { emitGatewayClient } from './testing/gateway-client.harness';
import { setStage, type Stage } from './testing/stage';

const client = join(resolve(__dirname, '../../..'), 'libs/interfaces/workspace-platform/src/gateway/operations.ts');

type Schema = Readonly<Record<string, unknown>>;
interface Operation {
  readonly operationId: string;
  readonly description: string;
  readonly tags?: readonly string[];
  readonly parameters: readonly { readonly $ref?: string; readonly name?: string; readonly in?: string }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema; readonly examples?: object }>>;
  };
  readonly responses: Readonly<
    Record<
      string,
      { readonly content?: Readonly<Record<string, { readonly schema: Schema; readonly examples?: object }>> }
    >
  >;
}

let gateway: Stage['gateway'];
let document: DescribedService;
let operations: readonly Operation[];

beforeAll(async () => {
  const stage = await setStage();
  stage.world.provider.seed({ amounts: { price_starter: 1_900 } });
  ({ gateway } = stage);
  document = (await gateway.request('GET', '/openapi.json')).json() as DescribedService;
  operations = Object.values(document.paths).flatMap((methods) => Object.values(methods) as unknown as Operation[]);
});

/** Locations of fields without a description, and the names of all fields. */
function fieldsIn(schema: unknown, at: string, seen: Set<string>, silent: string[]): void {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [keyword, value] of Object.entries(schema as Schema)) {
    if (keyword !== 'properties') {
      if (['items', 'additionalProperties', 'anyOf', 'oneOf', 'allOf'].includes(keyword) || Array.isArray(schema))
        fieldsIn(value, at, seen, silent);
      continue;
    }
    for (const [name, field] of Object.entries(value as Readonly<Record<string, Schema>>)) {
      seen.add(name);
      if (typeof field['description'] !== 'string') silent.push(`${at}.${name}`);
      fieldsIn(field, `${at}.${name}`, seen, silent);
    }
  }
}

describe('the document of the gateway', () => {
  it('describes each field of each shape, and words no field that there is not', () => {
    const seen = new Set<string>();
    const silent: string[] = [];
    for (const [name, schema] of Object.entries(document.components.schemas)) fieldsIn(schema, name, seen, silent);
    for (const { operationId, requestBody, responses, parameters } of operations) {
      for (const { name } of parameters) if (name !== undefined) seen.add(name);
      for (const part of [requestBody, ...Object.values(responses)])
        for (const { schema } of Object.values(part?.content ?? {})) fieldsIn(schema, operationId, seen, silent);
    }
    expect(silent).toEqual([]);
    expect(seen.size).toBeGreaterThan(250);
    expect(Object.keys(fieldWords).filter((key) => !seen.has(key.split('.').at(-1)!))).toEqual([]);
  });

  it('says of each operation more than who may call it, and shows each body and each refusal', () => {
    expect(
      operations.filter(({ description }) => !description.includes('\n\n')).map(({ operationId }) => operationId),
    ).toEqual([]);
    const bodies = operations.flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, ...Object.values(responses)].flatMap((part) =>
        Object.entries(part?.content ?? {})
          .filter(([type, { examples }]) => type.endsWith('json') && Object.keys(examples ?? {}).length === 0)
          .map(([type]) => `${operationId} ${type}`),
      ),
    );
    expect(bodies).toEqual([]);
  });

  it('gives all lists the same parameters, and actions the header by which a repeat is recognised', () => {
    const named = ({ parameters }: Operation) => parameters.flatMap(({ name }) => name ?? []);
    const paged = operations.filter((operation) => named(operation).includes('cursor'));
    expect(paged.length).toBeGreaterThan(8);
    expect(
      paged.filter((operation) => !named(operation).includes('limit')).map(({ operationId }) => operationId),
    ).toEqual([]);
    // Newest first, except for lists with another natural order: the queue by weight, a migration by its list, a dry
    // run by id.
    const ownOrder = ['listWork', 'readMigration', 'prepareMigration'];
    const ordered = paged
      .filter((operation) => named(operation).includes('order'))
      .map(({ operationId }) => operationId);
    expect(
      paged
        .map(({ operationId }) => operationId)
        .filter((name) => !ordered.includes(name))
        .sort(),
    ).toEqual(ownOrder.sort());
    const keyed = operations.filter(({ parameters }) =>
      parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey')),
    );
    const withId = operations.filter(({ requestBody, operationId }) => {
      const [media] = Object.values(requestBody?.content ?? {});
      const { operationId: id, migrationId } = (media?.schema['properties'] ?? {}) as Schema;
      return !operationId.startsWith('preview') && (id ?? migrationId) !== undefined;
    });
    expect(withId.length).toBeGreaterThan(14);
    expect(withId.filter((operation) => !keyed.includes(operation)).map(({ operationId }) => operationId)).toEqual([]);
  });

  it('keeps the rules of the interface: references, names, examples that their schemas take, problem documents', async () => {
    const judged = await runProgram(['test/support/lint-api.mjs'], { input: JSON.stringify(document) });
    expect(JSON.parse(judged.stdout)).toEqual([]);
  });

  it('shows texts that people would write, and no name of a field in the place of one', () => {
    expect(placeholdersIn(operations)).toEqual([]);
  });

  it('describes places whose wrong values the gateway refuses in words, never with a pattern', async () => {
    const said = await sendWrongValues((await setStage()).gateway, document.paths);
    expect(said.length).toBeGreaterThan(100);
    expect(said.filter((each) => /\/\^|pattern|Invalid/.test(each))).toEqual([]);
  });

  it('shows bodies that the gateway takes', async () => {
    const { gateway: opened, world } = await setStage();
    world.provider.seed({ priceIds: ['price_team'], amounts: { price_team: 7_900 } });
    const { sent, refused } = await sendExamples(opened, document.paths);
    expect(sent).toBeGreaterThan(35);
    expect(refused).toEqual([]);
  });

  it('that breaks them is not taken', async () => {
    const [path = ''] = Object.keys(document.paths);
    const broken = structuredClone(document) as unknown as {
      paths: Record<string, Record<string, Record<string, unknown>>>;
    };
    const operation = Object.values(broken.paths[path]!)[0]!;
    Object.assign(operation, {
      operationId: 'Not a name',
      summary: undefined,
      responses: { 200: { description: 'Success.' } },
    });
    const judged = await runProgram(['test/support/lint-api.mjs'], { input: JSON.stringify(broken) });
    const rules = (JSON.parse(judged.stdout) as string[]).map((line) => line.split(':')[0]);
    expect(rules).toEqual(
      expect.arrayContaining(['operation-summary', 'operation-4xx-response', 'rule/operation-names-are-verbs']),
    );
  });

  it('makes the typed client that is checked in: UPDATE_DOCS=1 redraws it', () => {
    const drawn = emitGatewayClient(document);
    if (process.env['UPDATE_DOCS']) writeFileSync(client, drawn);
    expect(drawn).toContain("  listWorkspaces: ['GET', '/api/saas/workspaces'],");
    expect(readFileSync(client, 'utf8')).toBe(drawn);
  });
});

describe('a plan', () => {
  const plan = { name: 'Starter 2', amountCents: 1900, currency: 'usd', priceId: 'price_starter', offered: true };
  const put = (tag?: string) =>
    gateway.request('PUT', '/api/saas/plans/starter', {
      body: plan,
      ...(tag !== undefined && { headers: { 'if-match': tag } }),
    });

  it('is written only in the state that the caller has seen', async () => {
    const read = await gateway.request('GET', '/api/saas/plans');
    const { plans } = read.json<{ plans: { planId: string; revision: string }[] }>();
    const { revision } = plans.find(({ planId }) => planId === 'starter')!;
    const written = await put(`"${revision}"`);
    expect(written.status).toBe(200);
    expect(written.headers['etag']).toBe(`"${written.json<{ revision: string }>().revision}"`);
    expect((await put(`"${revision}"`)).json()).toMatchObject({ status: 412, code: 'precondition_failed' });
    expect((await put(String(written.headers['etag']))).status).toBe(200);
    expect((await put()).status).toBe(200);
  });

  it('is added only where there is none, if the caller has seen none', async () => {
    const add = (planId: string) =>
      gateway.request('PUT', `/api/saas/plans/${planId}`, { body: plan, headers: { 'if-none-match': '*' } });
    expect((await add('starter')).json()).toMatchObject({ status: 412, code: 'precondition_failed' });
    expect((await add('starter-2')).status).toBe(201);
    expect((await add('starter-2')).json()).toMatchObject({ status: 412, code: 'precondition_failed' });
  });
});
