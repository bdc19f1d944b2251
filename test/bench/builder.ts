/**
 * Edits of a page project by the query builder, which opens two files per edit, compared with plain ts-morph with the
 * whole project loaded. Both write their texts to the same disk and wait for it.
 */
import { closeSync, fsyncSync, mkdirSync, mkdtempSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createTemplateRegistry, type BuilderResult, type QueryBuilder } from '@platform/builder';
import { Project, type ClassDeclaration, type SourceFile } from 'ts-morph';
import { builtInTemplates } from '../../services/query-builder/src/domain/templates';
import { openPageProject } from '../../services/query-builder/src/store/page-project';
import { createQueryBuilder } from '../../services/query-builder/src/workflows/create-query-builder';
import { median, summarise, type BenchReport, type Side } from './report';

const samples = Number(process.env['BENCH_SAMPLES'] ?? 60);

interface Shape {
  readonly title: string;
  readonly pages: number;
  readonly methods: number;
}

const shapes: readonly Shape[] = [
  { title: '1 page', pages: 1, methods: 5 },
  { title: '100 pages', pages: 100, methods: 5 },
  { title: '1,000 pages', pages: 1_000, methods: 5 },
  { title: '1 page, a model with 1,000 methods', pages: 1, methods: 1_000 },
];

const resource = `import { defineResource } from '@platform/page-runtime';

export const orders = defineResource('orders', {
  fields: { status: { type: 'string' }, total: { type: 'price' }, createdAt: { type: 'date' } },
});
`;

function modelText(methods: number): string {
  const one = (number: number): string =>
    `\n  count${number}() {\n    return this.rows()\n      .where('total', 'gt', ${number})\n      .groupBy('status')\n      .measure('count')\n      .orderBy('group', 'asc');\n  }\n`;
  return `import { TableModel } from '@platform/page-runtime';\nimport { orders } from './resource';\n\nexport class OrdersModel extends TableModel<typeof orders> {\n  readonly resource = orders;\n${Array.from({ length: methods }, (_unused, index) => one(index)).join('')}}\n`;
}

function pageText(number: number): string {
  const one = (route: number): string =>
    `  @Get('/stats/count-${route}')\n  async count${route}(\n    @PagePermission(Page${number}) _user: PageUser,\n    @Model(OrdersModel) model: OrdersModel,\n  ) {\n    return { series: await model.count${route}() };\n  }\n`;
  return `import { Get, Model, Page, PagePermission, type PageUser } from '@platform/page-runtime';\nimport { OrdersModel } from '../../resources/orders/model';\n\n@Page({ title: 'Page ${number}', permission: 'bench.read' })\nexport class Page${number} {\n${Array.from({ length: 5 }, (_unused, index) => one(index)).join('\n')}}\n`;
}

function makeProject({ pages, methods }: Shape): string {
  const folder = mkdtempSync(join(tmpdir(), 'builder-bench-'));
  write(join(folder, 'resources/orders/resource.ts'), resource, false);
  write(join(folder, 'resources/orders/model.ts'), modelText(methods), false);
  for (let number = 0; number < pages; number += 1)
    write(join(folder, `pages/page-${number}/page.ts`), pageText(number), false);
  return folder;
}

/** Writes a text to disk; if durable, in a single step, as any careful editor does. */
function write(file: string, text: string, durable = true): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = durable ? `${file}.draft` : file;
  const descriptor = openSync(draft, 'w');
  writeSync(descriptor, text);
  if (durable) fsyncSync(descriptor);
  closeSync(descriptor);
  if (!durable) return;
  renameSync(draft, file);
  const folder = openSync(dirname(file), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

type Edits = Readonly<Record<'add' | 'configure' | 'remove', (number: number) => Promise<void>>>;

async function ours(folder: string): Promise<Edits> {
  const templates = createTemplateRegistry();
  for (const template of builtInTemplates) templates.register(template);
  const builder: QueryBuilder = createQueryBuilder(await openPageProject(folder), templates);
  const must = async (work: Promise<BuilderResult<unknown>>): Promise<void> => {
    const result = await work;
    if (!result.ok) throw new Error(`an edit was refused: ${JSON.stringify(result.error)}`);
  };
  const where = (value: number) => ({ where: [{ field: 'total', op: 'gt', value }] });
  return {
    add: (number) =>
      must(
        builder.addQuery('/page-0', {
          name: `fresh${number}`,
          resource: 'orders',
          template: 'count',
          params: where(1),
        }),
      ),
    configure: (number) => must(builder.configureQuery(`/page-0@fresh${number}`, { params: where(2) })),
    remove: (number) => must(builder.removeQuery(`/page-0@fresh${number}`)),
  };
}

/** The same texts by hand with ts-morph: no checks, no search for callers, no collisions. */
function plain(folder: string): { readonly edits: Edits; readonly loadMs: number } {
  const begun = performance.now();
  const project = new Project({ compilerOptions: { experimentalDecorators: true } });
  project.addSourceFilesAtPaths(`${folder}/**/*.ts`);
  const [page, model] = [
    project.getSourceFileOrThrow(`${folder}/pages/page-0/page.ts`),
    project.getSourceFileOrThrow(`${folder}/resources/orders/model.ts`),
  ];
  const classOf = (file: SourceFile): ClassDeclaration => file.getClasses()[0]!;
  classOf(page).getMethods();
  const loadMs = performance.now() - begun;
  const save = (...files: SourceFile[]): void => files.forEach((file) => write(file.getFilePath(), file.getFullText()));
  const statement = (value: number): string =>
    `return this.rows()\n      .where('total', 'gt', ${value})\n      .count();`;
  const edits: Edits = {
    async add(number) {
      classOf(model).addMethod({ name: `fresh${number}`, statements: [statement(1)] });
      classOf(page).addMethod({
        name: `fresh${number}`,
        isAsync: true,
        decorators: [{ name: 'Get', arguments: [`'/stats/fresh${number}'`] }],
        parameters: [
          { name: '_user', type: 'PageUser', decorators: [{ name: 'PagePermission', arguments: ['Page0'] }] },
          { name: 'model', type: 'OrdersModel', decorators: [{ name: 'Model', arguments: ['OrdersModel'] }] },
        ],
        statements: [`return { value: await model.fresh${number}() };`],
      });
      save(model, page);
    },
    async configure(number) {
      classOf(model).getMethodOrThrow(`fresh${number}`).setBodyText(statement(2));
      save(model);
    },
    async remove(number) {
      classOf(page).getMethodOrThrow(`fresh${number}`).remove();
      classOf(model).getMethodOrThrow(`fresh${number}`).remove();
      save(page, model);
    },
  };
  return { edits, loadMs };
}

async function measure(sides: readonly Edits[], kind: keyof Edits, times: number[][], number: number): Promise<void> {
  for (const [at, side] of sides.entries()) {
    const begun = performance.now();
    await side[kind](number);
    times[at]!.push(performance.now() - begun);
  }
}

interface Measured {
  readonly shape: Shape;
  readonly kind: keyof Edits;
  readonly sides: readonly [Side, Side];
  readonly loadMs: number;
}

async function measureShape(shape: Shape): Promise<Measured[]> {
  const folders = [makeProject(shape), makeProject(shape)] as const;
  try {
    const floor = plain(folders[1]);
    const sides = [await ours(folders[0]), floor.edits];
    const kinds = ['add', 'configure', 'remove'] as const;
    const times = new Map(kinds.map((kind) => [kind, [[], []] as number[][]]));
    for (let number = 0; number < samples + 10; number += 1) {
      // The first ten edits warm both sides up.
      for (const kind of kinds) await measure(sides, kind, number < 10 ? [[], []] : times.get(kind)!, number);
    }
    return kinds.map((kind) => {
      const [own, other] = times.get(kind)!.map((each) =>
        summarise(
          each,
          each.reduce((sum, time) => sum + time, 0),
        ),
      );
      return { shape, kind, sides: [own!, other!], loadMs: floor.loadMs };
    });
  } finally {
    folders.forEach((folder) => rmSync(folder, { recursive: true, force: true }));
  }
}

const names = { add: 'AddQuery', configure: 'ConfigureQuery', remove: 'RemoveQuery' } as const;

export async function benchBuilder(): Promise<BenchReport> {
  const measured: Measured[] = [];
  for (const shape of shapes) measured.push(...(await measureShape(shape)));
  const smallest = (kind: keyof Edits): number => measured.find((each) => each.kind === kind)!.sides[0].p50Ms;
  return {
    title: 'builder: one edit by the query builder against plain ts-morph with the project loaded',
    head: [
      'edit',
      'project',
      'p50 ms',
      'p99 ms',
      'to 1 page',
      'ts-morph p50',
      'ts-morph p99',
      'ratio p50',
      'ts-morph load ms',
    ],
    rows: measured.map(({ shape, kind, sides: [own, floor], loadMs }) => [
      names[kind],
      shape.title,
      own.p50Ms.toFixed(1),
      own.p99Ms.toFixed(1),
      (own.p50Ms / smallest(kind)).toFixed(2),
      floor.p50Ms.toFixed(1),
      floor.p99Ms.toFixed(1),
      (own.p50Ms / floor.p50Ms).toFixed(2),
      loadMs.toFixed(0),
    ]),
    notes: [
      `${samples} edits of each kind per project, the two sides in turn, after ten to warm up; every write reaches the disk (file and folder) on both sides. Median of the ratios of 1,000 pages to 1 page: ${median(measured.filter(({ shape }) => shape.pages === 1_000).map(({ kind, sides }) => sides[0].p50Ms / smallest(kind))).toFixed(2)}.`,
      'The builder opens what it needs again for each edit, claims both files among processes, looks for collisions and callers, and reads back what it wrote before anybody sees it. ts-morph keeps the whole project in memory (its load is not part of an edit), checks nothing, and does not see what people save meanwhile.',
    ],
  };
}
