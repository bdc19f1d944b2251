/** The reference model is an independent judge only as long as it contains nothing of the product. */
import { importGraph } from './imports';

const folder = 'test/model/';

describe('the reference model', () => {
  it('imports nothing but its own files', () => {
    const files = [...importGraph()].filter(([file]) => file.startsWith(folder) && !file.endsWith('.spec.ts'));
    expect(files.map(([file]) => file)).toContain(`${folder}rules.ts`);
    expect(files.flatMap(([, targets]) => targets).filter((target) => !target.startsWith(folder))).toEqual([]);
  });
});
