/**
 * The documentation agrees with the code. `UPDATE_DOCS=1 npx jest test/architecture/docs-tables` writes the tables
 * between their markers again; without it, a table that differs fails.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { documentedTables } from './docs-tables';
import { root, text } from './tree';

const between = (name: string) => new RegExp(`(<!-- table ${name} -->\\n)[\\s\\S]*?(\\n<!-- end ${name} -->)`);

describe('the tables of the documentation', () => {
  const cases = Object.entries(documentedTables).flatMap(([file, tables]) =>
    Object.entries(tables).map(([name, drawn]) => [file, name, drawn] as const),
  );

  it.each(cases)('%s shows %s as the code has it', (file, name, drawn) => {
    const before = text(file);
    const marker = between(name);
    expect(before).toMatch(marker);
    const after = before.replace(marker, (_all, open: string, close: string) => `${open}${drawn}${close}`);
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(path.join(root, file), after);
    else expect(before).toBe(after);
  });
});
