/** The template of a page project, created by `npm run pack -- --project` and served by the service. */
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { servePages } from '../testing/serve-pages';

describe('the template of a page project', () => {
  it('is served as it is', async () => {
    const project = mkdtempSync(join(tmpdir(), 'project-template-'));
    cpSync(join(__dirname, '../../../project-template'), project, { recursive: true });
    const pages = await servePages(project);
    const visit = (tenantId: string, startedAt: string) => ({
      tenantId,
      source: 'mail',
      startedAt: new Date(startedAt),
    });
    // The second row is a day later in Paris, and the third belongs to another workspace.
    await pages.insert('visits', [
      visit('t1', '2026-03-01T12:00:00Z'),
      visit('t1', '2026-03-01T23:30:00Z'),
      visit('t2', '2026-03-01T12:00:00Z'),
    ]);
    const answer = await pages.get('/dms/pages/visits/stats/by-day?from=2026-03-01', {
      caller: { permissions: ['visits.read'] },
    });
    expect(JSON.parse(answer.text)).toEqual({
      series: [
        { x: 20260301, y: 1 },
        { x: 20260302, y: 1 },
      ],
    });
    await pages.close();
  });
});
