/** What a file of workspaces must hold before anything is asked of the store or the provider. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runImportCommand } from './import-command';

const folder = mkdtempSync(path.join(tmpdir(), 'import-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a file of workspaces', () => {
  it.each([
    ['turns the text around it', 'Acme \u202emoc.emca'],
    ['holds a control character', 'Acme\u001b[2J'],
    ['is cut in the middle of a character', 'Acme \ud83d'],
  ])('is refused with a name that %s', async (_what, workspaceName) => {
    const file = path.join(folder, 'workspaces.json');
    writeFileSync(file, JSON.stringify({ workspaces: [{ tenantId: 'earlier', workspaceName, planId: 'free' }] }));
    const unused = { terminal: {} } as Parameters<typeof runImportCommand>[1];
    await expect(runImportCommand({ file, apply: false, by: {} as never }, unused)).rejects.toThrow(
      'workspaces.0.workspaceName must hold no control characters',
    );
  });
});
