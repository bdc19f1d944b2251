/** The reference of the gateway's interface is drawn from its document: `UPDATE_DOCS=1` draws it again. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setStage } from '../../services/operator/src/testing/stage';
import { operationsPage, shapesPage, type ApiDocument } from './api-page';
import { root, text } from './tree';

const pages = {
  'docs/api.md': { marker: 'api', draw: operationsPage },
  'docs/api-shapes.md': { marker: 'shapes', draw: shapesPage },
};

describe('the reference of the gateway', () => {
  let document: ApiDocument;
  beforeAll(async () => {
    const { gateway } = await setStage();
    document = (await gateway.request('GET', '/openapi.json')).json<ApiDocument>();
    await gateway.server.close();
  });

  it.each(Object.entries(pages))('%s shows the document that the gateway serves', (file, { marker, draw }) => {
    const between = new RegExp(`(<!-- table ${marker} -->\\n)[\\s\\S]*?(\\n<!-- end ${marker} -->)`);
    const before = text(file);
    expect(before).toMatch(between);
    const after = before.replace(between, (_all, open: string, close: string) => `${open}${draw(document)}${close}`);
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(path.join(root, file), after);
    else expect(before).toBe(after);
  });

  it('names each operation, with what it takes, answers and refuses', () => {
    const drawn = operationsPage(document);
    for (const [address, methods] of Object.entries(document.paths))
      for (const method of Object.keys(methods)) expect(drawn).toContain(`\`${method.toUpperCase()} ${address}\``);
    expect(drawn.match(/^Answers \d/gm)).toHaveLength(drawn.match(/^### /gm)!.length);
    expect(drawn.match(/^Refuses: \d/gm)).toHaveLength(drawn.match(/^### /gm)!.length);
  });
});
