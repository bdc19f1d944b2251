/** A second check of `mutations.unit.spec.ts`: the mutations of a standard tool, with all its operators. */
import type { AddQueryInput } from '@platform/builder';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { programOf } from '../testing/mutations';
import { dataOf, openScratchProject, type ScratchProject } from '../testing/scratch-project';

interface Mutant {
  readonly operator: string;
  readonly line: number;
  readonly text: string;
}

const tool = join(__dirname, '../testing/mutation-tool.mjs');
const pageRefs = ['/shop/orders', '/shop/products', '/shop/customers'];
/** Queries whose source contains code that some operators need and the sample lacks: signs and truth values. */
const further: readonly AddQueryInput[] = [
  {
    name: 'refundsOfGifts',
    resource: 'orders',
    template: 'aggregate',
    params: {
      op: 'min',
      field: 'total',
      where: [
        { field: 'total', op: 'lt', value: -12.5 },
        { field: 'gift', op: 'eq', value: true },
        { field: 'createdAt', op: 'ge', value: '2026-01-01' },
      ],
    },
  },
  {
    name: 'notGifts',
    resource: 'orders',
    template: 'series',
    params: {
      groupBy: 'gift',
      op: 'count',
      where: [{ field: 'gift', op: 'ne', value: false }],
      orderBy: 'measure',
      direction: 'desc',
      limit: 7,
    },
  },
];

let scratch: ScratchProject;
beforeAll(async () => {
  scratch = await openScratchProject();
  for (const input of further) dataOf(await scratch.builder.addQuery('/shop/orders', input));
});
afterAll(() => scratch.remove());

/**
 * The queries that are read back from every page, without positions; undefined for a page whose source does not parse.
 */
async function readings(): Promise<readonly (string | undefined)[]> {
  const all: (string | undefined)[] = [];
  for (const pageRef of pageRefs) {
    const result = await scratch.builder.getPageStructure(pageRef);
    const plain = (name: string, value: unknown): unknown =>
      name.startsWith('opaque') && name !== 'opaque' ? 0 : value;
    all.push(result.ok ? JSON.stringify(result.data.queries, plain) : undefined);
  }
  return all;
}

describe('the mutants of a standard mutation tool, by every operator', () => {
  it('are noticed wherever a page or a model means something else: none survives', async () => {
    const before = await readings();
    expect(before.join()).not.toContain('"opaque":true');
    const paths = Object.keys(scratch.files()).filter((path) => /(?:page|model)\.ts$/.test(path));
    const sources = paths.map((name) => ({ name, text: scratch.read(name) }));
    const made = spawnSync(process.execPath, [tool], { input: JSON.stringify(sources), encoding: 'utf8' });
    expect(made.stderr).toBe('');
    const byFile = JSON.parse(made.stdout) as readonly (readonly Mutant[])[];
    const survivors: string[] = [];
    const operators = new Map<string, number>();
    for (const [index, { name, text }] of sources.entries()) {
      for (const mutant of byFile[index] ?? []) {
        operators.set(mutant.operator, (operators.get(mutant.operator) ?? 0) + 1);
        scratch.write(name, mutant.text);
        const same = (await readings()).join('\n') === before.join('\n');
        if (same && programOf(mutant.text) !== programOf(text))
          survivors.push(`${name}:${mutant.line} ${mutant.operator}`);
      }
      scratch.write(name, text);
    }
    expect(survivors).toEqual([]);
    expect(await readings()).toEqual(before);
    // The operators that find a place in generated code, each with more than one.
    expect([...operators.keys()].sort()).toEqual(
      expect.arrayContaining(['BlockStatement', 'BooleanLiteral', 'ObjectLiteral', 'StringLiteral', 'UnaryOperator']),
    );
    expect([...operators.values()].reduce((sum, each) => sum + each)).toBeGreaterThan(100);
  });
});
