/** The document of the gateway's interface: the typed client that teams install is the one that it makes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DescribedService } from '@platform/http-server/testing';
import { emitGatewayClient } from './testing/gateway-client.harness';
import { setStage, type Stage } from './testing/stage';

const client = join(resolve(__dirname, '../../..'), 'libs/interfaces/workspace-platform/src/gateway/operations.ts');

let gateway: Stage['gateway'];
let document: DescribedService;

beforeAll(async () => {
  ({ gateway } = await setStage());
  document = (await gateway.request('GET', '/openapi.json')).json() as DescribedService;
});
afterAll(() => gateway.server.close());

it('makes the typed client that stands in the repository: UPDATE_DOCS=1 redraws it', () => {
  const drawn = emitGatewayClient(document);
  if (process.env['UPDATE_DOCS']) writeFileSync(client, drawn);
  expect(drawn).toContain("  listWorkspaces: ['GET', '/api/saas/workspaces'],");
  expect(readFileSync(client, 'utf8')).toBe(drawn);
});
