import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'suites-'));
const test = (id: string, fileName: string, timeSpentMs: number) => ({ id, fileName, timeSpentMs });

describe('the suites of tests', () => {
  beforeEach(() => {
    process.env['MUTATION_SUITES'] = join(folder, 'suites.json');
    jest.resetModules();
  });
  afterAll(() => {
    delete process.env['MUTATION_SUITES'];
    rmSync(folder, { recursive: true });
  });
  const load = () => jest.requireActual<typeof import('./suites.cjs')>('./suites.cjs');

  it('are unknown before the run without a change', () => {
    expect(load().readSuites().of(['a'])).toEqual([]);
    expect(load().readSuites().msOf('one.spec.ts')).toBe(0);
  });

  it('are each named once, also where two suites have a test of one name', () => {
    const { writeSuites } = load();
    writeSuites([test('a', 'one.spec.ts', 3), test('b', 'one.spec.ts', 4), test('a', 'two.spec.ts', 1)]);
    jest.resetModules();
    const { of, msOf } = load().readSuites();
    expect(of(['b', 'b'])).toEqual(['one.spec.ts']);
    expect(of(['a', 'b'])).toEqual(['one.spec.ts', 'two.spec.ts']);
    expect(of(['gone'])).toEqual([]);
    expect(msOf('one.spec.ts')).toBe(7);
  });
});
