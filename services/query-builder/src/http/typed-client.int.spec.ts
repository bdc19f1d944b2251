/** The typed client in the repository equals the one that the service's own document generates. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createAuthenticator, createHttpServer, mergeCodes, newSigningKey, publicKeySet } from '@platform/http-server';
import { silentLog } from '@platform/kernel';
import { pageCodes } from '../host/serving/codes';
import { authoringRoutes } from './authoring-routes';
import { builderCodes } from './builder-codes';
import { emitTypedClient } from './typed-client.harness';

const asked = () => Promise.reject(new Error('asked'));

const root = resolve(__dirname, '../../../..');
const file = join(root, 'libs/interfaces/builder/src/client/index.ts');

it('is drawn from the document: UPDATE_DOCS=1 redraws it', async () => {
  const server = createHttpServer({
    name: 'test',
    version: '1.0.0',
    routes: authoringRoutes({ call: asked, callUntil: asked, drained: new Promise(() => undefined) }),
    codes: mergeCodes(pageCodes, builderCodes),
    auth: createAuthenticator({
      keys: { kind: 'keys', keySet: publicKeySet(newSigningKey()) },
      issuer: 'test',
      audience: 'test',
    }),
    readiness: {},
    log: silentLog,
    openapi: { title: 'Builder' },
  });
  const answer = await server.inject({ method: 'GET', url: '/openapi.json' });
  await server.close();
  const drawn = emitTypedClient(answer.json());
  if (process.env['UPDATE_DOCS']) writeFileSync(file, drawn);
  expect(drawn).toContain('readonly PreviewQuery: {');
  expect(readFileSync(file, 'utf8')).toBe(drawn);
});
