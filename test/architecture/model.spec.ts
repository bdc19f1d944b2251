/** The reference model is an oracle only as long as nothing of the product is in it. */
import { importGraph } from './imports';

const folder = 'test/model/';

describe('the reference model', () => {
  it('imports nothing but its own files', () => {
    const files = [...importGraph()].filter(([file]) => file.startsWith(folder) && !file.endsWith('.spec.ts'));
    expect(files.map(([file]) => file)).toContain(`${folder}rules.ts`);
    expect(files.flatMap(([, targets]) => targets).filter((target) => !target.startsWith(folder))).toEqual([]);
  });
});
