/** The diagrams of the documentation show the tables of the code. UPDATE_DOCS=1 writes them again. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { diagrams, graphOf } from './diagrams';

const folder = join(__dirname, '../../docs/diagrams');

describe('a diagram of states', () => {
  it('has a line for each step, a dashed one for each resolution, and marks what is never left', () => {
    const graph = graphOf({
      begins: ['open'],
      table: { open: { to: ['stopped'] }, stopped: { to: [], byResolution: ['done'] }, done: { to: [] } },
    });
    expect(graph).toMatch(/begin -> open\nopen -> stopped\nstopped -> done \[style=dashed\]/);
    expect(graph).toContain('done [label="done" peripheries=2]');
    expect(graph).toContain('stopped [label="stopped"]');
  });

  it('is drawn as the code is now', async () => {
    const drawn = await diagrams();
    if (process.env['UPDATE_DOCS'] === '1') {
      mkdirSync(folder, { recursive: true });
      for (const [name, svg] of Object.entries(drawn)) writeFileSync(join(folder, name), svg);
    }
    const kept = Object.keys(drawn).map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);
    expect(Object.fromEntries(kept)).toEqual(drawn);
  });
});
