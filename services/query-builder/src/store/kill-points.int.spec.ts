import type { QueryBuilder, QueryStructure } from '@platform/builder';
import { isFullProof } from '@platform/testing';
import { readdirSync } from 'node:fs';
import { complaintsAbout } from '../testing/compile-project';
import { mortalFileSystem, type Moment } from '../testing/mortal-file-system';
import {
  builtInRegistry,
  dataOf,
  openScratchProject,
  readSources,
  sampleFolder,
  type Files,
} from '../testing/scratch-project';
import { createQueryBuilder } from '../workflows/create-query-builder';
import type { FileSystem } from './file-system';
import { openPageProject } from './page-project';
import type { ProcessIdentity } from './process-identity';

const page = '/shop/orders';
const ref = `${page}@fresh`;
const dated = { field: 'createdAt', op: 'ge', value: '2026-01-01' } as const;
const bound = { field: 'createdAt', op: 'ge', value: { $param: { name: 'from' } } } as const;

const add = (builder: QueryBuilder) =>
  builder.addQuery(page, { name: 'fresh', resource: 'orders', template: 'count', params: { where: [dated] } });

const shared = { name: 'fresh', resource: 'orders', template: 'count' } as const;

/** The state before, and the operation that is ended at each of its calls. */
const operations: Readonly<
  Record<
    string,
    {
      readonly prepare: (builder: QueryBuilder) => Promise<unknown>;
      readonly run: (builder: QueryBuilder) => Promise<unknown>;
    }
  >
> = {
  add: { prepare: async () => undefined, run: add },
  'configure in place': {
    prepare: add,
    run: (builder) => builder.configureQuery(ref, { params: { where: [{ ...dated, op: 'lt' }] } }),
  },
  'configure with another route': {
    prepare: add,
    run: (builder) => builder.configureQuery(ref, { params: { where: [bound] } }),
  },
  'configure to another resource': {
    prepare: add,
    run: (builder) => builder.configureQuery(ref, { resource: 'customers', params: {} }),
  },
  remove: { prepare: add, run: (builder) => builder.removeQuery(ref) },
  'add what shares its method': {
    prepare: (builder) => builder.addQuery('/shop/products', shared),
    run: (builder) => builder.addQuery(page, shared),
  },
  'configure what shares its method': {
    prepare: async (builder) => [
      await builder.addQuery('/shop/products', shared),
      await builder.addQuery(page, shared),
    ],
    run: (builder) => builder.configureQuery(ref, { params: { where: [dated] } }),
  },
};

const identity = (pid: number): ProcessIdentity => ({ pid, started: '1', boot: 'b', machine: 'm', namespace: 'n' });
const [mortal, survivor, earlier] = [1, 2, 3];
const processes = (pid: number) => ({
  identity: identity(pid),
  hasEnded: (other: ProcessIdentity) => other.pid !== survivor,
});

const sample = readSources(sampleFolder);
const compiled = new Map<string, string[]>();

function complaints(folder: string, files: Files): string[] {
  const state = JSON.stringify(files);
  const known = compiled.get(state) ?? complaintsAbout(folder);
  compiled.set(state, known);
  return known;
}

const seen = (queries: readonly QueryStructure[]): string =>
  JSON.stringify(queries.map(({ modelMethod: _method, ...rest }) => rest));

async function runAs(
  pid: number,
  folder: string,
  fs: FileSystem,
  run: (builder: QueryBuilder) => Promise<unknown>,
): Promise<void> {
  const opening = openPageProject(folder, { fs, processes: processes(pid) });
  await opening.then((project) => run(createQueryBuilder(project, builtInRegistry()))).catch(() => undefined);
}

/**
 * Ends the operation at its nth call; returns whether it had that many. `again`: an earlier process was also ended in
 * the middle.
 */
async function endAt(name: string, at: number, moment: Moment, again: boolean): Promise<boolean> {
  const { prepare, run } = operations[name]!;
  const scratch = await openScratchProject(sample, { processes: processes(survivor) });
  await prepare(scratch.builder);
  const read = async (): Promise<string> => seen(dataOf(await scratch.builder.getPageStructure(page)).queries);
  const before = await read();
  const life = mortalFileSystem(at, moment);
  if (again) await runAs(earlier, scratch.folder, mortalFileSystem(24, 'before').fs, run);
  await runAs(mortal, scratch.folder, life.fs, run);
  const after = await read();
  const files = scratch.files();
  const where = `${name}, call ${at}, ${moment}${again ? ', again' : ''}`;
  expect([where, complaints(scratch.folder, files)]).toEqual([where, []]);
  await run(scratch.builder);
  const done = await read();
  expect([before, done]).toContain(after);
  // The next writer is not blocked by claims or drafts, and leaves none behind.
  await add(scratch.builder);
  dataOf(await scratch.builder.configureQuery(ref, { resource: 'customers', params: {} }));
  dataOf(await scratch.builder.removeQuery(ref));
  expect([
    where,
    dataOf(await scratch.builder.getPageStructure(page)).queries.some((query) => query.name === 'fresh'),
  ]).toEqual([where, false]);
  const left = readdirSync(scratch.folder, { recursive: true })
    .map(String)
    .filter((file) => /\.draft$|\.owner/.test(file));
  expect([where, left]).toEqual([where, []]);
  scratch.remove();
  return life.ended();
}

// Every point of every operation in the full proof or with KILL_POINTS=all; otherwise points spread over some of them.
const all = isFullProof() || process.env['KILL_POINTS'] === 'all';
const stride = all ? 1 : 43;
const some = [
  ['configure with another route', false],
  ['remove', true],
] as const;
const cases = all ? Object.keys(operations).flatMap((name) => [[name, false] as const, [name, true] as const]) : some;

describe('an operation that is killed at any call to the file system', () => {
  it.each(cases)(
    'leaves the query as it was or as it should be, and the project whole: %s (after another kill: %s)',
    async (name, again) => {
      let points = 0;
      for (const moment of ['before', 'within', 'after'] as const) {
        for (
          let at = 1 + ((moment === 'after' ? 9 : moment === 'within' ? 18 : 0) % stride);
          await endAt(name, at, moment, again);
          at += stride
        )
          points += 1;
      }
      expect(points).toBeGreaterThan(1);
      if (all) process.stdout.write(`${name}: ${points} points\n`);
    },
    900_000,
  );
});
