/** The reference of each HTTP interface is generated from its document: `UPDATE_DOCS=1` writes it again. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createAuthenticator, createHttpServer, mergeCodes, newSigningKey, publicKeySet } from '@platform/http-server';
import { silentLog } from '@platform/kernel';
import { setStage } from '../../services/operator/src/testing/stage';
import { pageCodes } from '../../services/query-builder/src/host/serving/codes';
import { authoringRoutes } from '../../services/query-builder/src/http/authoring-routes';
import { builderCodes } from '../../services/query-builder/src/http/builder-codes';
import { builderFieldWords } from '../../services/query-builder/src/http/field-words';
import { operationsPage, shapesPage, type ApiDocument } from './api-page';
import { root, text } from './tree';

type Drawn = (documents: { readonly gateway: ApiDocument; readonly builder: ApiDocument }) => string;

const pages: Readonly<Record<string, { readonly marker: string; readonly draw: Drawn }>> = {
  'docs/api.md': { marker: 'api', draw: ({ gateway }) => operationsPage(gateway, 'api-shapes.md') },
  'docs/api-shapes.md': { marker: 'shapes', draw: ({ gateway }) => shapesPage(gateway) },
  'docs/builder-api.md': {
    marker: 'builder-api',
    draw: ({ builder }) =>
      `${operationsPage(builder, '')}\n\n## Shapes\n\nWhat the operations take and answer with.\n\n${shapesPage(builder)}`,
  },
};

const asked = () => Promise.reject(new Error('asked'));

async function builderDocument(): Promise<ApiDocument> {
  const server = createHttpServer({
    name: 'query-builder',
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
    openapi: { title: 'Query builder', words: builderFieldWords },
  });
  const document = (await server.inject({ method: 'GET', url: '/openapi.json' })).json<ApiDocument>();
  await server.close();
  return document;
}

describe('the reference of the interfaces', () => {
  let documents: { readonly gateway: ApiDocument; readonly builder: ApiDocument };
  beforeAll(async () => {
    const { gateway } = await setStage();
    documents = {
      gateway: (await gateway.request('GET', '/openapi.json')).json<ApiDocument>(),
      builder: await builderDocument(),
    };
  });

  it.each(Object.entries(pages))('%s shows the document that the service serves', (file, { marker, draw }) => {
    const between = new RegExp(`(<!-- table ${marker} -->\\n)[\\s\\S]*?(\\n<!-- end ${marker} -->)`);
    const before = text(file);
    expect(before).toMatch(between);
    const after = before.replace(between, (_all, open: string, close: string) => `${open}${draw(documents)}${close}`);
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(path.join(root, file), after);
    else expect(before).toBe(after);
  });

  it.each(['gateway', 'builder'] as const)('says of each field and parameter of the %s what it means', (which) => {
    const drawn = `${operationsPage(documents[which], '')}\n${shapesPage(documents[which])}`;
    expect(drawn.match(/^\| `.+\|  \|$/gm) ?? []).toEqual([]);
  });

  it.each(['gateway', 'builder'] as const)('names each operation of the %s, with its answers and refusals', (which) => {
    const document = documents[which];
    const drawn = operationsPage(document, '');
    for (const [address, methods] of Object.entries(document.paths))
      for (const method of Object.keys(methods)) expect(drawn).toContain(`\`${method.toUpperCase()} ${address}\``);
    expect(drawn.match(/^Answers \d/gm)).toHaveLength(drawn.match(/^### /gm)!.length);
    expect(drawn.match(/^Refuses: \d/gm)).toHaveLength(drawn.match(/^### /gm)!.length);
  });
});
