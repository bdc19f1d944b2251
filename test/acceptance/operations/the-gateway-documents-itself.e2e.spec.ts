/** The OpenAPI document is valid, and the running service accepts every example in it. */
import { createPatientClient } from '../../../infra/local/demo/patient-client';
import { priceIdOf, seedPlans } from '../../../infra/local/seed-catalog';
import { sharedPlatform, type SharedPlatform } from '../../support/shared-platform';
import { runProgram } from '../../support/run-program';

type Example = Record<string, unknown> & { readonly endpoint?: object };

interface Described {
  readonly summary: string;
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json': { readonly examples?: Record<string, { readonly value: Example }> };
    };
  };
  readonly responses: Record<string, { readonly content?: Record<string, unknown> }>;
}

interface Document {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Described>>;
}

/** The examples are sent to a workspace that only this suite uses. */
const tenantId = 'documented';
/** Its price is at the provider. */
const plan = seedPlans.find(({ planId }) => planId === 'business')!;

let platform: SharedPlatform;
let document: Document;

beforeAll(async () => {
  platform = await sharedPlatform();
  await platform.seed([{ tenantId, planId: 'pro' }]);
  document = (await (await fetch(`${platform.gatewayUrl}/openapi.json`)).json()) as Document;
});

/** A stream has no end, so only its beginning is read. */
async function statusOfStream(address: string): Promise<number> {
  const authorization = `Bearer ${await platform.token({ role: 'platform_owner' })}`;
  const response = await fetch(`${platform.gatewayUrl}${address}`, { headers: { authorization } });
  await response.body?.cancel();
  return response.status;
}

/** The validator is an ES module, so it runs in a separate process. */
async function validate(): Promise<{ valid: boolean; errors?: unknown }> {
  const program =
    "import { Validator } from '@seriousme/openapi-schema-validator'; let text = ''; for await (const chunk of process.stdin) text += chunk; console.log(JSON.stringify(await new Validator().validate(JSON.parse(text))));";
  return JSON.parse(
    (await runProgram(['--input-type=module', '-e', program], { input: JSON.stringify(document) })).stdout,
  ) as { valid: boolean; errors?: unknown };
}

describe('the OpenAPI document of the gateway', () => {
  it('is valid', async () => {
    expect(document.openapi).toBe('3.1.0');
    expect(await validate()).toEqual({ valid: true });
  });

  it('describes every address with a summary and a name of its own', () => {
    const described = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    expect(described.length).toBeGreaterThan(15);
    expect(described.filter(({ summary }) => !summary)).toEqual([]);
    const names = described.map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
  });

  it('holds examples that the running service takes, with answers that it documents', async () => {
    const owner = createPatientClient(platform.gatewayUrl, await platform.token({ role: 'platform_owner' }));
    const workspaceOwner = createPatientClient(
      platform.gatewayUrl,
      await platform.token({ role: 'user', workspaces: { [tenantId]: 'owner' } }),
    );
    let sent = 0;
    // The deletion comes last: after it every action is refused.
    const deletes = (methods: object) => Number('delete' in methods && Object.keys(methods).length === 1);
    const paths = Object.entries(document.paths).sort(([, a], [, b]) => deletes(a) - deletes(b));
    for (const [path, methods] of paths) {
      for (const [method, described] of Object.entries(methods)) {
        for (const example of Object.values(described.requestBody?.content['application/json']?.examples ?? {})) {
          const asked = (described.parameters ?? []).filter((each) => each.in === 'query' && each.required);
          const query = asked.map(({ name }) => `${name}=${name}-00000001`).join('&');
          const address = `${path}${query && `?${query}`}`
            .replace('{tenantId}', tenantId)
            .replace('/cases/{kind}', '/cases/operation')
            .replace('{planId}', 'team')
            .replace('{fromPlanId}', 'business')
            .replace(/\{(\w+)\}/g, '$1-00000001');
          // Ids of the operation or the workspace in an example are replaced by this suite's.
          const body = {
            ...example.value,
            ...('operationId' in example.value && { operationId: `${String(example.value['operationId'])}-${sent}` }),
            ...('confirm' in example.value && { confirm: tenantId }),
            // A plan is sold only at a price that the provider has.
            ...('priceId' in example.value && { priceId: priceIdOf(plan.planId), amountCents: plan.amountCents }),
            // A consumer of suspensions that gives no receipts would hold the workspaces of the suites beside this one.
            ...('endpoint' in example.value && { endpoint: { ...example.value.endpoint, transitions: ['created'] } }),
          };
          const asOwner = await owner.call(method.toUpperCase(), address, body);
          const answer =
            asOwner.status === 403 ? await workspaceOwner.call(method.toUpperCase(), address, body) : asOwner;
          expect(
            `${method} ${path}: ${Object.keys(described.responses).includes(String(answer.status)) ? 'documented' : answer.status}`,
          ).toBe(`${method} ${path}: documented`);
          expect(`${path}: ${String((answer.body as { code?: string }).code)}`).not.toBe(`${path}: invalid_request`);
          sent += 1;
        }
      }
    }
    expect(sent).toBeGreaterThanOrEqual(9);
  });

  it('answers every read with what its schema says, or a documented refusal', async () => {
    const owner = createPatientClient(platform.gatewayUrl, await platform.token({ role: 'platform_owner' }));
    for (const [path, methods] of Object.entries(document.paths)) {
      const described = methods['get'];
      if (!described) continue;
      const address = path.replace('{tenantId}', tenantId).replace(/\{(\w+)\}/g, 'example-00000001');
      const streams = Object.keys(described.responses['200']?.content ?? {}).some((type) =>
        type.startsWith('text/event-stream'),
      );
      const status = streams ? await statusOfStream(address) : (await owner.get(address)).status;
      expect(`${path}: ${Object.keys(described.responses).includes(String(status)) ? 'documented' : status}`).toBe(
        `${path}: documented`,
      );
    }
  });
});
