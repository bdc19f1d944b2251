/** Compares the README's tables with the code. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shapes } from './conformance/shapes.json';
import { objectTable, referenceTable } from './reference';
import { endpoints } from './resources';

describe('the README', () => {
  it('lists every endpoint with its parameters and every object with its fields (UPDATE_REFERENCE=1 rewrites the tables)', () => {
    const file = join(__dirname, '../README.md');
    const readme = readFileSync(file, 'utf8');
    const put = (text: string, mark: string, table: string): string => {
      const [before, , after] = text.split(`<!-- ${mark} -->\n`);
      return `${before}<!-- ${mark} -->\n${table}\n<!-- ${mark} -->\n${after}`;
    };
    const written = put(put(readme, 'endpoints', referenceTable(endpoints)), 'objects', objectTable(shapes));
    if (process.env['UPDATE_REFERENCE']) writeFileSync(file, written);
    else expect(readme).toBe(written);
  });
});
